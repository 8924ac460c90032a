import { AccessUnit } from '../../../access-unit.ts'
import { mainTracks, type MediaTrack, type Track } from '../../../track.ts'
import { canCarryInFmp4, type Fmp4Track } from '../carriage.ts'
import type { TrackSamples } from '../fragment.ts'
import { createInitSegment } from '../init-segment.ts'
import { TrackFragmentWriter } from '../track-fragment-writer.ts'
import { PictureTimes } from './picture-times.ts'
import { SoundTimes } from './sound-times.ts'

const NO_DATA = Buffer.alloc(0)
/** Ids by kind, so that they stay when another publisher declares its tracks in another order. */
const ID = { video: 0, audio: 1 } as const

/** The tracks of a stream that `FMP4_FORMAT` carries, pictures first: at most one of each kind. */
export function liveFmp4Tracks(tracks: readonly Track[]): Fmp4Track[] {
  return mainTracks(tracks).filter(isPlayable)
}

/** Returns true when players of fMP4 take a track. G.711 is left out: MP4 has it for QuickTime alone. */
function isPlayable(track: MediaTrack): track is Fmp4Track {
  return track.codec !== 'pcma' && track.codec !== 'pcmu' && canCarryInFmp4(track)
}

/** A track of one configuration as fMP4 has it, and the samples of its units, each for a fragment of its own. */
export class CarriedTrack {
  readonly track: Fmp4Track
  readonly #writer: TrackFragmentWriter
  readonly #pictureTimes: PictureTimes | undefined
  readonly #soundTimes: SoundTimes

  /** @param former The track that it replaces in another muxer; its sound goes on after that track's without an overlap. */
  constructor(track: Fmp4Track, former?: CarriedTrack) {
    this.track = { ...track, id: ID[track.kind] }
    this.#writer = new TrackFragmentWriter(this.track)
    this.#pictureTimes = track.kind === 'video' ? new PictureTimes(track.timescale) : undefined
    const followed = former?.matches(track) === true ? former.#soundTimes : undefined
    this.#soundTimes = new SoundTimes(({ data }) => this.#writer.toldSeconds(data), followed)
  }

  /** Returns true when a track is the same to a decoder; the tracks of another publisher are other objects. */
  matches(other: Track): boolean {
    const { track } = this
    if (other.codec !== track.codec || other.timescale !== track.timescale) return false
    return createInitSegment([{ ...other, id: track.id }]).equals(createInitSegment([track]))
  }

  /**
   * Gives the samples of a unit of this track, or of one that took its place: one, and before sound those that fill a
   * gap; undefined for sound that is too much for its time.
   */
  samples(unit: AccessUnit): TrackSamples | undefined {
    const times = this.#pictureTimes
    return times ? this.#pictureSamples(unit, times) : this.#soundSamples(unit)
  }

  /** Gives no sample, but the time at which this track goes on beside a unit of another. */
  position(beside: AccessUnit): TrackSamples {
    return this.#writer.position(beside)
  }

  #pictureSamples({ dts, pts, keyframe, data }: AccessUnit, times: PictureTimes): TrackSamples | undefined {
    const { track } = this
    const time = times.next(dts)
    this.#writer.write(AccessUnit.fromData(track, time.dts, pts, keyframe, data))
    // A unit in place of the next picture sets the duration of this one.
    const endDts = time.dts + time.durationTicks
    return this.#writer.take(AccessUnit.fromData(track, endDts, endDts, false, NO_DATA))
  }

  #soundSamples({ dts, pts, data }: AccessUnit): TrackSamples | undefined {
    const unit = AccessUnit.fromData(this.track, dts, pts, true, data)
    for (const each of this.#soundTimes.next(unit)) this.#writer.write(each)
    const taken = this.#writer.take()
    if (taken !== undefined) this.#soundTimes.sent(unit, endSecondsOf(taken))
    return taken
  }
}

function endSecondsOf({ baseDts, samples, timescale }: TrackSamples): number {
  let endDts = baseDts
  for (const { durationTicks } of samples) endDts += durationTicks
  return endDts / timescale
}
