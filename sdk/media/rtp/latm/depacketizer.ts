import { parseAudioMuxElement } from '../../codec/aac/audio-mux-element.ts'
import { aacConfig } from '../../codec/aac/config.ts'
import { parseStreamMuxConfig } from '../../codec/aac/stream-mux-config.ts'
import type { StreamMuxConfig } from '../../codec/aac/stream-mux-config.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { AudioConfig } from '../../track.ts'
import { aacFrameTicks, guessedAacConfig, hexParameter } from '../aac/config.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import { Fragments } from '../fragments.ts'
import type { RtpPacket } from '../packet.ts'

/**
 * Reads AAC of `MP4A-LATM` (RFC 6416 6, RFC 3016 4): one AudioMuxElement a packet, or a piece of it. Its configuration is
 * in `config` of `fmtp`, or in the elements where `cpresent` is 1. With `cpresent=0` and without a `config` that can be
 * read, frames are taken for one an element of AAC-LC, of the clock rate.
 */
export class LatmDepacketizer implements RtpDepacketizer {
  readonly codec = 'aac'
  readonly #clockRate: number
  readonly #muxConfigPresent: boolean
  readonly #fragments = new Fragments()
  #mux: StreamMuxConfig | undefined
  #config: AudioConfig | undefined
  #frameTicks = 0
  #changed = false

  constructor(format: RtpFormat) {
    this.#clockRate = format.clockRate
    const bytes = hexParameter(format, 'config')
    const mux = tryParse(parseStreamMuxConfig, bytes)
    const config = mux && tryParse(aacConfig, mux.audioSpecificConfig)
    // The default is 1, but senders without configurations in their elements forget to state 0.
    const cpresent = format.parameters.get('cpresent')?.trim()
    this.#muxConfigPresent = cpresent === undefined ? config === undefined : cpresent !== '0'
    if (mux && config) this.#takeMux(mux, config)
    else if (!this.#muxConfigPresent) this.#guess(tryParse(aacConfig, bytes) ?? guessedAacConfig(format))
    this.#changed = false
  }

  get config(): AudioConfig | undefined {
    return this.#config
  }

  push({ payload, timestamp, marker }: RtpPacket, follows: boolean): RtpFrame[] {
    const fragments = this.#fragments
    if (!follows) fragments.clear()
    const frames: RtpFrame[] = []
    try {
      // The marker is at the end of an element, and some senders never set it.
      if (fragments.sizeBytes > 0 && fragments.timestamp !== timestamp) this.#finish(frames)
      fragments.add(payload, timestamp)
      if (marker) this.#finish(frames)
    } catch (error) {
      fragments.clear()
      throw error
    }
    return frames
  }

  #finish(frames: RtpFrame[]): void {
    const { timestamp } = this.#fragments
    const element = parseAudioMuxElement(this.#fragments.take(), this.#mux, this.#muxConfigPresent)
    if (!element) return
    if (element.mux !== this.#mux) this.#takeMux(element.mux, aacConfig(element.mux.audioSpecificConfig))
    for (const [index, data] of element.frames.entries()) {
      if (data.length > 0) frames.push(this.#frameOf(data, timestamp + Math.round(index * this.#frameTicks)))
    }
  }

  #frameOf(data: Buffer, time: number): RtpFrame {
    const timestamp = time >>> 0
    if (!this.#changed || !this.#config) return { timestamp, keyframe: true, data }
    this.#changed = false
    return { timestamp, keyframe: true, config: this.#config, data }
  }

  #takeMux(mux: StreamMuxConfig, config: AudioConfig): void {
    this.#mux = mux
    if (this.#config?.record.equals(config.record) === true) return
    this.#config = config
    this.#changed = true
    this.#frameTicks = aacFrameTicks(config, this.#clockRate)
  }

  #guess(config: AudioConfig): void {
    const mux = { audioSpecificConfig: config.record, subframeCount: 1, frameSizeBytes: undefined, otherDataBits: 0 }
    this.#takeMux(mux, config)
  }
}
