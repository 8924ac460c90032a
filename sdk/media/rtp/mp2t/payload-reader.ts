import { TsDemuxer } from '../../container/mpegts/demuxer.ts'
import type { UnitSink } from '../../unit-sink.ts'
import type { RtpPacket } from '../packet.ts'
import type { RtpPayloadReader } from '../payload-reader.ts'

/**
 * Reads MPEG-2 TS with whole packets in its payloads (RFC 2250 2). It has several tracks, its own times of 33 bits, and
 * counters that show missing packets.
 */
export class TsPayloadReader implements RtpPayloadReader {
  readonly track = undefined
  readonly #demuxer: TsDemuxer

  constructor(sink: UnitSink) {
    this.#demuxer = new TsDemuxer(sink)
  }

  take({ payload }: RtpPacket): void {
    this.#demuxer.push(payload)
  }

  lost(): void {}

  report(): void {}
}
