import type { AccessUnit } from '../../access-unit.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'

/**
 * Sends Opus (RFC 7587 4.2), one packet a payload. There are no pieces of packets: one that is longer than the network
 * takes at once, which only encoders of very high rates make, is left to IP to cut.
 */
export class OpusPacketizer implements RtpPacketizer {
  packetize({ data }: AccessUnit): RtpPayload[] {
    return data.length === 0 ? [] : [{ parts: [data], sizeBytes: data.length, marker: false }]
  }
}
