import { mp3Config } from '../../codec/mp3/config.ts'
import { parseMp3FrameHeader } from '../../codec/mp3/frame-header.ts'
import type { Mp3FrameHeader } from '../../codec/mp3/frame-header.ts'
import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import type { AudioConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import { Fragments } from '../fragments.ts'
import type { RtpPacket } from '../packet.ts'

/** Zeros (16) and the place of the payload within its frame (16) (RFC 2250 3.5). */
const HEADER_SIZE_BYTES = 4
const OFFSET_AT = 2

/**
 * Reads MPEG audio of `MPA` (RFC 2250 3.5), the payload type 14: whole frames, or pieces of one. The frames contain their
 * configuration: there is none before the first, and the codec is `mp2` once frames of layer I or II have come.
 */
export class MpaDepacketizer implements RtpDepacketizer {
  readonly #clockRate: number
  readonly #fragments = new Fragments()
  /** The header of the frame that the pieces are of. */
  #fragmented: Mp3FrameHeader | undefined
  #last: Mp3FrameHeader | undefined
  #config: AudioConfig | undefined

  constructor({ clockRate }: RtpFormat) {
    this.#clockRate = clockRate
  }

  get codec(): 'mp3' | 'mp2' {
    return this.#last === undefined || this.#last.layer === 3 ? 'mp3' : 'mp2'
  }

  get config(): AudioConfig | undefined {
    return this.#config
  }

  push({ payload, timestamp }: RtpPacket, follows: boolean): RtpFrame[] {
    if (!follows) this.#fragments.clear()
    if (payload.length <= HEADER_SIZE_BYTES) {
      this.#fragments.clear()
      throw new MalformedError(`MPEG audio payload of ${payload.length} bytes`)
    }
    const offset = payload.readUInt16BE(OFFSET_AT)
    const data = payload.subarray(HEADER_SIZE_BYTES)
    return offset === 0 ? this.#readFrames(data, timestamp) : this.#readFragment(data, offset, timestamp)
  }

  #readFrames(data: Buffer, start: number): RtpFrame[] {
    this.#fragments.clear()
    const frames: RtpFrame[] = []
    let timestamp = start
    for (let rest = data; rest.length > 0;) {
      // Bytes after a frame that are no frame are padding; a payload has to begin with a frame.
      const header = frames.length === 0 ? parseMp3FrameHeader(rest) : tryParse(parseMp3FrameHeader, rest)
      if (!header) return frames
      if (header.sizeBytes > rest.length) {
        this.#fragmented = header
        this.#fragments.add(rest, Math.round(timestamp) >>> 0)
        return frames
      }
      frames.push(this.#frameOf(header, rest.subarray(0, header.sizeBytes), Math.round(timestamp) >>> 0))
      rest = rest.subarray(header.sizeBytes)
      timestamp += (header.samplesPerFrame * this.#clockRate) / header.sampleRate
    }
    return frames
  }

  #readFragment(data: Buffer, offset: number, timestamp: number): RtpFrame[] {
    const fragments = this.#fragments
    // Otherwise a piece before this one is missing.
    if (!this.#fragmented || fragments.sizeBytes !== offset) {
      fragments.clear()
      return []
    }
    fragments.add(data, timestamp)
    const { sizeBytes } = this.#fragmented
    if (fragments.sizeBytes < sizeBytes) return []
    const time = fragments.timestamp
    return [this.#frameOf(this.#fragmented, fragments.take().subarray(0, sizeBytes), time)]
  }

  #frameOf(header: Mp3FrameHeader, data: Buffer, timestamp: number): RtpFrame {
    const last = this.#last
    const { version, layer, sampleRate, channels } = header
    if (
      last?.version === version &&
      last.layer === layer &&
      last.sampleRate === sampleRate &&
      last.channels === channels
    ) {
      return { timestamp, keyframe: true, data }
    }
    this.#last = header
    this.#config = mp3Config(data)
    return { timestamp, keyframe: true, config: this.#config, data }
  }
}
