import type { Logger } from 'pino'
import type { UnitSink } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import type { PacedEvent, Pacer } from './pacer.ts'
import type { PlaylistFollower, SourceClock } from './playlist-follower.ts'
import { fetchSegments, type FetchedSegment } from './segment-fetcher.ts'
import type { LoadedSegment, SegmentLoader } from './segment-loader.ts'
import { SegmentReader, type SegmentUnits } from './segment-reader.ts'
import { SourceError } from './source-error.ts'
import type { SourceSegment } from '../wire/source-playlist.ts'
import type { SourceTimes } from './source-times.ts'

/** The media that is kept ready; a target duration when that is longer. */
const MIN_AHEAD_MS = 4000
/** The number of segments left out in a row after which the source counts as broken. */
const MAX_LEFT_OUT = 5
/** A live source that lags this many target durations behind the listed segments is played faster. */
const BEHIND_TARGETS = 4.5
const MAX_PAUSE_MS = 500

/** The name of the main rendition: the one with video, if there is any. */
export const MAIN = 'main'

export type SourceRenditionOptions = {
  readonly name: string
  readonly follower: PlaylistFollower
  readonly loader: SegmentLoader
  readonly times: SourceTimes
  readonly pacer: Pacer
  readonly clock: SourceClock
  readonly signal: AbortSignal
  readonly log: Logger
  /** The repetitions of a source that has an end; −1 is for ever. */
  readonly loop: number
  /** Called when the pacer has new events. */
  readonly onEvents: () => void
}

/** The publisher, and the reader that makes its units. */
/**
 * One of the playlists of a source that are played together: its segments are fetched ahead, read in order, and handed
 * to the pacer. A segment that may bring other tracks is read when all before it has been played.
 */
export class SourceRendition {
  readonly #options: SourceRenditionOptions
  readonly #segments: AsyncGenerator<FetchedSegment, void>
  readonly #fetched = new SegmentQueue()
  #reader: SegmentReader | undefined
  #first: FetchedSegment | undefined
  /** The number of segments left out in a row, and the reason for the last one. */
  #leftOut = 0
  #leftOutReason: Error | undefined

  constructor(options: SourceRenditionOptions) {
    this.#options = options
    this.#segments = fetchSegments(options)
  }

  get trackCount(): number {
    return this.#begun.trackCount
  }

  /** True when its playlist has an end, as that of a recording: the speed of a live source can't be set. */
  get isRecording(): boolean {
    return this.#options.follower.ended
  }

  /** The streams of the source that can't be carried. */
  get unsupported(): readonly string[] {
    return this.#begun.unsupported
  }

  /**
   * Fetches the first segment, to prove that the source can be fetched at all.
   * @throws {SourceError} when there is none
   */
  async open(): Promise<void> {
    this.#first = await this.#nextFound()
  }

  /**
   * Reads the segment that `open` fetched, or the first that can be read; the tracks are then known.
   * @param sink the publisher
   * @throws {SourceError} when none can be read
   */
  async begin(sink: UnitSink): Promise<void> {
    this.#reader = new SegmentReader(sink)
    let fetched = this.#first ?? (await this.#nextFound())
    this.#first = undefined
    while (!this.#read(fetched)) fetched = await this.#nextFound()
  }

  /** Plays until the source has ended, and all of it was played. */
  async run(): Promise<void> {
    await Promise.all([this.#fetchAll(), this.#readAll()])
  }

  async #fetchAll(): Promise<void> {
    await this.#room()
    for await (const fetched of this.#segments) {
      this.#fetched.push(fetched)
      await this.#room()
    }
    this.#fetched.end()
  }

  async #readAll(): Promise<void> {
    const reader = this.#begun
    for (let fetched = await this.#fetched.first(); fetched; fetched = await this.#fetched.first()) {
      const { segment, result } = fetched
      if (!(result instanceof SourceError) && reader.beginsAnew(result, segment.discontinuity)) await this.#played()
      this.#fetched.shift()
      this.#read(fetched)
    }
    await this.#played()
  }

  get #begun(): SegmentReader {
    if (this.#reader === undefined) throw new Error('the rendition has not begun')
    return this.#reader
  }

  /** The next segment that could be fetched. @throws {SourceError} when there is none */
  async #nextFound(): Promise<FetchedSegment> {
    for (;;) {
      const { value: fetched } = await this.#segments.next()
      if (!fetched) throw this.#leftOutReason ?? new SourceError('the playlist of the source has no segments')
      if (!(fetched.result instanceof SourceError)) return fetched
      this.#leaveOut(fetched.result)
    }
  }

