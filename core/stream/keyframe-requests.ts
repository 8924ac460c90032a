import type { VideoTrack } from 'sluice/sdk'

/** The state of one track: the time of its last keyframe or request, and the cancellation of a request that is put off. */
type TrackState = { lastMs: number; cancel: (() => void) | undefined }

type KeyframeRequestsOptions = {
  readonly ask: (track: VideoTrack) => void
  readonly intervalMs: number
  /** Calls back later, unless the function that it returns is called before. */
  readonly setTimeout?: (callback: () => void, delayMs: number) => () => void
}

/**
 * The subscribers' requests for keyframes to one source. The source is asked at most once in an interval for each track; a
 * request that comes earlier is put off to the end of the interval, and dropped when a keyframe comes by itself until then.
 */
export class KeyframeRequests {
  readonly #options: KeyframeRequestsOptions
  readonly #tracks = new Map<number, TrackState>()

  constructor(options: KeyframeRequestsOptions) {
    this.#options = options
  }

  /** @param nowMs the monotonic clock */
  request(track: VideoTrack, nowMs: number): void {
    const state = this.#state(track.id)
    if (state.cancel !== undefined) return
    const { intervalMs, setTimeout = unrefTimeout } = this.#options
    const waitMs = state.lastMs + intervalMs - nowMs
    if (waitMs <= 0) this.#ask(track, state, nowMs)
    else state.cancel = setTimeout(() => this.#ask(track, state, nowMs + waitMs), waitMs)
  }

  /** Notes that a keyframe came, which answers the requests so far. */
  keyframe(trackId: number, nowMs: number): void {
    const state = this.#state(trackId)
    state.cancel?.()
    state.cancel = undefined
    state.lastMs = nowMs
  }

  close(): void {
    for (const { cancel } of this.#tracks.values()) cancel?.()
    this.#tracks.clear()
  }

  #ask(track: VideoTrack, state: TrackState, nowMs: number): void {
    state.cancel = undefined
    state.lastMs = nowMs
    this.#options.ask(track)
  }

  #state(trackId: number): TrackState {
    const known = this.#tracks.get(trackId)
    if (known !== undefined) return known
    const state = { lastMs: -Infinity, cancel: undefined }
    this.#tracks.set(trackId, state)
    return state
  }
}

function unrefTimeout(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs).unref()
  return () => clearTimeout(timer)
}
