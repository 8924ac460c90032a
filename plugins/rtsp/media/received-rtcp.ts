import { MalformedError, parseRtcp, type RtcpPacket } from 'sluice/sdk/media'

/** Parses RTCP of a peer, of which a broken packet says nothing: none of its messages is taken. */
export function receivedRtcp(packet: Buffer): readonly RtcpPacket[] {
  try {
    return parseRtcp(packet)
  } catch (error) {
    if (error instanceof MalformedError) return []
    throw error
  }
}
