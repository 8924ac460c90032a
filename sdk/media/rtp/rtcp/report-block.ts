import type { ByteReader } from '../../bits/byte-reader.ts'

/** Size of a report block. */
export const REPORT_BLOCK_SIZE_BYTES = 24

/**
 * A receiver's report on one source (RFC 3550 6.4.1):
 *
 *     SSRC (32) | fraction lost (8) | cumulative lost (24) | highest sequence number (32) | jitter (32)
 *     | last sender report (32) | delay since last sender report (32)
 */
export type ReportBlock = {
  readonly ssrc: number
  /** The lost part of the packets since the last report, in 1/256; 0–255. */
  readonly fractionLost: number
  /** Packets that were lost so far, of 24 bits with a sign: duplicates count as received. */
  readonly cumulativeLost: number
  /** 16 bits of wraps and 16 of the sequence number. */
  readonly highestSequenceNumber: number
  /** The jitter in ticks of the source's clock rate. */
  readonly jitter: number
  /** `shortNtpTime` of the last sender report; 0 where there was none. */
  readonly lastSenderReport: number
  /** The time since that report came, in 1/65536 s. */
  readonly delaySinceLastSenderReport: number
}

/** @throws {MalformedError} when it ends early. */
export function readReportBlocks(reader: ByteReader, count: number): ReportBlock[] {
  const reports: ReportBlock[] = []
  for (let left = count; left > 0; left -= 1) {
    reports.push({
      ssrc: reader.readUint(4),
      fractionLost: reader.readUint(1),
      cumulativeLost: (reader.readUint(3) << 8) >> 8,
      highestSequenceNumber: reader.readUint(4),
      jitter: reader.readUint(4),
      lastSenderReport: reader.readUint(4),
      delaySinceLastSenderReport: reader.readUint(4),
    })
  }
  return reports
}

/** @returns the offset after them. */
export function writeReportBlocks(out: Buffer, offset: number, reports: readonly ReportBlock[]): number {
  let position = offset
  for (const report of reports) {
    position = out.writeUInt32BE(report.ssrc, position)
    position = out.writeUInt8(report.fractionLost, position)
    position = out.writeIntBE(report.cumulativeLost, position, 3)
    position = out.writeUInt32BE(report.highestSequenceNumber, position)
    position = out.writeUInt32BE(report.jitter, position)
    position = out.writeUInt32BE(report.lastSenderReport, position)
    position = out.writeUInt32BE(report.delaySinceLastSenderReport, position)
  }
  return position
}
