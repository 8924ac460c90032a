import type { Logger } from 'pino'
import type { PlaylistFollower, SourceClock } from './playlist-follower.ts'
import type { LoadedSegment, SegmentLoader } from './segment-loader.ts'
import { SourceError } from './source-error.ts'
import type { SourceSegment } from '../wire/source-playlist.ts'

/** A segment that can't be had is tried this often. */
const MAX_TRIES = 3
const RETRY_MS = 700

export type SegmentFetcherOptions = {
  readonly follower: PlaylistFollower
  readonly loader: SegmentLoader
  readonly clock: SourceClock
  readonly signal: AbortSignal
  readonly log: Logger
  /** Repetitions of a source that has an end; −1 is for ever. */
  readonly loop: number
}

/** A segment that was fetched, or why it could not be. */
export type FetchedSegment = { readonly segment: SourceSegment; readonly result: LoadedSegment | SourceError }

/**
 * Fetches the segments of a playlist in order, each once, until the source ends.
 * @throws {SourceError} when the source is gone, or nothing of it can be had
 */
export async function* fetchSegments(options: SegmentFetcherOptions): AsyncGenerator<FetchedSegment, void> {
  const { follower, loop } = options
  const turns = loop < 0 ? Infinity : loop + 1
  for (let turn = 0; turn < turns; turn++) {
    let found = false
    for await (const segment of follower.segments()) {
      const result = await fetchSegment(options, segment)
      found ||= !(result instanceof SourceError)
      yield { segment, result }
    }
    if (!follower.isWhole || !found) return
    follower.rewind()
  }
}

async function fetchSegment(options: SegmentFetcherOptions, segment: SourceSegment): Promise<FetchedSegment['result']> {
  const { loader, follower, clock, signal, log } = options
  for (let tries = 1; ; tries++) {
    try {
      return await loader.load(segment, follower.url)
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceError) || error.fatal) throw error
      if (tries === MAX_TRIES) return error
      log.debug({ err: error }, 'a segment can not be had at present')
    }
    await clock.wait(RETRY_MS * tries)
  }
}
