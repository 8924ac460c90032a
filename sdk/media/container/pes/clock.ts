/** Ticks a second of presentation and decoding times. */
export const PES_TIMESCALE = 90_000

/** Times are counters of 33 bits, which start again after 26.5 hours. */
export const PES_CLOCK_RANGE = 2 ** 33

/** The remainder that is never negative. */
export function modulo(value: number, range: number): number {
  const remainder = value % range
  return remainder < 0 ? remainder + range : remainder
}
