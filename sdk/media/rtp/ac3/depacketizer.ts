import { ac3Config } from '../../codec/ac3/config.ts'
import { parseAc3SyncFrame } from '../../codec/ac3/sync-frame.ts'
import type { Ac3SyncFrame } from '../../codec/ac3/sync-frame.ts'
import { MalformedError } from '../../errors.ts'
import type { AudioConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import { Fragments } from '../fragments.ts'
import type { RtpPacket } from '../packet.ts'
import { AC3_FRAME_TYPE, AC3_HEADER_SIZE_BYTES, splitAc3Frames } from './frames.ts'
import type { Ac3Codec } from './frames.ts'

/**
 * Reads AC-3 (RFC 4184) and E-AC-3 (RFC 4598): whole frames, or pieces of one. Frames of E-AC-3 that add channels to the one
 * before them in a packet belong to its unit. The frames contain their configuration: there is none before the first.
 */
export class Ac3Depacketizer implements RtpDepacketizer {
  readonly codec: Ac3Codec
  readonly #clockRate: number
  readonly #fragments = new Fragments()
  /** Size of the frame that the pieces are of. */
  #fragmentedSizeBytes = 0
  #config: AudioConfig | undefined

  /** @param format of the encoding `AC3` or `EAC3` */
  constructor({ encodingName, clockRate }: RtpFormat) {
    this.codec = encodingName === 'EAC3' ? 'eac3' : 'ac3'
    this.#clockRate = clockRate
  }

  get config(): AudioConfig | undefined {
    return this.#config
  }

  push({ payload, timestamp }: RtpPacket, follows: boolean): RtpFrame[] {
    if (!follows) this.#fragments.clear()
    try {
      if (payload.length <= AC3_HEADER_SIZE_BYTES) throw new MalformedError(`AC-3 payload of ${payload.length} bytes`)
      const data = payload.subarray(AC3_HEADER_SIZE_BYTES)
      const type = payload[0]! & (this.codec === 'ac3' ? 3 : 1)
      if (type === AC3_FRAME_TYPE.WHOLE) return this.#readFrames(data, timestamp)
      return this.#readFragment(data, type, timestamp)
    } catch (error) {
      this.#fragments.clear()
      throw error
    }
  }

  #readFrames(bytes: Buffer, start: number): RtpFrame[] {
    this.#fragments.clear()
    const frames: RtpFrame[] = []
    const found = splitAc3Frames(bytes)
    let timestamp = start
    for (let index = 0; index < found.length;) {
      const { sync, data } = found[index]!
      let sizeBytes = data.length
      for (index += 1; index < found.length && addsChannels(found[index]!.sync); index += 1) {
        sizeBytes += found[index]!.data.length
      }
      const unit = bytes.subarray(0, sizeBytes)
      bytes = bytes.subarray(sizeBytes)
      frames.push(this.#frameOf(sync, unit, Math.round(timestamp) >>> 0))
      timestamp += (sync.samplesPerFrame * this.#clockRate) / sync.sampleRate
    }
    return frames
  }

  #readFragment(data: Buffer, type: number, timestamp: number): RtpFrame[] {
    const fragments = this.#fragments
    const begun = fragments.sizeBytes > 0 && fragments.timestamp === timestamp
    if (this.codec === 'ac3' ? type !== AC3_FRAME_TYPE.OTHER : !begun) {
      fragments.clear()
      this.#fragmentedSizeBytes = parseAc3SyncFrame(data).sizeBytes
    } else if (!begun) {
      // The first piece is missing.
      fragments.clear()
      return []
    }
    fragments.add(data, timestamp)
    if (fragments.sizeBytes < this.#fragmentedSizeBytes) return []
    const frame = fragments.take().subarray(0, this.#fragmentedSizeBytes)
    return [this.#frameOf(parseAc3SyncFrame(frame), frame, timestamp)]
  }

  #frameOf(sync: Ac3SyncFrame, data: Buffer, timestamp: number): RtpFrame {
    const { sampleRate, channels } = sync
    const same = this.#config?.sampleRate === sampleRate && this.#config.channels === channels
    if (same || addsChannels(sync)) {
      return { timestamp, keyframe: true, data }
    }
    this.#config = ac3Config(this.codec, data)
    return { timestamp, keyframe: true, config: this.#config, data }
  }
}

function addsChannels({ independent, substreamId }: Ac3SyncFrame): boolean {
  return !independent || substreamId > 0
}
