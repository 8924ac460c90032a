import type { AccessUnit, Track, UnitReader } from 'sluice/sdk'
import type { Logger } from 'pino'
import type { GopCache } from './gop-cache.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'
import { isStart, selectsTrack, selectsUnit } from './track-selection.ts'
import type { UnitEntry } from './stream.ts'

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
    for (const { unit } of cache.entries.slice(cache.startIndex(backMs))) this.#unit(subscriber, state, unit, false)
  }

  delete(subscriber: StreamSubscriber): void {
    this.#readers.delete(subscriber)
  }

  track(track: Track): void {
    for (const [subscriber, state] of this.#readers) this.#track(subscriber, state, track)
  }

  write(unit: AccessUnit, hasVideo: boolean): void {
    for (const [subscriber, state] of this.#readers) this.#unit(subscriber, state, unit, hasVideo)
  }

  /** The publisher ended: readers go on at the next one's keyframe. */
  sourceEnded(): void {
    for (const state of this.#readers.values()) state.started = false
  }

  #track(subscriber: StreamSubscriber, { reader }: ReaderState, track: Track): void {
    if (!selectsTrack(subscriber.selection, track)) return
    this.#guard(subscriber, () => reader.track?.(track))
  }

  #unit(subscriber: StreamSubscriber, state: ReaderState, unit: AccessUnit, hasVideo: boolean): void {
    if (!selectsUnit(subscriber.selection, unit)) return
    state.started ||= isStart(unit, hasVideo && subscriber.selection.video)
    if (state.started) this.#guard(subscriber, () => state.reader.unit(unit))
  }

  #guard(subscriber: StreamSubscriber, call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#log.error({ err: error, subscriber: subscriber.id }, 'a unit reader failed')
      subscriber.close('failed')
    }
  }
}
