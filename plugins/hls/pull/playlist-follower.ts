import type { Logger } from 'pino'
import { MalformedError } from 'sluice/sdk/media'
import type { SourceClient } from './source-client.ts'
import { SourceError } from './source-error.ts'
import { parseSourcePlaylist, type SourceMediaPlaylist, type SourceSegment } from '../wire/source-playlist.ts'

/** The distance from its end at which a live source is joined, in target durations (RFC 8216 6.3.3). */
const LIVE_EDGE_TARGETS = 3
const MAX_PLAYLIST_SIZE_BYTES = 8 * 1024 * 1024
const PLAYLIST_TIMEOUT_MS = 10_000
/** The wait from a failed request for a playlist to the next; doubled each time. */
const RETRY_MS = 500
const MAX_RETRY_MS = 5000
/** A source without a playlist for this long is gone, and so is one with the same playlist for longer. */
const MIN_GONE_MS = 10_000
const MIN_STALE_MS = 30_000
const STALE_TARGETS = 6
/** The number of older playlists in a row that prove a restarted source; caches may serve one now and then. */
const MAX_STEPS_BACK = 3
/** The distance between the discontinuity numbers before and after a restart of the source, so that none are the same. */
const DISCONTINUITIES_PER_LIFE = 2 ** 32

/** The clock of a pull; `wait` rejects when the pull ends. */
export type SourceClock = { nowMs(): number; wait(ms: number): Promise<void> }

type FollowerOptions = {
  readonly client: Pick<SourceClient, 'fetch'>
  readonly clock: SourceClock
  /** The first playlist, and its address. */
  readonly playlist: SourceMediaPlaylist
  readonly url: string
  readonly signal: AbortSignal
  readonly log: Logger
}

/** Walks through the segments of a media playlist as they appear, from the start of a finished one, else near its end. */
export class PlaylistFollower {
  readonly #options: FollowerOptions
  #playlist: SourceMediaPlaylist
  #url: string
  #last: SourceSegment | undefined
  #pending: SourceSegment[] = []
  #stepsBack = 0
  /** The number of restarts of the source, or of its repetitions. */
  #lives = 0
  #changedMs: number

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#playlist = options.playlist
    this.#url = options.url
    this.#changedMs = options.clock.nowMs()
  }

  /** The base of relative addresses in the playlist. */
  get url(): string {
    return this.#url
  }

  get targetDurationMs(): number {
    return this.#playlist.targetDurationSeconds * 1000
  }

  /** True when the playlist has ended. */
  get ended(): boolean {
    return this.#playlist.ended
  }

  /** True when the playlist had ended at the start, so that it can be repeated. */
  get isWhole(): boolean {
    return this.#options.playlist.ended
  }

  /** The media that is listed and was not returned yet, in milliseconds. */
  get pendingMs(): number {
    return this.#pending.reduce((sum, { durationSeconds }) => sum + durationSeconds * 1000, 0)
  }

  /**
   * Returns each segment once, in order, until the source ends; fetches the playlist when there is none left.
   * @throws {SourceError} when the source is gone
   */
  async *segments(): AsyncGenerator<SourceSegment> {
    for (let changed = this.#take(this.#playlist); ; changed = this.#take(await this.#reload(changed))) {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
        this.#last = next
        if (!next.gap) yield { ...next, discontinuity: next.discontinuity + this.#lives * DISCONTINUITIES_PER_LIFE }
      }
      if (this.#playlist.ended) return
    }
  }

  /** Begins again at the start of a source that has ended. */
  rewind(): void {
    this.#lives += 1
    this.#last = undefined
  }

  /** Finds the new segments of a playlist; returns false when there are none. */
  #take(playlist: SourceMediaPlaylist): boolean {
    this.#playlist = playlist
    this.#pending = this.#fresh(playlist)
    if (this.#pending.length > 0) this.#changedMs = this.#options.clock.nowMs()
    return this.#pending.length > 0
  }

  #fresh(playlist: SourceMediaPlaylist): SourceSegment[] {
    const { segments, hasSequence } = playlist
    const last = this.#last
    if (last === undefined) return startOf(playlist)
    if (!hasSequence) {
      const index = segments.findLastIndex(({ uri }) => uri === last.uri)
      return index === -1 ? startOf(playlist) : segments.slice(index + 1)
    }
    const newest = segments.at(-1)?.sequence ?? last.sequence
    this.#stepsBack = newest < last.sequence ? this.#stepsBack + 1 : 0
    if (this.#stepsBack >= MAX_STEPS_BACK) return this.#beginAnew(playlist)
    const fresh = segments.filter(({ sequence }) => sequence > last.sequence)
    const lost = (fresh[0]?.sequence ?? last.sequence + 1) - last.sequence - 1
    if (lost > 0) this.#options.log.warn({ segments: lost }, 'segments went by before they were fetched')
    return fresh
  }

  #beginAnew(playlist: SourceMediaPlaylist): SourceSegment[] {
    this.#options.log.warn('the source has begun anew')
    this.#stepsBack = 0
    this.#lives += 1
    return startOf(playlist)
  }

  /** Reloads the playlist after a target duration, or half of one when nothing was new (RFC 8216 6.3.4). */
  async #reload(changed: boolean): Promise<SourceMediaPlaylist> {
    const { signal, clock } = this.#options
    const staleMs = Math.max(MIN_STALE_MS, STALE_TARGETS * this.targetDurationMs)
    if (clock.nowMs() - this.#changedMs > staleMs) {
      throw new SourceError(`the playlist of the source has had nothing new for ${Math.round(staleMs / 1000)} s`)
    }
    await clock.wait(changed ? this.targetDurationMs : this.targetDurationMs / 2)
    const goneMs = clock.nowMs() + Math.max(MIN_GONE_MS, LIVE_EDGE_TARGETS * this.targetDurationMs)
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        return await this.#fetch()
      } catch (error) {
        if (signal.aborted || clock.nowMs() + waitMs > goneMs) throw error
        this.#options.log.debug({ err: error }, 'the playlist can not be had at present')
      }
      await clock.wait(waitMs)
    }
  }

  async #fetch(): Promise<SourceMediaPlaylist> {
    const { client, url } = this.#options
    const { playlist, url: found } = await fetchPlaylist(client, url, url)
    if (playlist.kind !== 'media') throw new SourceError('a media playlist has become a multivariant one')
    this.#url = found
    return playlist
  }
}

/** @throws {SourceError} when it can't be fetched, or is malformed */
export async function fetchPlaylist(client: Pick<SourceClient, 'fetch'>, uri: string, base: string) {
  const limits = { maxSizeBytes: MAX_PLAYLIST_SIZE_BYTES, timeoutMs: PLAYLIST_TIMEOUT_MS }
  const { bytes, url } = await client.fetch({ uri, base, ...limits })
  try {
    return { playlist: parseSourcePlaylist(bytes.toString()), url }
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause
    throw new SourceError(`the source is no HLS: ${cause.message}`, { cause })
  }
}

function startOf({ segments, ended, targetDurationSeconds }: SourceMediaPlaylist): SourceSegment[] {
  if (ended) return [...segments]
  let seconds = 0
  const tooEarly = segments.findLastIndex(({ durationSeconds }) => {
    seconds += durationSeconds
    return seconds > LIVE_EDGE_TARGETS * targetDurationSeconds
  })
  // A single segment may be longer than the distance that is wanted.
  return segments.slice(Math.min(tooEarly + 1, Math.max(0, segments.length - 1)))
}
