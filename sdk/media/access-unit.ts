import { joinAnnexB, joinLengthPrefixed, splitAnnexB, splitLengthPrefixed } from './codec/nalu.ts'
import type { Track } from './track.ts'

/**
 * All data of one presentation time of one track.
 *
 * Ownership: the bytes given to the constructor are kept, not copied, and belong to the unit from then on; nobody
 * changes them, or a unit that has been written. H.264 and H.265 units are kept in the form they arrived in; the
 * other forms are made on first use and kept, so that one conversion serves all.
 */
export class AccessUnit {
  readonly track: Track
  /** Decoding and presentation time in ticks of `track.timescale`; a publisher's `write` sets them to stream time. */
  dts: number
  pts: number
  /** A decoder can start here. Always true for audio. */
  readonly keyframe: boolean
  #data: Buffer | undefined
  #nalus: readonly Buffer[] | undefined
  #annexB: Buffer | undefined

  private constructor(track: Track, dts: number, pts: number, keyframe: boolean) {
    this.track = track
    this.dts = dts
    this.pts = pts
    this.keyframe = keyframe
  }

  /**
   * Makes a unit of the codec's storage form: H.264 and H.265 as NAL units with 4-byte lengths, AV1 as OBUs with sizes
   * (no temporal delimiter), everything else as the codec defines its frame.
   */
  static fromData(track: Track, dts: number, pts: number, keyframe: boolean, data: Buffer): AccessUnit {
    const unit = new AccessUnit(track, dts, pts, keyframe)
    unit.#data = data
    return unit
  }

  /** Makes a unit of NAL units without start codes or lengths. H.264 and H.265 only. */
  static fromNalus(track: Track, dts: number, pts: number, keyframe: boolean, nalus: readonly Buffer[]): AccessUnit {
    const unit = new AccessUnit(track, dts, pts, keyframe)
    unit.#nalus = nalus
    return unit
  }

  /** Makes a unit of a byte stream with start codes (Annex B). H.264 and H.265 only. */
  static fromAnnexB(track: Track, dts: number, pts: number, keyframe: boolean, annexB: Buffer): AccessUnit {
    const unit = new AccessUnit(track, dts, pts, keyframe)
    unit.#annexB = annexB
    return unit
  }

  /** Size of the unit in the form it arrived in. */
  get sizeBytes(): number {
    const whole = this.#data ?? this.#annexB
    if (whole !== undefined) return whole.length
    let sizeBytes = 0
    for (const nalu of this.nalus) sizeBytes += nalu.length
    return sizeBytes
  }

  /** The storage form, see {@link AccessUnit.fromData}. */
  get data(): Buffer {
    return (this.#data ??= joinLengthPrefixed(this.nalus))
  }

  /**
   * The NAL units as views into the bytes that arrived.
   * @throws {MalformedError} when lengths point outside the unit.
   */
  get nalus(): readonly Buffer[] {
    return (this.#nalus ??= this.#data ? splitLengthPrefixed(this.#data) : splitAnnexB(this.#annexB!))
  }

  /** The NAL units with 4-byte start codes. */
  get annexB(): Buffer {
    return (this.#annexB ??= joinAnnexB(this.nalus))
  }
}
