import { serializeRtcp, type RtcpPacket } from '../rtcp/compound.ts'
import type { ReceiverReport } from '../rtcp/receiver-report.ts'
import type { SenderReport } from '../rtcp/sender-report.ts'
import { SDES_ITEM_TYPE } from '../rtcp/source-description.ts'

/**
 * Writes a report with the name of its sender, as each compound packet has it that is not feedback alone (RFC 3550 6.1).
 * @param cname up to 255 bytes, the same for all streams of one end (RFC 7022)
 * @param more messages that follow them in the same packet
 * @throws {MalformedError} when there are more than 31 report blocks, or the name is too long
 */
export function serializeRtpReport(
  report: SenderReport | ReceiverReport,
  cname: string,
  ...more: readonly RtcpPacket[]
): Buffer {
  const items = [{ type: SDES_ITEM_TYPE.cname, text: cname }]
  return serializeRtcp([report, { kind: 'sourceDescription', chunks: [{ ssrc: report.ssrc, items }] }, ...more])
}

/** Writes the goodbye of streams that end (RFC 3550 6.6), behind an empty report, as compound packets begin by one. */
export function serializeRtpGoodbye(ssrc: number, ...others: readonly number[]): Buffer {
  return serializeRtcp([
    { kind: 'receiverReport', ssrc, reports: [] },
    { kind: 'bye', ssrcs: [ssrc, ...others], reason: '' },
  ])
}
