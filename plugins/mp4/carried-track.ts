import { isDeepStrictEqual } from 'node:util'
import { AccessUnit, type Track } from 'sluice/sdk'
import { canCarryInFmp4, FragmentWriter, type Fragment } from 'sluice/sdk/media'
import { PictureTimes } from './picture-times.ts'
import { SoundTimes } from './sound-times.ts'

/** Where a fragment has its number: after the headers of `moof` and `mfhd`, and the version and flags of the latter. */
const SEQUENCE_NUMBER_POSITION = 20
const NO_DATA = Buffer.alloc(0)
/** Numbers are by kind, so that they hold when another publisher declares its tracks in another order. */
const ID = { video: 0, audio: 1 } as const

/** What viewers get of a stream, pictures first: its main tracks, without G.711, which MP4 has for QuickTime alone. */
export function carriedTracks(tracks: readonly Track[]): Track[] {
  return (['video', 'audio'] as const).flatMap((kind) => {
    return tracks.find((track) => track.kind === kind && isCarried(track)) ?? []
  })
}

export function isCarried(track: Track): boolean {
  const { codec } = track
  return isMain(track) && canCarryInFmp4(track) && codec !== 'pcma' && codec !== 'pcmu'
}

/** Tracks with a name are further ones: players take one of each kind. */
export function isMain({ name = '' }: Track): boolean {
  return name === ''
}

/** The `content-type` of fMP4 with these tracks, with their codecs (RFC 6381); players take it as it is. */
export function fmp4ContentType(tracks: readonly Track[]): string {
  const kind = tracks.some((track) => track.kind === 'video') ? 'video' : 'audio'
  return `${kind}/mp4; codecs="${tracks.map(({ config }) => config.codecString).join(',')}"`
}

/** A track of one configuration as fMP4 has it, and the fragments of its units: each is one of its own. */
export class CarriedTrack {
  readonly track: Track
  readonly #writer: FragmentWriter
  readonly #pictureTimes: PictureTimes | undefined
  readonly #soundTimes = new SoundTimes((frame) => this.#writer.toldSeconds(frame))

  constructor(track: Track) {
    this.track = { ...track, id: ID[track.kind] }
    this.#writer = new FragmentWriter([this.track])
    this.#pictureTimes = track.kind === 'video' ? new PictureTimes(track.timescale) : undefined
  }

  /** Whether a track is the same to a decoder; another publisher has objects of its own. */
  matches({ codec, config, timescale }: Track): boolean {
    const { track } = this
    return track.codec === codec && track.timescale === timescale && isDeepStrictEqual(track.config, config)
  }

  /**
   * `moof` and `mdat` of a unit of this track, or of one that took its place, with the number that the fragment is to
   * have; null for sound that is too much for its time.
   */
  fragment(unit: AccessUnit, sequenceNumber: number): Buffer | null {
    const times = this.#pictureTimes
    const fragment = times ? this.#pictureFragment(unit, times) : this.#soundFragment(unit)
    fragment?.data.writeUInt32BE(sequenceNumber, SEQUENCE_NUMBER_POSITION)
    return fragment?.data ?? null
  }

  #pictureFragment({ dts, pts, keyframe, data }: AccessUnit, times: PictureTimes): Fragment | null {
    const { track } = this
    const time = times.next(dts)
    this.#writer.write(AccessUnit.fromData(track, time.dts, pts, keyframe, data))
    // What stands for the next picture tells how long this one lasts.
    const endDts = time.dts + time.durationTicks
    return this.#writer.flush(AccessUnit.fromData(track, endDts, endDts, false, NO_DATA))
  }

  #soundFragment({ dts, pts, data }: AccessUnit): Fragment | null {
    const unit = AccessUnit.fromData(this.track, dts, pts, true, data)
    const placed = this.#soundTimes.next(unit)
    for (const each of placed) this.#writer.write(each)
    const fragment = this.#writer.flush()
    if (fragment !== null) this.#soundTimes.passed(unit, fragment)
    return fragment
  }
}
