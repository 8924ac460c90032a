import { ByteReader } from '../../bits/byte-reader.ts'
import { ntpFraction, ntpSeconds, ntpToUnixMs } from './ntp-time.ts'
import { RTCP_TYPE } from './raw-packet.ts'
import type { RawRtcpPacket } from './raw-packet.ts'
import { readReportBlocks, REPORT_BLOCK_SIZE_BYTES, writeReportBlocks } from './report-block.ts'
import type { ReportBlock } from './report-block.ts'

const SENDER_INFO_SIZE_BYTES = 24

/**
 * A sender's report on its times and its packets (RFC 3550 6.4.1):
 *
 *     SSRC (32) | NTP time (64) | RTP time (32) | count of packets (32) | count of bytes (32) | report blocks
 */
export type SenderReport = {
  readonly kind: 'senderReport'
  readonly ssrc: number
  /** The wall clock's time in milliseconds since the Unix epoch; undefined where the sender has no clock. */
  readonly ntpMs: number | undefined
  /** The same instant as RTP time, 32 bits. */
  readonly rtpTimestamp: number
  /** The packets since the source began, 32 bits. */
  readonly packetCount: number
  /** Bytes of payload, 32 bits. */
  readonly octetCount: number
  /** The report blocks, at most 31. */
  readonly reports: readonly ReportBlock[]
}

/** Leaves out the fields that profiles add behind the reports. @throws {MalformedError} when it ends early. */
export function parseSenderReport({ count, body }: RawRtcpPacket): SenderReport {
  const reader = new ByteReader(body)
  return {
    kind: 'senderReport',
    ssrc: reader.readUint(4),
    ntpMs: ntpToUnixMs(reader.readUint(4), reader.readUint(4)),
    rtpTimestamp: reader.readUint(4),
    packetCount: reader.readUint(4),
    octetCount: reader.readUint(4),
    reports: readReportBlocks(reader, count),
  }
}

/** RTP time and counts are taken modulo 2^32, so that counters may go on past it. */
export function serializeSenderReport(report: SenderReport): RawRtcpPacket {
  const { ntpMs, reports } = report
  const body = Buffer.allocUnsafe(SENDER_INFO_SIZE_BYTES + reports.length * REPORT_BLOCK_SIZE_BYTES)
  let offset = body.writeUInt32BE(report.ssrc, 0)
  offset = body.writeUInt32BE(ntpMs === undefined ? 0 : ntpSeconds(ntpMs), offset)
  offset = body.writeUInt32BE(ntpMs === undefined ? 0 : ntpFraction(ntpMs), offset)
  offset = body.writeUInt32BE(report.rtpTimestamp >>> 0, offset)
  offset = body.writeUInt32BE(report.packetCount >>> 0, offset)
  offset = body.writeUInt32BE(report.octetCount >>> 0, offset)
  writeReportBlocks(body, offset, reports)
  return { type: RTCP_TYPE.senderReport, count: reports.length, body }
}