  /** Resolves when all units that were read have been played. */
  #played(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#options.pacer.afterAll(this.#options.name, resolve)
    return promise
  }

  /** Waits until there is room for another segment. */
  async #room(): Promise<void> {
    const { name, follower, pacer, clock } = this.#options
    const aheadMs = Math.max(MIN_AHEAD_MS, follower.targetDurationMs)
    for (;;) {
      const nowMs = clock.nowMs()
      const bufferedMs = pacer.bufferedMs(name, nowMs) + this.#fetched.durationMs
      const behind = bufferedMs + follower.pendingMs > BEHIND_TARGETS * follower.targetDurationMs
      if (!follower.ended && name === MAIN) pacer.catchUp(behind, nowMs)
      if (bufferedMs < aheadMs) return
      await clock.wait(Math.min(bufferedMs - aheadMs + 1, MAX_PAUSE_MS))
    }
  }

  /** Passes a segment to the pacer; false when it is left out, as far as it is malformed. */
  #read({ segment, result }: FetchedSegment): boolean {
    const problem = result instanceof SourceError ? result : this.#demux(segment, result)
    if (problem) this.#leaveOut(problem)
    else this.#leftOut = 0
    return problem === undefined
  }

  #demux({ discontinuity }: SourceSegment, loaded: LoadedSegment): Error | undefined {
    const reader = this.#begun
    let problem: Error | undefined
    try {
      reader.read(loaded, discontinuity)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      problem = error
    }
    this.#pace(reader.take(), discontinuity)
    return problem
  }

  #pace({ units, counters, start, before, after }: SegmentUnits, discontinuity: number): void {
    const { name, times, pacer, onEvents } = this.#options
    const reader = this.#begun
    const timed = times.place(name, discontinuity, units, counters)
    const events: PacedEvent[] = start.map((act) => ({ dueMs: timed[0]?.dueMs ?? 0, act }))
    for (const { dueMs, unit } of timed) {
      for (const act of before.get(unit) ?? []) events.push({ dueMs, act })
      events.push({ dueMs, act: () => reader.publish(unit) })
      for (const act of after.get(unit) ?? []) events.push({ dueMs, act })
    }
    pacer.push(name, events)
    onEvents()
  }

  #leaveOut(reason: Error): void {
    this.#leftOut += 1
    this.#leftOutReason = reason
    if (this.#leftOut > MAX_LEFT_OUT) throw reason
    this.#options.log.warn({ reason: reason.message }, 'a segment of the source is left out')
  }
}

/** The segments that were fetched and not read yet, in order. */
class SegmentQueue {
  readonly #segments: FetchedSegment[] = []
  #ended = false
  #changed = Promise.withResolvers<void>()

  get durationMs(): number {
    return this.#segments.reduce((sum, { segment }) => sum + segment.durationSeconds * 1000, 0)
  }

  push(fetched: FetchedSegment): void {
    this.#segments.push(fetched)
    this.#changed.resolve()
  }

  /** Ends the queue, as nothing more comes. */
  end(): void {
    this.#ended = true
    this.#changed.resolve()
  }

  /** Waits for the oldest segment, which stays in the queue; undefined when none will come. */
  async first(): Promise<FetchedSegment | undefined> {
    while (this.#segments.length === 0 && !this.#ended) {
      await this.#changed.promise
      this.#changed = Promise.withResolvers()
    }
    return this.#segments[0]
  }

  shift(): void {
    this.#segments.shift()
  }
}
