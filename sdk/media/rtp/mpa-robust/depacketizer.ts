import { frameOfAdu } from '../../codec/mp3/adu.ts'
import { mp3Config } from '../../codec/mp3/config.ts'
import { parseMp3FrameHeader } from '../../codec/mp3/frame-header.ts'
import { MalformedError } from '../../errors.ts'
import type { AudioConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import { Fragments } from '../fragments.ts'
import type { RtpPacket } from '../packet.ts'

const CONTINUATION = 0x80
const TWO_BYTES = 0x40
const SHORT_SIZE = 0x3f
const LONG_SIZE = 0x3fff
const SYNC = 0x7ff
const SYNC_SHIFT = 21
const HEADER_SIZE_BYTES = 4

/** A frame that waits for those before it. */
type Interleaved = { readonly index: number; readonly frame: RtpFrame }

/**
 * Reads MP3 of `MPA-ROBUST` (RFC 5219), of which each packet can be decoded without the one before it. Each ADU frame gets
 * a frame of its own. Interleaved ones are put in order cycle by cycle: those of a cycle come when the next one begins.
 *
 *     continuation (1) | two bytes (1) | size of the ADU frame (6 or 14) | ADU frame, or a piece of it
 *
 * In place of its sync word an interleaved ADU frame has its index (8) and the count of cycles (3).
 */
export class MpaRobustDepacketizer implements RtpDepacketizer {
  readonly codec = 'mp3'
  readonly #clockRate: number
  readonly #fragments = new Fragments()
  #fragmentedSizeBytes = 0
  #cycle = 0
  /** The frames that wait, at most one for each index of 8 bits. */
  #waiting: Interleaved[] = []
  #config: AudioConfig | undefined

  constructor({ clockRate }: RtpFormat) {
    this.#clockRate = clockRate
  }

  get config(): AudioConfig | undefined {
    return this.#config
  }

  push({ payload, timestamp }: RtpPacket, follows: boolean): RtpFrame[] {
    if (!follows) this.#fragments.clear()
    try {
      return this.#readAdus(payload, timestamp)
    } catch (error) {
      this.#fragments.clear()
      throw error
    }
  }

  #readAdus(payload: Buffer, timestamp: number): RtpFrame[] {
    const frames: RtpFrame[] = []
    let first: number | undefined
    let count = 0
    for (let offset = 0; offset < payload.length; count += 1) {
      const descriptor = payload[offset]!
      const long = (descriptor & TWO_BYTES) !== 0
      if (long && offset + 1 === payload.length) throw new MalformedError(`ADU descriptor cut off at byte ${offset}`)
      const sizeBytes = long ? payload.readUInt16BE(offset) & LONG_SIZE : descriptor & SHORT_SIZE
      const start = offset + (long ? 2 : 1)
      const adu = this.#join(
        payload.subarray(start, start + sizeBytes),
        sizeBytes,
        (descriptor & CONTINUATION) !== 0,
        timestamp,
      )
      offset = start + sizeBytes
      if (!adu) continue
      const sync = syncOf(adu)
      first ??= sync
      // Frames of one packet are as far apart as their places in the cycle.
      const steps = sync === SYNC || (sync & 7) !== (first & 7) ? count : (sync >> 3) - (first >> 3)
      this.#addFrame(frames, adu, sync, timestamp, steps)
    }
    return frames
  }

  /** The whole ADU frame, once all pieces are there; each packet has one of them, and the size of the whole before it. */
  #join(data: Buffer, sizeBytes: number, continues: boolean, timestamp: number): Buffer | undefined {
    const fragments = this.#fragments
    if (!continues) {
      fragments.clear()
      if (data.length === sizeBytes) return data
      this.#fragmentedSizeBytes = sizeBytes
    } else if (fragments.sizeBytes === 0 || this.#fragmentedSizeBytes !== sizeBytes) {
      fragments.clear()
      return undefined
    }
    // The piece cannot be longer than the missing rest.
    fragments.add(data.subarray(0, sizeBytes - fragments.sizeBytes), timestamp)
    return fragments.sizeBytes === sizeBytes ? fragments.take() : undefined
  }

  #addFrame(frames: RtpFrame[], adu: Buffer, sync: number, timestamp: number, steps: number): void {
    const whole = sync === SYNC ? adu : withSync(adu)
    const data = frameOfAdu(whole)
    const { samplesPerFrame, sampleRate } = parseMp3FrameHeader(data)
    const ticks = Math.round((steps * samplesPerFrame * this.#clockRate) / sampleRate)
    const frame = this.#frameOf(data, (timestamp + ticks) >>> 0)
    if (sync === SYNC) {
      this.#flush(frames)
      frames.push(frame)
      return
    }
    const index = sync >> 3
    const cycle = sync & 7
    if (cycle !== this.#cycle) this.#flush(frames)
    this.#cycle = cycle
    if (!this.#waiting.some((waiting) => waiting.index === index)) this.#waiting.push({ index, frame })
  }

  #flush(frames: RtpFrame[]): void {
    if (this.#waiting.length === 0) return
    this.#waiting.sort((a, b) => a.index - b.index)
    for (const { frame } of this.#waiting) frames.push(frame)
    this.#waiting = []
  }

  #frameOf(data: Buffer, timestamp: number): RtpFrame {
    const config = mp3Config(data)
    const last = this.#config
    if (last?.sampleRate === config.sampleRate && last.channels === config.channels) {
      return { timestamp, keyframe: true, data }
    }
    this.#config = config
    return { timestamp, keyframe: true, config, data }
  }
}

function syncOf(adu: Buffer): number {
  if (adu.length < HEADER_SIZE_BYTES) throw new MalformedError(`ADU frame of ${adu.length} bytes`)
  return adu.readUInt32BE(0) >>> SYNC_SHIFT
}

function withSync(adu: Buffer): Buffer {
  const copy = Buffer.from(adu)
  copy[0] = 0xff
  copy[1]! |= 0xe0
  return copy
}
