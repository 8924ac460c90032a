/** The middle value; of an even number of values the mean of the two in the middle, and NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}

/** Some percentiles of many values, and how many there were; NaN where there were none. */
export type Distribution = {
  readonly p50: number
  readonly p99: number
  readonly max: number
  readonly count: number
}

export function distributionOf(values: readonly number[]): Distribution {
  const sorted = Float64Array.from(values).toSorted()
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1), count: sorted.length }
}

/** A span of the monotonic clock, in microseconds. */
export type Span = { readonly startUs: number; readonly endUs: number }

export function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
