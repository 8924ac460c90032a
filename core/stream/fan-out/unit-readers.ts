import type { AccessUnit, Track } from 'sluice/sdk'
import type { GopCache, UnitEntry } from '../gop-cache.ts'
import type { ReaderQueue } from './reader-queue.ts'
import type { StreamSubscriber } from '../stream-subscriber.ts'
import { isStart, selectsTrack, selectsUnit } from '../track-selection.ts'

/** A taker of units: a subscriber, or a reader that only watches. */
export type UnitTaker = Pick<StreamSubscriber, 'selection' | 'shift' | 'tracks' | 'startBackMs'>

/** The readers of one stream that take units rather than bytes. */
export class UnitReaders {
  readonly #queues = new Map<UnitTaker, ReaderQueue>()

  /** Adds a reader, with the kept units; one that another stream has begun goes on at the next start point. */
  add(taker: UnitTaker, queue: ReaderQueue, cache: GopCache<UnitEntry>): void {
    this.#queues.set(taker, queue)
    for (const track of taker.tracks) queue.track(track)
    const backMs = taker.startBackMs
    if (backMs === undefined || queue.begun) return
    // The cache begins at a start point.
    for (const { unit, timeMs } of cache.entries.slice(cache.startIndex(backMs))) {
      if (selectsUnit(taker.selection, unit)) queue.unit(unit, timeMs, true, true)
    }
  }

  delete(taker: UnitTaker): void {
    this.#queues.delete(taker)
  }

  track(track: Track): void {
    for (const [{ selection }, queue] of this.#queues) if (selectsTrack(selection, track)) queue.track(track)
  }

  /** @param timeMs the unit's decoding time */
  write(unit: AccessUnit, timeMs: number, leading: Track | undefined): void {
    for (const [{ selection, shift }, queue] of this.#queues) {
      if (!selectsUnit(selection, unit)) continue
      const start = isStart(unit, selection.video ? leading : undefined)
      if (shift === undefined) queue.unit(unit, timeMs, start)
      else queue.unit(shift.of(unit), timeMs + shift.offsetMs, start)
    }
  }

  /** Breaks the continuity: later units do not follow on earlier ones, and readers go on at the next keyframe. */
  discontinuity(): void {
    for (const queue of this.#queues.values()) queue.discontinuity()
  }

  /** Notes that the publisher ended; readers go on at the next one's keyframe. */
  sourceEnded(): void {
    for (const queue of this.#queues.values()) queue.sourceEnded()
  }

  trackRemoved(track: Track): void {
    for (const [{ selection }, queue] of this.#queues) if (selectsTrack(selection, track)) queue.trackRemoved(track)
  }

  checkStalls(nowMs: number): void {
    for (const queue of this.#queues.values()) queue.checkStall(nowMs)
  }
}
