import type { AmfObject } from 'sluice/sdk/media'

/** A source without `onMetaData` has no second track when it has sent this much of the first alone. */
const LONE_TRACK_MS = 500
/** The time after which an announced track of a live source is not expected any more. */
const MISSING_TRACK_MS = 3000
/** The longest step of times; a longer one is a jump, as from sequence headers at 0 to media at the source's own time. */
const MAX_STEP_MS = 1000

/** The kinds of track that have come from a source so far. */
type Found = { readonly hasAudio: boolean; readonly hasVideo: boolean }

/** Decides by the times and `onMetaData` of an FLV when all its tracks have come. */
export class ExpectedTracks {
  #announced: { readonly audio: boolean; readonly video: boolean } | undefined
  #lastMs: number | undefined
  #passedMs = 0
  readonly #missingTrackMs: number

  /** @param missingTrackMs the media to wait for an announced track. Default 3 s, as for a live source */
  constructor(missingTrackMs: number = MISSING_TRACK_MS) {
    this.#missingTrackMs = missingTrackMs
  }

  /** Takes the fields of `onMetaData`. */
  announce(fields: AmfObject): void {
    const audio = 'audiocodecid' in fields || 'audiodatarate' in fields || 'audiosamplerate' in fields
    const video = 'videocodecid' in fields || 'videodatarate' in fields || 'width' in fields
    this.#announced = audio || video ? { audio, video } : undefined
  }

  /** True when all expected tracks have come, or are not expected any more, after a tag with this time. */
  areComplete({ hasAudio, hasVideo }: Found, timestampMs: number): boolean {
    const stepMs = timestampMs - (this.#lastMs ?? timestampMs)
    this.#lastMs = timestampMs
    if (stepMs > 0 && stepMs <= MAX_STEP_MS) this.#passedMs += stepMs
    if (!hasAudio && !hasVideo) return false
    if (hasAudio && hasVideo) return true
    const { audio = false, video = false } = this.#announced ?? {}
    if (this.#announced === undefined) return this.#passedMs >= LONE_TRACK_MS
    return ((hasAudio || !audio) && (hasVideo || !video)) || this.#passedMs >= this.#missingTrackMs
  }
}
