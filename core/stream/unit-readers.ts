import type { AccessUnit, Track, UnitReader } from 'sluice/sdk'
import type { Logger } from 'pino'
import type { CacheEntry, GopCache } from './gop-cache.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'
import { isStart, selectsTrack, selectsUnit } from './track-selection.ts'

/** A unit as a stream keeps it for late joiners. */
export type UnitEntry = CacheEntry & { readonly unit: AccessUnit }

type ReaderState = { readonly reader: UnitReader; started: boolean }

/** The subscribers of one stream that take units rather than bytes. One that throws is closed. */
export class UnitReaders {
  readonly #readers = new Map<StreamSubscriber, ReaderState>()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  add(subscriber: StreamSubscriber, reader: UnitReader, tracks: readonly Track[], cache: GopCache<UnitEntry>): void {
    const state = { reader, started: false }
    this.#readers.set(subscriber, state)
    for (const track of tracks) this.#track(subscriber, state, track)
    const backMs = subscriber.startBackMs
    if (backMs === undefined) return
    // The cache begins at a start point.
    for (const { unit } of cache.entries.slice(cache.startIndex(backMs))) {
      this.#unit(subscriber, state, unit, undefined)
    }
  }

  delete(subscriber: StreamSubscriber): void {
    this.#readers.delete(subscriber)
  }

  track(track: Track): void {
    for (const [subscriber, state] of this.#readers) this.#track(subscriber, state, track)
  }

  write(unit: AccessUnit, lead: Track | undefined): void {
    for (const [subscriber, state] of this.#readers) this.#unit(subscriber, state, unit, lead)
  }

  /** The publisher ended: readers go on at the next one's keyframe. */
  sourceEnded(): void {
    for (const [subscriber, state] of this.#readers) {
      state.started = false
      this.#tell(subscriber, () => state.reader.sourceEnded?.())
    }
  }

  trackRemoved(track: Track): void {
    for (const [subscriber, { reader }] of this.#readers) {
      if (selectsTrack(subscriber.selection, track)) this.#tell(subscriber, () => reader.trackRemoved?.(track))
    }
  }

  #track(subscriber: StreamSubscriber, { reader }: ReaderState, track: Track): void {
    if (!this.#readers.has(subscriber) || !selectsTrack(subscriber.selection, track)) return
    this.#tell(subscriber, () => reader.track?.(track))
  }

  #tell(subscriber: StreamSubscriber, notice: () => void): void {
    try {
      notice()
    } catch (error) {
      this.#fail(subscriber, error)
    }
  }

  #unit(subscriber: StreamSubscriber, state: ReaderState, unit: AccessUnit, lead: Track | undefined): void {
    if (!selectsUnit(subscriber.selection, unit) || !this.#readers.has(subscriber)) return
    state.started ||= isStart(unit, subscriber.selection.video ? lead : undefined)
    if (!state.started) return
    try {
      state.reader.unit(unit)
    } catch (error) {
      this.#fail(subscriber, error)
    }
  }

  #fail(subscriber: StreamSubscriber, error: unknown): void {
    this.#log.error({ err: error, subscriber: subscriber.id }, 'a unit reader failed')
    subscriber.close('failed')
  }
}
