import { parseApplicationDefined, serializeApplicationDefined } from './application-defined.ts'
import type { ApplicationDefined } from './application-defined.ts'
import { parseBye, serializeBye } from './bye.ts'
import type { Bye } from './bye.ts'
import { parsePayloadFeedback, serializePayloadFeedback } from './payload-feedback.ts'
import type { FullIntraRequest, PayloadFeedback, PictureLossIndication } from './payload-feedback.ts'
import { joinRtcp, RTCP_TYPE, splitRtcp } from './raw-packet.ts'
import type { RawRtcpPacket } from './raw-packet.ts'
import { parseReceiverReport, serializeReceiverReport } from './receiver-report.ts'
import type { ReceiverReport } from './receiver-report.ts'
import { parseSenderReport, serializeSenderReport } from './sender-report.ts'
import type { SenderReport } from './sender-report.ts'
import { parseSourceDescription, serializeSourceDescription } from './source-description.ts'
import type { SourceDescription } from './source-description.ts'
import { parseTransportFeedback, serializeTransportFeedback } from './transport-feedback.ts'
import type { GenericNack, TransportFeedback } from './transport-feedback.ts'

/** The most packets in one compound packet; those of real programs have up to five. */
export const RTCP_MAX_PACKETS = 64

/** Every RTCP packet that is understood here, distinguished by `kind`. */
export type RtcpPacket =
  | SenderReport
  | ReceiverReport
  | SourceDescription
  | Bye
  | ApplicationDefined
  | GenericNack
  | TransportFeedback
  | PictureLossIndication
  | FullIntraRequest
  | PayloadFeedback

/**
 * Parses a compound packet (RFC 3550 6.1), which may also be a single packet or begin by another one than a report
 * (RFC 5506). Packets of unknown types are left out.
 * @throws {MalformedError} when one of them is broken, or there are too many.
 */
export function parseRtcp(bytes: Buffer): RtcpPacket[] {
  const packets: RtcpPacket[] = []
  for (const raw of splitRtcp(bytes, RTCP_MAX_PACKETS)) {
    const packet = parsePacket(raw)
    if (packet !== null) packets.push(packet)
  }
  return packets
}

function parsePacket(raw: RawRtcpPacket): RtcpPacket | null {
  switch (raw.type) {
    case RTCP_TYPE.senderReport:
      return parseSenderReport(raw)
    case RTCP_TYPE.receiverReport:
      return parseReceiverReport(raw)
    case RTCP_TYPE.sourceDescription:
      return parseSourceDescription(raw)
    case RTCP_TYPE.bye:
      return parseBye(raw)
    case RTCP_TYPE.applicationDefined:
      return parseApplicationDefined(raw)
    case RTCP_TYPE.transportFeedback:
      return parseTransportFeedback(raw)
    case RTCP_TYPE.payloadFeedback:
      return parsePayloadFeedback(raw)
    default:
      return null
  }
}

/**
 * Makes a compound packet. The caller chooses the first packet, and puts a source description behind a report.
 * @throws {MalformedError} when one of them breaks a rule of its type.
 */
export function serializeRtcp(packets: readonly RtcpPacket[]): Buffer {
  return joinRtcp(packets.map(serializePacket))
}

function serializePacket(packet: RtcpPacket): RawRtcpPacket {
  switch (packet.kind) {
    case 'senderReport':
      return serializeSenderReport(packet)
    case 'receiverReport':
      return serializeReceiverReport(packet)
    case 'sourceDescription':
      return serializeSourceDescription(packet)
    case 'bye':
      return serializeBye(packet)
    case 'applicationDefined':
      return serializeApplicationDefined(packet)
    case 'genericNack':
    case 'transportFeedback':
      return serializeTransportFeedback(packet)
    default:
      return serializePayloadFeedback(packet)
  }
}
