import { MalformedError } from '../../errors.ts'
import type { AudioConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import type { RtpPacket } from '../packet.ts'
import { bytesPerTick, sampleBasedConfig } from './encoding.ts'
import type { SampleBasedCodec } from './encoding.ts'

const CODEC_BY_ENCODING = new Map<string, SampleBasedCodec>([
  ['PCMA', 'pcma'],
  ['PCMU', 'pcmu'],
  ['G722', 'g722'],
  ['L16', 'l16'],
])

/**
 * Reads G.711, G.722 and L16 (RFC 3551 4.5.2, 4.5.11, 4.5.14): the samples of a packet are a unit. For the payload types that
 * need no `rtpmap` (0, 8, 9, 10 and 11), the format has the values of theirs.
 */
export class SampleBasedDepacketizer implements RtpDepacketizer {
  readonly codec: SampleBasedCodec
  readonly config: AudioConfig
  readonly #bytesPerTick: number

  /** @throws {MalformedError} for a format of another encoding */
  constructor(format: RtpFormat) {
    const codec = CODEC_BY_ENCODING.get(format.encodingName)
    if (!codec) throw new MalformedError(`${format.encodingName} is no encoding of samples`)
    this.codec = codec
    this.config = sampleBasedConfig(codec, format)
    this.#bytesPerTick = bytesPerTick(codec, format.channels)
  }

  push({ payload, timestamp }: RtpPacket): RtpFrame[] {
    // A sample that was cut off would move all channels and bytes of those behind it.
    const sizeBytes = payload.length - (payload.length % this.#bytesPerTick)
    return sizeBytes === 0 ? [] : [{ timestamp, keyframe: true, data: payload.subarray(0, sizeBytes) }]
  }
}
