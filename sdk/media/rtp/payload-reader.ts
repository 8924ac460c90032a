import type { Track } from '../track.ts'
import type { RtpPacket } from './packet.ts'
import type { SenderReport } from './rtcp/sender-report.ts'

/** Makes tracks and units of the packets of one RTP stream. */
export interface RtpPayloadReader {
  /** The track, once its configuration is known; always undefined for what holds several. */
  readonly track: Track | undefined
  /**
   * Takes the next packet in order.
   * @param follows false where packets are missing before it
   * @param nowMs when it came, or was let go
   * @throws {MalformedError} when its payload is broken; it can go on with the next one
   */
  take(packet: RtpPacket, follows: boolean, nowMs: number): void
  /** Notes that a unit at least is missing, or broken: called before the next packet, or after one that was broken. */
  lost(): void
  /** Takes a report of the source, which has the time of its wall clock. */
  report(report: SenderReport): void
}
