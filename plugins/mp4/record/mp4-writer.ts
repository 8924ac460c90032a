import type { AccessUnit, MediaTrack, RecordingEnd, RecordingWriter } from 'sluice/sdk'
import {
  createInitSegment,
  FragmentWriter,
  fmp4Timescale,
  fmp4TrackId,
  mainTracks,
  rescale,
  serializeFragmentTable,
  type FragmentTime,
} from 'sluice/sdk/media'

type FormerPart = { readonly sizeBytes: number; readonly times: FragmentTime[] | undefined }

/** Writes an MP4 as fragments, so that it can be played at any moment; a table of the fragments comes at its end. */
export class Mp4Writer implements RecordingWriter {
  readonly head: Buffer
  readonly #fragments: FragmentWriter
  readonly #main: MediaTrack | undefined
  /** The times of the fragments; undefined when those of a former part are unknown: the file then gets no table. */
  readonly #times: FragmentTime[] | undefined
  #offset: number
  /** The presentation time of the first keyframe in the current fragment, in ticks of the file. */
  #keyframeTime: number | undefined

  /**
   * @param former the part of a file that it continues
   * @throws {RangeError} for a track that `canCarryInFmp4` refuses
   */
  constructor(tracks: readonly MediaTrack[], former?: FormerPart) {
    this.head = former === undefined ? createInitSegment(tracks) : Buffer.alloc(0)
    this.#fragments = new FragmentWriter(tracks)
    this.#main = mainTracks(tracks)[0]
    this.#times = former === undefined ? [] : former.times
    this.#offset = former?.sizeBytes ?? this.head.length
  }

  write(unit: AccessUnit): null {
    this.#fragments.write(unit)
    const main = this.#main
    if (this.#keyframeTime === undefined && unit.keyframe && main?.id === unit.track.id) {
      this.#keyframeTime = rescale(unit.pts, unit.track.timescale, fmp4Timescale(main))
    }
    return null
  }

  flush(next?: AccessUnit): Buffer | null {
    const fragment = this.#fragments.flush(next)
    if (fragment === null) return null
    const time = this.#keyframeTime
    this.#keyframeTime = undefined
    if (time !== undefined) this.#times?.push({ time, moofOffset: this.#offset })
    this.#offset += fragment.data.length
    return fragment.data
  }

  finish(): RecordingEnd {
    const main = this.#main
    const times = this.#times
    if (main === undefined || times === undefined) return {}
    return { tail: serializeFragmentTable(fmp4TrackId(main), times) }
  }
}
