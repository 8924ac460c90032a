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
 * Encoded pictures that came after the first one, and not in their place.
 * @param sent the names of those that were sent, in order
 * @param received the names of those that came, in order
 */
export function lostPictures(sent: readonly string[], received: readonly string[]): number {
  const first = sent.indexOf(received[0] ?? '')
  if (first < 0) return Infinity
  return received.filter((name, index) => sent[first + index] !== name).length
}

/**
 * What Chromium has sent of what it has encoded: when it has a keyframe to send, it throws away what of the stream still waits,
 * without a gap in the sequence numbers. Only what is missing right before a keyframe can be of that kind.
 * @param encoded the names of all, in order
 * @param taken the names of those that the server took, in order
 */
export function sentOf(encoded: readonly string[], taken: readonly string[]): string[] {
  const sent: string[] = []
  let next = Math.max(0, encoded.indexOf(taken[0] ?? ''))
  for (const name of taken) {
    const place = name.startsWith('key ') ? encoded.indexOf(name, next) : next
    if (place >= 0) next = place
    const picture = encoded[next]
    if (picture !== undefined) sent.push(picture)
    next += 1
  }
  return sent
}
