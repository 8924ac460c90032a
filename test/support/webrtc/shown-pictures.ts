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
 * Encoded pictures that came between the first and the last one, and not in their place. Those right before a keyframe may be
 * missing: when Chromium has one to send, it throws away what of its stream still waits, without a gap in the sequence numbers.
 * @param sent the names of those that were sent, in order
 * @param received the names of those that came, in order
 */
export function lostPictures(sent: readonly string[], received: readonly string[]): number {
  let next = sent.indexOf(received[0] ?? '')
  if (next < 0) return Infinity
  let lost = 0
  for (const name of received) {
    if (sent[next] !== name && isKeyframe(name)) next = Math.max(next, sent.indexOf(name, next))
    if (sent[next] !== name) lost += 1
    next += 1
  }
  return lost
}

function isKeyframe(name: string): boolean {
  return name.startsWith('key ')
}
