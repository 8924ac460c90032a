import { joinAnnexB, joinLengthPrefixed, splitAnnexB, splitLengthPrefixed } from './codec/nalu.ts'
import type { Track } from './track.ts'

/**
 * All data of one presentation time of one track.
 *
 * Ownership: the bytes given to the constructor are kept, not copied, and belong to the unit from then on; neither they nor a
 * unit that has been written may be changed. H.264 and H.265 units are kept in the form they arrived in; the other forms are
 * made on first use and kept, so that one conversion serves all.
 *
 * `ntpMs`, where the source states it, is the wall clock's time of capture that belongs to `pts`, in milliseconds since the
 * Unix epoch, for example by RTCP sender reports (RFC 3550 6.4.1).
 */
export class AccessUnit {
  readonly track: Track
  /** Decoding and presentation time in ticks of `track.timescale`; a publisher's `write` sets them to stream time. */
  dts: number
  pts: number
  /** A decoder can start here. Always true for audio and data. */
  readonly keyframe: boolean
  readonly ntpMs: number | undefined
  /**
   * The sum of all corrections of the track's times so far, in milliseconds: the source's clock is known better than when the
   * track began. The keeper of such a clock sets it before `write` (see `RtpClock`). A publisher tells by it a correction,
   * which it keeps, from a jump of the source, which it closes.
   */
  correctedMs = 0
  /** The unit that this one was made from by `at`, which keeps the bytes of both. */
  #origin: AccessUnit | undefined
  #data: Buffer | undefined
  #nalus: readonly Buffer[] | undefined
  #annexB: Buffer | undefined

  private constructor(track: Track, dts: number, pts: number, keyframe: boolean, ntpMs: number | undefined) {
    this.track = track
    this.dts = dts
    this.pts = pts
    this.keyframe = keyframe
    this.ntpMs = ntpMs
  }

  /**
   * Makes a unit of the codec's storage form: H.264 and H.265 as NAL units with 4-byte lengths, AV1 as OBUs with sizes
   * (no temporal delimiter), everything else as the codec defines its frame.
   */
  static fromData(track: Track, dts: number, pts: number, keyframe: boolean, data: Buffer, ntpMs?: number): AccessUnit {
    const unit = new AccessUnit(track, dts, pts, keyframe, ntpMs)
    unit.#data = data
    return unit
  }

  /** Makes a unit of NAL units without start codes or lengths. H.264 and H.265 only. */
  static fromNalus(
    track: Track,
    dts: number,
    pts: number,
    keyframe: boolean,
    nalus: readonly Buffer[],
    ntpMs?: number,
  ): AccessUnit {
    const unit = new AccessUnit(track, dts, pts, keyframe, ntpMs)
    unit.#nalus = nalus
    return unit
  }

  /** Makes a unit of a byte stream with start codes (Annex B). H.264 and H.265 only. */
  static fromAnnexB(
    track: Track,
    dts: number,
    pts: number,
    keyframe: boolean,
    annexB: Buffer,
    ntpMs?: number,
  ): AccessUnit {
    const unit = new AccessUnit(track, dts, pts, keyframe, ntpMs)
    unit.#annexB = annexB
    return unit
  }

  /** `dts` in milliseconds, not rounded. */
  get dtsMs(): number {
    // Multiplied first: 1023 / 1000 * 1000 is less than 1023.
    return (this.dts * 1000) / this.track.timescale
  }

  /**
   * The same bytes as a unit of another track of the same codec, or at other times: nothing is copied, and a form that one
   * of the two has made serves the other as well.
   */
  at(track: Track, dts: number, pts: number): AccessUnit {
    const unit = new AccessUnit(track, dts, pts, this.keyframe, this.ntpMs)
    unit.#origin = this.#origin ?? this
    unit.correctedMs = this.correctedMs
    return unit
  }

  /** Size of the unit in the form it arrived in. */
  get sizeBytes(): number {
    if (this.#origin !== undefined) return this.#origin.sizeBytes
    const whole = this.#data ?? this.#annexB
    if (whole !== undefined) return whole.length
    let sizeBytes = 0
    for (const nalu of this.nalus) sizeBytes += nalu.length
    return sizeBytes
  }

  /** The storage form, see {@link AccessUnit.fromData}. */
  get data(): Buffer {
    if (this.#origin !== undefined) return this.#origin.data
    return (this.#data ??= joinLengthPrefixed(this.nalus))
  }

  /**
   * The NAL units as views into the bytes that arrived.
   * @throws {MalformedError} when lengths point outside the unit.
   */
  get nalus(): readonly Buffer[] {
    if (this.#origin !== undefined) return this.#origin.nalus
    return (this.#nalus ??= this.#data ? splitLengthPrefixed(this.#data) : splitAnnexB(this.#annexB!))
  }

  /** The NAL units with 4-byte start codes. */
  get annexB(): Buffer {
    if (this.#origin !== undefined) return this.#origin.annexB
    return (this.#annexB ??= joinAnnexB(this.nalus))
  }
}
