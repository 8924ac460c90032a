import { isDeepStrictEqual } from 'node:util'
import { AccessUnit, type Track } from 'sluice/sdk'
import { canCarryInFmp4, isMainTrack, TrackFragmentWriter, type TrackSamples } from 'sluice/sdk/media'
import { PictureTimes } from './picture-times.ts'
import { SoundTimes } from './sound-times.ts'

const NO_DATA = Buffer.alloc(0)
/** Ids by kind, so that they stay when another publisher declares its tracks in another order. */
const ID = { video: 0, audio: 1 } as const

/** The tracks that viewers of a stream get, pictures first: at most one of each kind. */
export function carriedTracks(tracks: readonly Track[]): Track[] {
  return (['video', 'audio'] as const).flatMap((kind) => {
    return tracks.find((track) => track.kind === kind && isCarried(track)) ?? []
  })
}

/** Whether a track is a main one that players of fMP4 take. G.711 is left out, which MP4 has for QuickTime alone. */
export function isCarried(track: Track): boolean {
  const { codec } = track
  return isMainTrack(track) && codec !== 'pcma' && codec !== 'pcmu' && canCarryInFmp4(track)
}

/** The `content-type` of fMP4 with these tracks, with their codecs (RFC 6381); players take it as it is. */
export function fmp4ContentType(tracks: readonly Track[]): string {
  const kind = tracks.some((track) => track.kind === 'video') ? 'video' : 'audio'
  return `${kind}/mp4; codecs="${tracks.map(({ config }) => config.codecString).join(',')}"`
}

/** A track of one configuration as fMP4 has it, and the samples of its units, each for a fragment of its own. */
export class CarriedTrack {
  readonly track: Track
  readonly #writer: TrackFragmentWriter
  readonly #pictureTimes: PictureTimes | undefined
  readonly #soundTimes: SoundTimes

  constructor(track: Track) {
    this.track = { ...track, id: ID[track.kind] }
    this.#writer = new TrackFragmentWriter(this.track)
    this.#pictureTimes = track.kind === 'video' ? new PictureTimes(track.timescale) : undefined
    this.#soundTimes = new SoundTimes(({ data }) => this.#writer.toldSeconds(data))
  }

  /** Whether a track is the same to a decoder; the tracks of another publisher are other objects. */
  matches({ codec, config, timescale }: Track): boolean {
    const { track } = this
    return track.codec === codec && track.timescale === timescale && isDeepStrictEqual(track.config, config)
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
    // What stands for the next picture tells how long this one lasts.
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
