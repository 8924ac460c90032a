import { ByteReader } from '../../bits/byte-reader.ts'
import { RTCP_TYPE } from './raw-packet.ts'
import type { RawRtcpPacket } from './raw-packet.ts'
import { readReportBlocks, REPORT_BLOCK_SIZE_BYTES, writeReportBlocks } from './report-block.ts'
import type { ReportBlock } from './report-block.ts'

/** The report of a receiver that sends no media (RFC 3550 6.4.2): SSRC (32) | report blocks. */
export type ReceiverReport = {
  readonly kind: 'receiverReport'
  readonly ssrc: number
  /** The report blocks, at most 31. */
  readonly reports: readonly ReportBlock[]
}

/** Leaves out the fields that profiles add behind the reports. @throws {MalformedError} when it ends early. */
export function parseReceiverReport({ count, body }: RawRtcpPacket): ReceiverReport {
  const reader = new ByteReader(body)
  return { kind: 'receiverReport', ssrc: reader.readUint(4), reports: readReportBlocks(reader, count) }
}

export function serializeReceiverReport({ ssrc, reports }: ReceiverReport): RawRtcpPacket {
  const body = Buffer.allocUnsafe(4 + reports.length * REPORT_BLOCK_SIZE_BYTES)
  writeReportBlocks(body, body.writeUInt32BE(ssrc, 0), reports)
  return { type: RTCP_TYPE.receiverReport, count: reports.length, body }
}
