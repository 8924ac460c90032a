/** The counts of the packets of RTP streams. */
export type RtpReceptionCounts = {
  /** All that came, repeated ones included. */
  readonly receivedPackets: number
  /** Packets that are missing among those that came; one that comes late is not missing any more. */
  readonly lostPackets: number
  readonly reorderedPackets: number
  readonly duplicatePackets: number
  /** Packets with broken bytes, a broken payload or a wrong payload type. */
  readonly brokenPackets: number
}

/** Adds up what became of the packets of several streams; all is 0 for none. */
export function sumReceptions(receptions: readonly RtpReceptionCounts[]): RtpReceptionCounts {
  const sum = { receivedPackets: 0, lostPackets: 0, reorderedPackets: 0, duplicatePackets: 0, brokenPackets: 0 }
  for (const counts of receptions) {
    sum.receivedPackets += counts.receivedPackets
    sum.lostPackets += counts.lostPackets
    sum.reorderedPackets += counts.reorderedPackets
    sum.duplicatePackets += counts.duplicatePackets
    sum.brokenPackets += counts.brokenPackets
  }
  return sum
}
