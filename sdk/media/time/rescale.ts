/**
 * Converts a time from one timescale to another, rounded down (towards minus infinity).
 *
 * Exact for integers with a safe integer as the result: seconds and remainder are multiplied apart, because
 * `value * toTimescale` passes 2^53 within hours for common timescales.
 */
export function rescale(value: number, fromTimescale: number, toTimescale: number): number {
  if (fromTimescale === toTimescale) return value
  const remainder = value % fromTimescale
  const seconds = (value - remainder) / fromTimescale
  const product = remainder * toTimescale
  const ticks = Number.isSafeInteger(product)
    ? floorDivide(product, fromTimescale)
    : floorDivideLarge(remainder, toTimescale, fromTimescale)
  return seconds * toTimescale + ticks
}

// The remainder of two doubles is exact and their quotient is not: near 2^53 it can round up to the next integer.
function floorDivide(value: number, divisor: number): number {
  const remainder = value % divisor
  const quotient = (value - remainder) / divisor
  return remainder < 0 ? quotient - 1 : quotient
}

// Serves pairs of timescales with a product above 2^53, such as nanoseconds and some megahertz.
function floorDivideLarge(value: number, factor: number, divisor: number): number {
  const product = BigInt(value) * BigInt(factor)
  const quotient = Number(product / BigInt(divisor))
  return product % BigInt(divisor) < 0n ? quotient - 1 : quotient
}
