import { PsDemuxer } from '../../container/mpegps/demuxer.ts'
import type { UnitSink } from '../../unit-sink.ts'
import type { RtpPacket } from '../packet.ts'
import type { RtpPayloadReader } from '../payload-reader.ts'

/** The static payload types of G.711 (RFC 3551 6). */
const G711_BY_PAYLOAD_TYPE: ReadonlyMap<number, 'pcma' | 'pcmu'> = new Map([
  [0, 'pcmu'],
  [8, 'pcma'],
])

/**
 * Reads an MPEG program stream in payloads, cut anywhere, as devices of GB/T 28181 send it (payload type 96, `PS/90000`). It has
 * several tracks, and its own times of 33 bits. The marker is on the last packet of a picture, where senders are right. Packets of
 * G.711 may come among those of the stream, with its SSRC and their own payload type.
 */
export class PsPayloadReader implements RtpPayloadReader {
  readonly track = undefined
  readonly demuxer: PsDemuxer

  constructor(sink: UnitSink) {
    this.demuxer = new PsDemuxer(sink)
  }

  take({ payload, payloadType, marker }: RtpPacket): void {
    const codec = G711_BY_PAYLOAD_TYPE.get(payloadType)
    if (codec !== undefined) return this.demuxer.soundBeside(codec, payload)
    this.demuxer.push(payload)
    if (marker) this.demuxer.unitEnds()
  }

  lost(): void {
    this.demuxer.lost()
  }

  report(): void {}
}
