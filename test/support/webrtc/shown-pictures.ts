import type { ShownPicture } from './rtc-page.ts'

/** The numbers of those pictures whose code could be read, in the order in which they were shown. */
export function numbersOf(pictures: readonly ShownPicture[]): number[] {
  return pictures.flatMap(({ number }) => number ?? [])
}

/** The median of how long pictures took from being drawn to being shown, in milliseconds; of none it is infinite. */
export function medianDelayMs(pictures: readonly ShownPicture[]): number {
  const delays = pictures.flatMap(({ delayMs }) => delayMs ?? []).toSorted((one, other) => one - other)
  return delays[Math.floor(delays.length / 2)] ?? Infinity
}
