/** Numbers of data packets have 31 bits, after which they begin again (draft-sharabayko-srt-01 3.1). */
export const SEQUENCE_MASK = 0x7fff_ffff

const HALF = 0x4000_0000

/** The number that comes so many after another; before it where `count` is negative. */
export function addToSequence(sequence: number, count: number): number {
  // The remainder of 2^32 keeps the lower bits of counts beyond that.
  return (sequence + (count % (SEQUENCE_MASK + 1))) & SEQUENCE_MASK
}

export function nextSequence(sequence: number): number {
  return (sequence + 1) & SEQUENCE_MASK
}

/** How many come from one number to another: negative where the other lies before, which is the shorter way. */
export function sequenceDistance(from: number, to: number): number {
  const distance = (to - from) & SEQUENCE_MASK
  return distance < HALF ? distance : distance - SEQUENCE_MASK - 1
}
