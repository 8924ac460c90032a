/**
 * Converts a time from one timescale to another, rounded down (towards minus infinity).
 *
 * Exact for all integers: value and remainder are multiplied apart, because `value * toTimescale` passes 2^53 within
 * hours for common timescales.
 */
export function rescale(value: number, fromTimescale: number, toTimescale: number): number {
  if (fromTimescale === toTimescale) return value
  const remainder = value % fromTimescale
  const below = remainder < 0
  const seconds = truncate(value, fromTimescale) - (below ? 1 : 0)
  const rest = below ? remainder + fromTimescale : remainder
  const product = rest * toTimescale
  const ticks = Number.isSafeInteger(product)
    ? truncate(product, fromTimescale)
    : Number((BigInt(rest) * BigInt(toTimescale)) / BigInt(fromTimescale))
  return seconds * toTimescale + ticks
}

// The remainder of two doubles is exact and their quotient is not: near 2^53 it can round up to the next integer.
function truncate(value: number, divisor: number): number {
  return (value - (value % divisor)) / divisor
}
