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

/**
 * Encoded pictures that were sent between the first and the last one that came, and did not come or came elsewhere.
 * @param sent the ends of those that were sent, in order
 * @param received the ends of those that came, in order
 */
export function lostPictures(sent: readonly string[], received: readonly string[]): number {
  const first = sent.indexOf(received[0] ?? '')
  if (first < 0) return Infinity
  return received.filter((end, index) => sent[first + index] !== end).length
}
