/** Packets that may be missing in a row before it is taken as a restart of the source (RFC 3550 A.1). */
export const RTP_MAX_DROPOUT = 3000
/** The most numbers by which a packet may come behind the highest one before it is taken as a restart of the source (RFC 3550 A.1). */
export const RTP_MAX_MISORDER = 100

const RANGE = 2 ** 16

/**
 * How many packets `sequenceNumber` is ahead of `expected`: 0 to `RTP_MAX_DROPOUT` − 1, or −`maxMisorder` to −1 where
 * it is behind; undefined where it is so far off that the source may have begun anew.
 * @param maxMisorder at least the packets that are sent while a lost one is asked for and sent again, where they are
 */
export function sequenceOffset(
  sequenceNumber: number,
  expected: number,
  maxMisorder = RTP_MAX_MISORDER,
): number | undefined {
  const ahead = (sequenceNumber - expected) & (RANGE - 1)
  if (ahead < RTP_MAX_DROPOUT) return ahead
  return ahead >= RANGE - maxMisorder ? ahead - RANGE : undefined
}

/** The number that follows. */
export function nextSequenceNumber(sequenceNumber: number): number {
  return (sequenceNumber + 1) & (RANGE - 1)
}
