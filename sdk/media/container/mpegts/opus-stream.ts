import { OPUS_SAMPLE_RATE, opusConfig } from '../../codec/opus/config.ts'
import { opusPacketDuration } from '../../codec/opus/packet-duration.ts'
import { AudioTrackWriter } from '../pes/audio-track.ts'
import type { ElementaryStream, ElementaryStreamOptions } from '../pes/elementary-stream.ts'
import { parseOpusControlHeader } from './opus-control-header.ts'

/** A stream of Opus: whole packets, each after a control header. */
export class OpusStream implements ElementaryStream {
  readonly #head: Buffer
  readonly #track: AudioTrackWriter

  /** @param head The OpusHead that the PMT stands for. */
  constructor(head: Buffer, options: ElementaryStreamOptions) {
    this.#head = head
    this.#track = new AudioTrackWriter('opus', options)
  }

  write(data: Buffer, pts: number | undefined): void {
    if (pts !== undefined) this.#track.moveTo(pts)
    for (let offset = 0; offset < data.length;) {
      const { headerSizeBytes, packetSizeBytes } = parseOpusControlHeader(data, offset)
      const start = offset + headerSizeBytes
      offset = start + packetSizeBytes
      const packet = data.subarray(start, offset)
      const samples = opusPacketDuration(packet)
      this.#track.configure('opus', () => opusConfig(this.#head))
      this.#track.write(packet, samples, OPUS_SAMPLE_RATE)
    }
  }

  interrupt(): void {
    this.#track.loseTime()
  }

  lost(): void {
    this.#track.lost()
  }

  end(): void {
    this.#track.end()
  }
}
