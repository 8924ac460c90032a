import type { AccessUnit, Track, UnitReader } from 'sluice/sdk'
import { isPromiseLike } from '../../base/deadline.ts'
import type { GopCache, UnitEntry } from '../gop-cache.ts'
import type { StreamSubscriber } from '../stream-subscriber.ts'
import { isStart, selectsTrack, selectsUnit } from '../track-selection.ts'

type ReaderState = {
  readonly reader: UnitReader
  /** A unit that can be started at was read since the beginning, the last pause or the last publisher. */
  started: boolean
  paused: boolean
}

/** The subscribers of one stream that take units rather than bytes. One whose reader fails is closed. */
export class UnitReaders {
  readonly #readers = new Map<StreamSubscriber, ReaderState>()

  add(subscriber: StreamSubscriber, reader: UnitReader, tracks: readonly Track[], cache: GopCache<UnitEntry>): void {
    const state = { reader, started: false, paused: subscriber.paused }
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

  /** Holds a reader's units back, or lets them come again from the next start point on. */
  setPaused(subscriber: StreamSubscriber, paused: boolean): void {
    const state = this.#readers.get(subscriber)
    if (state === undefined) return
    state.paused = paused
    if (paused) state.started = false
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

  #tell(subscriber: StreamSubscriber, notice: () => unknown): void {
    try {
      const result = notice()
      if (result !== undefined) refuseAsync(subscriber, result)
    } catch (error) {
      failed(subscriber, error)
    }
  }

  #unit(subscriber: StreamSubscriber, state: ReaderState, unit: AccessUnit, lead: Track | undefined): void {
    if (state.paused || !selectsUnit(subscriber.selection, unit) || !this.#readers.has(subscriber)) return
    state.started ||= isStart(unit, subscriber.selection.video ? lead : undefined)
    if (!state.started) return
    try {
      const result: unknown = state.reader.unit(unit)
      if (result !== undefined) refuseAsync(subscriber, result)
    } catch (error) {
      failed(subscriber, error)
    }
  }
}

/** Ends a reader that would go on after it has returned: nothing would bound the units that it has under way. */
function refuseAsync(subscriber: StreamSubscriber, result: unknown): void {
  if (!isPromiseLike(result)) return
  const { session, streamPath: stream, id } = subscriber
  const rejected = (err: unknown) => session.log.error({ err, stream, subscriber: id }, 'a unit reader rejected')
  result.then(undefined, rejected)
  failed(subscriber, new TypeError('a unit reader must be synchronous, and returned a promise'))
}

function failed(subscriber: StreamSubscriber, error: unknown): void {
  subscriber.fail('a unit reader failed', error)
}
