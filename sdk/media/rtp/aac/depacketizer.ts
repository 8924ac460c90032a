import { MalformedError } from '../../errors.ts'
import { parseAdtsHeader } from '../../codec/aac/adts.ts'
import type { AdtsHeader } from '../../codec/aac/adts.ts'
import { aacConfig, aacConfigFromAdts } from '../../codec/aac/config.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { AudioConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import { Fragments } from '../fragments.ts'
import type { RtpPacket } from '../packet.ts'
import { auHeaderLayout, readAuHeaders } from './au-headers.ts'
import type { AuHeaderLayout } from './au-headers.ts'
import { aacFrameTicks, guessedAacConfig, hexParameter } from './config.ts'

/** One minute of the fastest clocks. */
const MAX_CONSTANT_DURATION = 60 * 96_000

/**
 * Reads AAC of `mpeg4-generic`, of the modes AAC-hbr and AAC-lbr (RFC 3640), and what cameras make of it: without `config`
 * it is taken for AAC-LC of the clock rate, and ADTS headers before frames are taken off. Interleaved access units are
 * refused.
 */
export class AacDepacketizer implements RtpDepacketizer {
  readonly codec = 'aac'
  readonly #clockRate: number
  readonly #layout: AuHeaderLayout
  readonly #constantDuration: number
  readonly #fragments = new Fragments()
  /** The size of the access unit that the pieces are of, by its first header. */
  #fragmentedSizeBytes = 0
  #config: AudioConfig
  /** The configuration is only a guess, and a frame can show another. */
  #guessed: boolean
  #changed = false
  #frameTicks: number

  constructor(format: RtpFormat) {
    this.#clockRate = format.clockRate
    this.#layout = auHeaderLayout(format)
    const duration = Number.parseInt(format.parameters.get('constantduration') ?? '', 10)
    this.#constantDuration = duration > 0 && duration <= MAX_CONSTANT_DURATION ? duration : 0
    const config = tryParse(aacConfig, hexParameter(format, 'config'))
    this.#guessed = config === undefined
    this.#config = config ?? guessedAacConfig(format)
    this.#frameTicks = this.#ticksOf(this.#config)
  }

  get config(): AudioConfig {
    return this.#config
  }

  push({ payload, timestamp, marker }: RtpPacket, follows: boolean): RtpFrame[] {
    if (!follows) this.#fragments.clear()
    const frames: RtpFrame[] = []
    // Pieces of an access unit have one time; a whole one without marker was kept as if it were the first.
    if (this.#fragments.sizeBytes > 0 && this.#fragments.timestamp !== timestamp) this.#finish(frames)
    try {
      const { sizes, offset } = readAuHeaders(payload, this.#layout)
      if (sizes.length === 1) this.#pushSingle(frames, payload.subarray(offset), sizes[0]!, timestamp, marker)
      else this.#pushSeveral(frames, payload, offset, sizes, timestamp)
    } catch (error) {
      this.#fragments.clear()
      throw error
    }
    return frames
  }

  #pushSeveral(frames: RtpFrame[], payload: Buffer, start: number, sizes: readonly number[], timestamp: number): void {
    this.#fragments.clear()
    let offset = start
    for (const [index, size] of sizes.entries()) {
      const end = offset + size
      if (end > payload.length)
        throw new MalformedError(`access unit of ${size} bytes ends at ${end} of ${payload.length}`)
      this.#add(frames, payload.subarray(offset, end), timestamp + Math.round(index * this.#frameTicks))
      offset = end
    }
  }

  /**
   * Takes the only access unit of a packet, or a piece of it. Each piece has the size of the whole before it, but some
   * senders (gortsplib) write its own: a piece without a marker is kept until the next packet shows whether it goes on.
   */
  #pushSingle(frames: RtpFrame[], rest: Buffer, size: number, timestamp: number, marker: boolean): void {
    const fragments = this.#fragments
    const data = rest.subarray(0, size)
    if (fragments.sizeBytes === 0) {
      if (marker && data.length === size) {
        this.#add(frames, data, timestamp)
        return
      }
      this.#fragmentedSizeBytes = size
    }
    fragments.add(data, timestamp)
    if (marker || (size > data.length && fragments.sizeBytes >= size)) this.#finish(frames)
  }

  /** Ends the access unit that was put together; it is given up when a piece is missing. */
  #finish(frames: RtpFrame[]): void {
    const { sizeBytes, timestamp } = this.#fragments
    if (sizeBytes >= this.#fragmentedSizeBytes) this.#add(frames, this.#fragments.take(), timestamp)
    else this.#fragments.clear()
  }

  #add(frames: RtpFrame[], unit: Buffer, timestamp: number): void {
    const header = adtsHeaderOf(unit)
    const data = header ? unit.subarray(header.headerSizeBytes) : unit
    if (data.length === 0) return
    if (header && this.#guessed) this.#takeConfig(aacConfigFromAdts(header))
    if (this.#changed) frames.push({ timestamp: timestamp >>> 0, keyframe: true, config: this.#config, data })
    else frames.push({ timestamp: timestamp >>> 0, keyframe: true, data })
    this.#changed = false
  }

  #takeConfig(config: AudioConfig): void {
    this.#guessed = false
    if (config.record.equals(this.#config.record)) return
    this.#config = config
    this.#changed = true
    this.#frameTicks = this.#ticksOf(config)
  }

  #ticksOf(config: AudioConfig): number {
    return this.#constantDuration || aacFrameTicks(config, this.#clockRate)
  }
}

/** The ADTS header of a unit that is nothing else than a frame of ADTS: raw frames do not begin with its sync word. */
function adtsHeaderOf(unit: Buffer): AdtsHeader | undefined {
  if (unit[0] !== 0xff || (unit[1]! & 0xf0) !== 0xf0) return undefined
  const header = tryParse(parseAdtsHeader, unit)
  return header?.frameSizeBytes === unit.length && header.channelConfiguration > 0 ? header : undefined
}
