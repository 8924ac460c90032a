import type { AccessUnit, MediaTrack, MuxerFormat, MuxerStart, Track, UnitReader } from 'sluice/sdk'
import type { Logger } from 'pino'
import { GopCache, MAX_CACHE_BYTES, type UnitEntry } from '../gop-cache.ts'
import type { StreamSubscriber } from '../stream-subscriber.ts'
import { ALL_TRACKS, isStart, leadingTrack, NO_TRACKS, selectsTrack, type TrackSelection } from '../track-selection.ts'
import type { MergeWindow } from './merge-window.ts'
import { MuxerTable } from './muxer-table.ts'
import { ReaderQueue } from './reader-queue.ts'
import type { SharedMuxer } from './shared-muxer.ts'
import type { QueueOwner } from './sink-queue.ts'
import { UnitReaders, type UnitTaker } from './unit-readers.ts'

type FanOutOptions = {
  readonly log: Logger
  readonly mergeWindow: MergeWindow
  /** The stream's tracks and metadata at present. */
  readonly source: () => MuxerStart
}

/** Delivers a stream's units to its subscribers by muxers and unit readers, and keeps media for late joiners. */
export class FanOut {
  readonly #options: FanOutOptions
  readonly #muxers: MuxerTable
  readonly #readers = new UnitReaders()
  readonly #cache = new GopCache<UnitEntry>()
  readonly #shortagesLogged = new Set<string>()
  #leadingTrack: Track | undefined

  constructor(options: FanOutOptions) {
    this.#options = options
    this.#muxers = new MuxerTable({ ...options, cache: this.#cache })
  }

  get muxers(): readonly SharedMuxer[] {
    return this.#muxers.all
  }

  /** Sets the length of the media that is kept besides the newest group of pictures, in milliseconds. */
  set bufferMs(bufferMs: number) {
    if (bufferMs === this.#cache.bufferMs) return
    this.#cache.bufferMs = bufferMs
    for (const muxer of this.muxers) muxer.bufferMs = bufferMs
  }

  /** The muxer that the subscriber shares with the others of its format, selection, window and shift. */
  muxerFor(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer {
    return this.#muxers.get(format, subscriber)
  }

  addReader(subscriber: StreamSubscriber, queue: ReaderQueue): void {
    this.#readers.add(subscriber, queue, this.#cache)
  }

  /** The units that are kept for late joiners: from the newest start point on, or further back. Valid until the next unit. */
  get kept(): readonly UnitEntry[] {
    return this.#cache.entries
  }

  /**
   * Hands the units of one kind to a reader that is no subscriber's: it is not counted, and does not keep the stream going.
   * The units that are kept come first.
   * @returns a function that ends it
   */
  watch(kind: MediaTrack['kind'], reader: UnitReader): () => void {
    const selection: TrackSelection = { ...NO_TRACKS, [kind]: true }
    const tracks = () => this.#options.source().tracks.filter((track) => selectsTrack(selection, track))
    const watcher: UnitTaker = { selection, shift: undefined, tracks: tracks(), startBackMs: Infinity }
    const stop = () => this.#readers.delete(watcher)
    const owner: QueueOwner = {
      close: stop,
      fail: (what, err) => {
        this.#options.log.error({ err }, what)
        stop()
      },
    }
    const limits = { queueBytes: Infinity, queueMs: Infinity, stallMs: 0, skips: true }
    this.#readers.add(watcher, new ReaderQueue({ reader, limits, owner, tracks }, 0), this.#cache)
    return stop
  }

  /** Returns true when all subscribers can start at a unit that comes now. */
  isStart(unit: AccessUnit): boolean {
    return isStart(unit, this.#leadingTrack)
  }

  /** Removes a subscriber from its muxer or its reader. */
  delete(subscriber: StreamSubscriber): void {
    this.#readers.delete(subscriber)
    this.#muxers.detach(subscriber)
  }

  /** @param timeMs the unit's decoding time */
  write(unit: AccessUnit, timeMs: number): void {
    this.#cache.push({ unit, timeMs, sizeBytes: unit.sizeBytes, start: isStart(unit, this.#leadingTrack) })
    if (this.#cache.shortOf !== undefined) this.#logShortage(this.#cache.shortOf)
    for (const muxer of this.muxers) muxer.write(unit, timeMs)
    this.#readers.write(unit, timeMs, this.#leadingTrack)
  }

  checkStalls(nowMs: number): void {
    for (const muxer of this.muxers) muxer.checkStalls(nowMs)
    this.#readers.checkStalls(nowMs)
  }

  /** Sends the pending output to sinks that still know the tracks as they are. */
  flush(): void {
    for (const muxer of this.muxers) muxer.flush()
  }

  /** Announces a track that appeared, or was configured anew at `timeMs`. */
  configure(track: Track, change: 'added' | 'configured', timeMs: number): void {
    this.#followLead(change === 'configured')
    for (const muxer of this.muxers) muxer.configure(track, timeMs)
    this.#readers.track(track)
  }

  removeTrack(track: Track): void {
    this.#followLead(false)
    for (const muxer of this.muxers) muxer.removeTrack(track)
    this.#readers.trackRemoved(track)
  }

  metadataChanged(): void {
    for (const muxer of this.muxers) muxer.metadataChanged()
  }

  /** Breaks the continuity: later units do not follow on earlier ones, and subscribers go on at the first start point. */
  discontinuity(): void {
    this.#cache.clear()
    for (const muxer of this.muxers) muxer.discontinuity()
    this.#readers.discontinuity()
  }

  /** Notes that the publisher ended; subscribers go on at the next one's first start point. */
  sourceEnded(): void {
    this.#leadingTrack = undefined
    this.#cache.clear()
    this.#shortagesLogged.clear()
    for (const muxer of this.muxers) muxer.sourceEnded()
    this.#readers.sourceEnded()
  }

  // The kept units stay useful as long as subscribers start at the same track, and nothing was configured anew.
  #followLead(changed: boolean): void {
    const leading = leadingTrack(this.#options.source().tracks, ALL_TRACKS)
    if (changed || leading !== this.#leadingTrack) this.#cache.clear()
    this.#leadingTrack = leading
  }

  #logShortage(shortOf: 'gop' | 'buffer'): void {
    if (this.#shortagesLogged.has(shortOf)) return
    this.#shortagesLogged.add(shortOf)
    const { log } = this.#options
    if (shortOf === 'gop') return log.warn('no keyframe for too long: late joiners wait for the next one')
    const { bufferMs: buffertime, keptMs } = this.#cache
    log.warn({ buffertime, keptMs }, `buffertime asks for more than ${MAX_CACHE_BYTES} bytes: the oldest is given up`)
  }
}
