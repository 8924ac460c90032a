import type { AccessUnit } from '../../access-unit.ts'
import { rescale } from '../../time/rescale.ts'
import type { Track } from '../../track.ts'
import { serializeFragment } from './fragment.ts'
import type { FragmentRun, FragmentSample } from './fragment.ts'
import { frameSamplesOf } from './frame-samples.ts'
import { canCarryInFmp4, fmp4Timescale, fmp4TrackId } from './init-segment.ts'

/** Times of audio that lie no farther than this from where the frame before ends are taken to mean just that. */
export const FMP4_AUDIO_JITTER_MS = 10

/** How long a picture lasts when nothing else tells it. */
const DEFAULT_PICTURE_MS = 40
/** A longer step is a pause, and not the pace that pictures come at. */
const MAX_PACE_MS = 1000

/** A movie fragment: `moof` and `mdat`. */
export type Fragment = {
  readonly data: Buffer
  /** Decoding time of the first sample and sum of the durations, of video or, without, of the first audio in it. */
  readonly startSeconds: number
  readonly durationSeconds: number
  /** A decoder can start here: it begins with a keyframe, or the stream has audio alone. */
  readonly independent: boolean
}

/**
 * Collects units of one or more tracks and makes fragments of them, of any length down to one frame. They belong to
 * the init segment of the same tracks; a changed configuration needs another of both.
 *
 * Audio gets the exact duration of its frames: times that come in milliseconds, or jitter otherwise, are set right as
 * long as they stay within {@link FMP4_AUDIO_JITTER_MS}; where they don't, there is a gap or a shift, as the source has it.
 */
export class FragmentWriter {
  readonly #runs = new Map<Track, TrackRun>()
  /** The one that fragments are cut by. */
  readonly #main: Track | undefined
  #sequenceNumber = 0

  /** @throws {RangeError} for a track that `canCarryInFmp4` refuses. */
  constructor(tracks: readonly Track[]) {
    for (const track of tracks) {
      if (!canCarryInFmp4(track)) throw new RangeError(`fMP4 cannot carry this track of ${track.codec}`)
      this.#runs.set(track, new TrackRun(track))
    }
    this.#main = tracks.find(({ kind }) => kind === 'video') ?? tracks[0]
  }

  /**
   * Takes a unit into the next fragment.
   * @throws {RangeError} for a unit of another track.
   * @throws {MalformedError} when it is of H.26x and cannot be cut into NAL units.
   */
  write(unit: AccessUnit): void {
    const run = this.#runs.get(unit.track)
    if (!run) throw new RangeError(`fMP4 was not begun with this track of ${unit.track.codec}`)
    run.write(unit)
  }

  /** How long a unit tells that it lasts: most sound does, by its samples; undefined for what does not. */
  toldSeconds({ track, data }: AccessUnit): number | undefined {
    return this.#runs.get(track)?.toldSeconds(data)
  }

  /**
   * Makes a fragment of what was written since the last.
   * @param next The unit that comes next, if any: it ends the last one of its track. Sound beside pictures leaves its
   * last one to the next fragment otherwise, where it ends as its successor begins. Were there a gap between them,
   * players would show no pictures until the next keyframe (MSE, coded frame processing). Where nothing ends the last
   * one, pictures are taken to come on at their pace.
   * @returns null when there is nothing to take.
   * @throws {RangeError} when a time is below 0.
   */
  flush(next?: AccessUnit): Fragment | null {
    const parts: { run: FragmentRun; timescale: number }[] = []
    for (const [track, pending] of this.#runs) {
      const isNext = next?.track === track
      const leavesLast = next !== undefined && !isNext && track !== this.#main
      const run = pending.take(leavesLast, isNext ? next : undefined)
      if (run) parts.push({ run, timescale: fmp4Timescale(track) })
    }
    const main = parts.find(({ run }) => run.kind === 'video') ?? parts[0]
    if (!main) return null
    this.#sequenceNumber += 1
    const { run, timescale } = main
    const data = serializeFragment(
      this.#sequenceNumber,
      parts.map((part) => part.run),
    )
    return {
      data,
      startSeconds: run.baseDts / timescale,
      durationSeconds: run.samples.reduce((sum, { durationTicks }) => sum + durationTicks, 0) / timescale,
      independent: this.#main?.kind === 'audio' || (run.kind === 'video' && run.samples[0]!.keyframe),
    }
  }
}

type PendingSample = Omit<FragmentSample, 'durationTicks'> & { readonly dts: number }

/** The samples of one track that wait for their fragment. */
class TrackRun {
  readonly #track: Track
  readonly #timescale: number
  readonly #frameSamples: ((frame: Buffer) => number | undefined) | undefined
  readonly #jitterTicks: number
  #samples: PendingSample[] = []
  #lastDts = -Infinity
  /** Where the last frame of audio ends. */
  #expectedDts: number | undefined
  /** From frame to frame. */
  #paceTicks: number
  readonly #maxPaceTicks: number

  constructor(track: Track) {
    this.#track = track
    this.#timescale = fmp4Timescale(track)
    this.#frameSamples = track.kind === 'audio' ? frameSamplesOf(track) : undefined
    this.#jitterTicks = Math.ceil((FMP4_AUDIO_JITTER_MS * this.#timescale) / 1000)
    this.#paceTicks = Math.ceil((DEFAULT_PICTURE_MS * this.#timescale) / 1000)
    this.#maxPaceTicks = Math.ceil((MAX_PACE_MS * this.#timescale) / 1000)
  }

  write(unit: AccessUnit): void {
    const { data, keyframe } = unit
    const dts = Math.max(this.#place(unit), this.#lastDts + 1)
    const cts = unit.track.kind === 'audio' ? 0 : unit.pts - dts
    this.#samples.push({ data, keyframe, dts, cts })
    const samples = this.#frameSamples?.(data)
    this.#expectedDts = samples === undefined ? undefined : dts + samples
    if (dts - this.#lastDts <= this.#maxPaceTicks) this.#paceTicks = dts - this.#lastDts
    this.#lastDts = dts
  }

  toldSeconds(frame: Buffer): number | undefined {
    const samples = this.#frameSamples?.(frame)
    return samples === undefined ? undefined : samples / this.#timescale
  }

  take(leavesLast: boolean, next: AccessUnit | undefined): FragmentRun | undefined {
    const taken = this.#samples
    this.#samples = leavesLast ? taken.splice(-1) : []
    const [first] = taken
    if (!first) return undefined
    const endDts = this.#samples[0]?.dts ?? this.#endOf(taken.at(-1)!.dts, next)
    const samples = taken.map(({ data, keyframe, cts, dts }, index) => {
      return { data, keyframe, cts, durationTicks: (taken[index + 1]?.dts ?? endDts) - dts }
    })
    return { trackId: fmp4TrackId(this.#track), kind: this.#track.kind, baseDts: first.dts, samples }
  }

  #place({ dts, track }: AccessUnit): number {
    const told = rescale(dts, track.timescale, this.#timescale)
    const expected = this.#expectedDts
    return expected !== undefined && Math.abs(told - expected) <= this.#jitterTicks ? expected : told
  }

  /** Where the last sample ends: at the next one, else by its own length, else by the pace so far. */
  #endOf(lastDts: number, next: AccessUnit | undefined): number {
    const nextDts = next && this.#place(next)
    return nextDts !== undefined && nextDts > lastDts ? nextDts : (this.#expectedDts ?? lastDts + this.#paceTicks)
  }
}
