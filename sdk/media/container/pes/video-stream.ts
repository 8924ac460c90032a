import { AccessUnit } from '../../access-unit.ts'
import { H264_FRAMING_TYPES, h264NaluType, isH264RandomAccess } from '../../codec/h264/nalu-type.ts'
import { H265_FRAMING_TYPES, h265NaluType, isH265RandomAccess } from '../../codec/h265/nalu-type.ts'
import { splitAnnexB } from '../../codec/nalu.ts'
import { ParameterSets } from '../../codec/parameter-sets.ts'
import type { Track } from '../../track.ts'
import { modulo, PES_CLOCK_RANGE, PES_TIMESCALE } from './clock.ts'
import type { ElementaryStream, ElementaryStreamOptions } from './elementary-stream.ts'

const FRAMING_TYPES = { h264: H264_FRAMING_TYPES, h265: H265_FRAMING_TYPES } as const

/**
 * A stream of H.264 or H.265 in which each PES packet holds one access unit, as all encoders make it. Parameter sets
 * go to the track's configuration; in a unit only those stay that come new between keyframes.
 */
export class VideoStream implements ElementaryStream {
  readonly #options: ElementaryStreamOptions
  readonly #codec: 'h264' | 'h265'
  readonly #sets: ParameterSets
  #track: Track | undefined
  /** True when the sets have changed since the track was configured. */
  #stale = true
  #lastDts: number | undefined
  #lastStep = 0

  constructor(codec: 'h264' | 'h265', options: ElementaryStreamOptions) {
    this.#codec = codec
    this.#options = options
    this.#sets = new ParameterSets(codec)
  }

  write(data: Buffer, pts: number | undefined, dts: number | undefined): void {
    const decoding = this.#follow(dts ?? pts)
    const nalus = splitAnnexB(data)
    const keyframe = this.#codec === 'h264' ? isH264RandomAccess(nalus) : isH265RandomAccess(nalus)
    const kept = this.#takeSets(nalus, keyframe)
    if (kept.length === 0) return
    if (this.#stale && (keyframe || !this.#track)) this.#configure()
    if (!this.#track || decoding === undefined) return this.#options.onDrop()
    this.#options.sink.write(AccessUnit.fromNalus(this.#track, decoding, pts ?? decoding, keyframe, kept))
  }

  interrupt(): void {
    this.#lastDts = undefined
  }

  lost(): void {
    if (this.#track) this.#options.sink.lost(this.#track, 1)
  }

  end(): void {
    if (this.#track) this.#options.sink.removeTrack(this.#track)
  }

  /** The decoding time, which a packet may leave out when it goes on at the same pace. */
  #follow(given: number | undefined): number | undefined {
    const last = this.#lastDts
    const dts = given ?? (last === undefined ? undefined : modulo(last + this.#lastStep, PES_CLOCK_RANGE))
    if (dts !== undefined && last !== undefined) this.#lastStep = modulo(dts - last, PES_CLOCK_RANGE)
    return (this.#lastDts = dts)
  }

  /** Takes the parameter sets out of the NAL units, and returns those that the unit keeps. */
  #takeSets(nalus: readonly Buffer[], keyframe: boolean): Buffer[] {
    const typeOf = this.#codec === 'h264' ? h264NaluType : h265NaluType
    const sets: { type: number; nalu: Buffer }[] = []
    const kept: Buffer[] = []
    let media = false
    for (const nalu of nalus) {
      const type = typeOf(nalu)
      if (FRAMING_TYPES[this.#codec].has(type)) continue
      const isSet = this.#sets.isSet(type)
      if (isSet) sets.push({ type, nalu })
      else media = true
      if (!isSet || (!keyframe && !this.#sets.has(nalu))) kept.push(nalu)
    }
    if (this.#sets.update(sets)) this.#stale = true
    return media ? kept : []
  }

  #configure(): void {
    const config = this.#sets.config()
    if (!config) return
    this.#stale = false
    const { sink, terms, onTrack } = this.#options
    const common = { timescale: PES_TIMESCALE, config, ...terms }
    if (this.#track) this.#track = sink.configureTrack(this.#track, config)
    else {
      this.#track = sink.addTrack({ kind: 'video', codec: this.#codec, ...common })
      onTrack()
    }
  }
}
