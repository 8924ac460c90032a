import type { AudioConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import type { RtpPacket } from '../packet.ts'
import { opusConfigOfChannels, opusFormatConfig } from './config.ts'

/** The stereo flag in the first byte of a packet (RFC 6716 3.1). */
const STEREO_FLAG = 0x04

/**
 * Reads Opus (RFC 7587), also of more than two channels, which Chromium calls `multiopus`. A payload is a packet. Senders
 * often do not announce that they send in stereo: the first packet in stereo makes the track one of two channels, and it
 * remains.
 */
export class OpusDepacketizer implements RtpDepacketizer {
  readonly codec = 'opus'
  #config: AudioConfig

  /** @throws {MalformedError} for `multiopus` without its layout of channels */
  constructor(format: RtpFormat) {
    this.#config = opusFormatConfig(format)
  }

  get config(): AudioConfig {
    return this.#config
  }

  push({ payload: data, timestamp }: RtpPacket): RtpFrame[] {
    if (data.length === 0) return []
    if (this.#config.channels > 1 || (data[0]! & STEREO_FLAG) === 0) return [{ timestamp, keyframe: true, data }]
    this.#config = opusConfigOfChannels(2)
    return [{ timestamp, keyframe: true, config: this.#config, data }]
  }
}
