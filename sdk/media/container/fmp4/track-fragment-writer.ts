import type { AccessUnit } from '../../access-unit.ts'
import { rescale } from '../../time/rescale.ts'
import type { Track } from '../../track.ts'
import { SAMPLE_FLAGS, type RunSample } from './boxes/track-run.ts'
import type { TrackSamples } from './fragment.ts'
import { frameSamplesOf } from './frame-samples.ts'
import { fmp4Timescale, fmp4TrackId, fmp4TrackOf, type Fmp4Track } from './carriage.ts'

/** Times of audio that lie no farther than this from where the frame before ends are taken to mean just that. */
export const FMP4_AUDIO_JITTER_MS = 10

/** Duration of the first picture, before there is a pace. */
const DEFAULT_PICTURE_MS = 40
/** A longer step is a pause, and not the pace that pictures come at. */
const MAX_PACE_MS = 1000
/** The largest value of the field; the fragment after a longer gap still has its own time. */
const MAX_DURATION_TICKS = 0xffff_ffff
/** The largest composition offset that its field holds, in either direction. */
const MAX_CTS_TICKS = 0x7fff_ffff

type PendingSample = { readonly data: Buffer; readonly flags: number; readonly dts: number; readonly cts: number }

/**
 * Collects units of one track and gives them as the samples of a fragment.
 *
 * Audio gets the exact duration of its frames: times that come in milliseconds, or jitter otherwise, are set right as
 * long as they stay within {@link FMP4_AUDIO_JITTER_MS}. Farther off, there is a gap or a shift, as the source has it.
 */
export class TrackFragmentWriter {
  /** Ticks a second of the times of the samples. */
  readonly timescale: number
  readonly #track: Fmp4Track
  readonly #frameSamples: ((frame: Buffer) => number | undefined) | undefined
  readonly #jitterTicks: number
  readonly #maxPaceTicks: number
  #pending: PendingSample[] = []
  #lastDts = -Infinity
  /** The end of the last frame of audio. */
  #expectedDts: number | undefined
  /** Step from picture to picture. */
  #paceTicks: number

  /** @throws {RangeError} for a track that `canCarryInFmp4` refuses. */
  constructor(track: Track) {
    const carried = fmp4TrackOf(track)
    this.#track = carried
    this.timescale = fmp4Timescale(carried)
    this.#frameSamples = carried.kind === 'audio' ? frameSamplesOf(carried) : undefined
    this.#jitterTicks = Math.ceil((FMP4_AUDIO_JITTER_MS * this.timescale) / 1000)
    this.#paceTicks = Math.ceil((DEFAULT_PICTURE_MS * this.timescale) / 1000)
    this.#maxPaceTicks = Math.ceil((MAX_PACE_MS * this.timescale) / 1000)
  }

  /**
   * Takes a unit of the track into the next fragment.
   * @throws {MalformedError} when it is of H.26x and cannot be cut into NAL units.
   */
  write(unit: AccessUnit): void {
    const { data, keyframe, track } = unit
    const isAudio = track.kind === 'audio'
    const dts = Math.max(this.#place(unit), this.#lastDts + 1)
    const cts = isAudio ? 0 : clampCts(rescale(unit.pts, track.timescale, this.timescale) - dts)
    const flags = isAudio || keyframe ? SAMPLE_FLAGS.sync : SAMPLE_FLAGS.dependent
    this.#pending.push({ data, flags, dts, cts })
    const samples = this.#frameSamples?.(data)
    this.#expectedDts = samples === undefined ? undefined : dts + samples
    if (dts - this.#lastDts <= this.#maxPaceTicks) this.#paceTicks = dts - this.#lastDts
    this.#lastDts = dts
  }

  /** Duration of a frame of audio by its samples; undefined for a frame that does not say, and for pictures. */
  toldSeconds(frame: Buffer): number | undefined {
    const samples = this.#frameSamples?.(frame)
    return samples === undefined ? undefined : samples / this.timescale
  }

  /**
   * Gives what was written since the last time; undefined when there is nothing.
   * @param next The unit that comes next, if it is known: the last sample ends where that begins. Without it, a picture
   * ends by the pace so far, and audio by its own length.
   */
  take(next?: AccessUnit): TrackSamples | undefined {
    const taken = this.#pending
    this.#pending = []
    return this.#samplesOf(taken, next)
  }

  /** Takes the units as {@link TrackFragmentWriter.take} does, save for the last unit: it stays, and the samples end where it begins. */
  takeAllButLast(): TrackSamples | undefined {
    const taken = this.#pending
    this.#pending = taken.splice(-1)
    return this.#samplesOf(taken, undefined)
  }

  /** No sample, but the time at which the track goes on: where its last sample ends, or that of a unit beside it. */
  position(beside: AccessUnit): TrackSamples {
    const isBegun = this.#lastDts > -Infinity
    const baseDts = isBegun ? this.#endOf(this.#lastDts) : rescale(beside.dts, beside.track.timescale, this.timescale)
    return { ...this.#identity, baseDts, samples: [], data: [] }
  }

  get #identity() {
    return { trackId: fmp4TrackId(this.#track), kind: this.#track.kind, timescale: this.timescale }
  }

  #samplesOf(taken: readonly PendingSample[], next: AccessUnit | undefined): TrackSamples | undefined {
    const [first] = taken
    if (!first) return undefined
    const endDts = this.#pending[0]?.dts ?? this.#endOf(taken.at(-1)!.dts, next)
    const samples: RunSample[] = []
    const data: Buffer[] = []
    for (const [index, sample] of taken.entries()) {
      const durationTicks = Math.min((taken[index + 1]?.dts ?? endDts) - sample.dts, MAX_DURATION_TICKS)
      samples.push({ durationTicks, sizeBytes: sample.data.length, flags: sample.flags, cts: sample.cts })
      data.push(sample.data)
    }
    return { ...this.#identity, baseDts: first.dts, samples, data }
  }

  #place({ dts, track }: AccessUnit): number {
    const told = rescale(dts, track.timescale, this.timescale)
    const expected = this.#expectedDts
    return expected !== undefined && Math.abs(told - expected) <= this.#jitterTicks ? expected : told
  }

  /** Returns the end of the last sample: the time of the next one, else by its own length, else by the pace so far. */
  #endOf(lastDts: number, next?: AccessUnit): number {
    const nextDts = next && this.#place(next)
    return nextDts !== undefined && nextDts > lastDts ? nextDts : (this.#expectedDts ?? lastDts + this.#paceTicks)
  }
}

function clampCts(ticks: number): number {
  return Math.min(Math.max(ticks, -MAX_CTS_TICKS), MAX_CTS_TICKS)
}
