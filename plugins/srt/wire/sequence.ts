/** Numbers of data packets have 31 bits, after which they begin again (draft-sharabayko-srt-01 3.1). */
export const SEQUENCE_MASK = 0x7fff_ffff

const HALF = 0x4000_0000

/** The number `count` after another; before it when `count` is negative. */
export function addToSequence(sequence: number, count: number): number {
  // The remainder of 2^32 keeps the lower bits of counts beyond that.
  return (sequence + (count % (SEQUENCE_MASK + 1))) & SEQUENCE_MASK
}

export function nextSequence(sequence: number): number {
  return (sequence + 1) & SEQUENCE_MASK
}

/** The distance from one number to another by the shorter way: negative when the other comes before. */
export function sequenceDistance(from: number, to: number): number {
  const distance = (to - from) & SEQUENCE_MASK
  return distance < HALF ? distance : distance - SEQUENCE_MASK - 1
}
