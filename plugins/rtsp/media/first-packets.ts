import { isRtcp, parseRtcp, parseRtpPacket } from 'sluice/sdk/media'

const FRAME_HEAD_BYTES = 4

/** The start of a media for a player, as RTP-Info contains it (RFC 2326 12.33). */
export type FirstPacket = {
  sequenceNumber?: number
  /** The RTP time of one instant, the same for all media. */
  rtpTime?: number
}

/**
 * Finds the start of each media in interleaved frames that this server made: the number of its first packet, and the time of its first
 * report.
 * @returns the starts by the channel of RTP
 */
export function firstPackets(frames: Buffer): ReadonlyMap<number, FirstPacket> {
  const found = new Map<number, FirstPacket>()
  for (let offset = 0; offset < frames.length;) {
    const end = offset + FRAME_HEAD_BYTES + frames.readUInt16BE(offset + 2)
    note(found, frames[offset + 1]!, frames.subarray(offset + FRAME_HEAD_BYTES, end))
    offset = end
  }
  return found
}

function note(found: Map<number, FirstPacket>, channel: number, packet: Buffer): void {
  const report = isRtcp(packet)
  const rtpChannel = report ? channel - 1 : channel
  const first = found.get(rtpChannel) ?? {}
  found.set(rtpChannel, first)
  if (!report) first.sequenceNumber ??= parseRtpPacket(packet).sequenceNumber
  else if (first.rtpTime === undefined) {
    for (const message of parseRtcp(packet)) if (message.kind === 'senderReport') first.rtpTime = message.rtpTimestamp
  }
}
