import type { AccessUnit, CloseReason, Track, UnitReader } from 'sluice/sdk'
import { isPromiseLike } from '../../base/deadline.ts'
import type { QueueLimits, QueueOwner, QueueState } from './sink-queue.ts'

/** The most units and notices that wait for a reader. */
export const MAX_READER_ENTRIES = 20_000

const SLOW: CloseReason = { code: 'slow', text: 'slow' }

type ReaderQueueOptions = {
  readonly reader: UnitReader
  readonly limits: QueueLimits
  readonly owner: QueueOwner
  /** The tracks that the reader takes at present. */
  readonly tracks: () => readonly Track[]
}

/** A unit or a notice that waits for a reader that is busy. */
type Entry = {
  readonly timeMs: number
  /** The bytes that count against the bounds: 0 for a notice, and for a unit that was kept for late joiners. */
  readonly sizeBytes: number
  readonly kept: boolean
  readonly unit: AccessUnit | undefined
  readonly notice: (() => unknown) | undefined
}

/**
 * The queue of one unit reader, with its bounds, state and counters. A reader that returns a promise gets the next unit once
 * that is settled; later units wait in the queue, within bounds. Past them, units are left out up to a start point that comes
 * when all waiting ones were read. A reader that throws or rejects fails its owner, and no other reader.
 */
export class ReaderQueue {
  state: QueueState = 'starting'
  /** True once a unit was read. */
  begun = false
  /** The number of units that the reader did not get. */
  dropped = 0
  /** The number of times that the reader fell behind. */
  skips = 0
  queuedBytes = 0
  lastTimeMs = 0
  readonly #options: ReaderQueueOptions
  /** The tracks that the reader was notified of, by id. */
  readonly #announced = new Map<number, Track>()
  #entries: Entry[] = []
  /** The number of entries with a unit that was kept for late joiners. */
  #kept = 0
  #busy = false
  #paused = false
  #closed = false
  /** The notices that are due once the reader has caught up: a source ended, or its media broke off. */
  #sourceEnded = false
  #discontinuity = false
  #reads = 0
  #stallReads = 0
  #progressMs: number

  constructor(options: ReaderQueueOptions, nowMs: number) {
    this.#options = options
    this.#progressMs = nowMs
  }

  /** Holds the units of the reader back. */
  pause(): void {
    this.#paused = true
    if (this.state === 'live') this.state = 'starting'
    const notices = this.#entries.filter(({ unit }) => unit === undefined)
    this.dropped += this.#entries.length - notices.length
    this.#entries = notices
    this.#kept = 0
    this.queuedBytes = 0
  }

  /** Lets units come again from the next start point on. */
  resume(): void {
    this.#paused = false
  }

  /** Ends the queue with its subscriber: the reader gets nothing more. */
  close(): void {
    this.#closed = true
    this.#entries = []
    this.queuedBytes = 0
  }

  /** Notifies the reader of a track that came, or that takes the place of the one with the same id. */
  track(track: Track): void {
    if (this.#defersNotices) return
    this.#announced.set(track.id, track)
    this.#notify(() => this.#options.reader.track?.(track))
  }

  trackRemoved(track: Track): void {
    if (this.#defersNotices) return
    this.#announced.delete(track.id)
    this.#notify(() => this.#options.reader.trackRemoved?.(track))
  }

  /** Notifies the reader that the next unit does not follow on the one before; it goes on at a start point. */
  discontinuity(): void {
    if (this.state === 'live') this.state = 'starting'
    if (this.#defersNotices) this.#discontinuity = true
    else this.#notify(() => this.#options.reader.discontinuity?.())
  }

  /** Notifies the reader that the publisher ended, or its subscriber moves to another stream; it goes on at a start point. */
  sourceEnded(): void {
    if (this.state === 'live') this.state = 'starting'
    if (this.#defersNotices) {
      this.#sourceEnded = true
      return
    }
    this.#announced.clear()
    this.#notify(() => this.#options.reader.sourceEnded?.())
  }

  /** Takes a unit that is written, or one that was kept for late joiners, which may pass the bounds. */
  unit(unit: AccessUnit, timeMs: number, start: boolean, kept = false): void {
    if (this.#paused || this.#closed) return
    if (this.state !== 'live' && !this.#begins(start)) return
    this.lastTimeMs = timeMs
    if (!this.#busy) return this.#read(unit)
    if (!kept && !this.#accepts(unit.sizeBytes, timeMs)) return this.#fallBehind(1)
    this.#enqueue({ timeMs, sizeBytes: kept ? 0 : unit.sizeBytes, kept, unit, notice: undefined })
  }

  /** Closes the subscriber when its reader has been busy with the same unit for the stall time. */
  checkStall(nowMs: number): void {
    const { stallMs } = this.#options.limits
    if (!this.#busy || this.#reads > this.#stallReads) {
      this.#stallReads = this.#reads
      this.#progressMs = nowMs
    } else if (stallMs > 0 && nowMs - this.#progressMs >= stallMs) {
      this.#options.owner.close(SLOW)
    }
  }

  // Notices that come while the reader works off its queue, before a gap, are made up for after the gap.
  get #defersNotices(): boolean {
    return this.#closed || (this.#busy && this.state === 'skipping')
  }

  #begins(start: boolean): boolean {
    if (this.state === 'skipping' && (this.#busy || !start)) {
      this.dropped++
      return false
    }
    if (start) this.state = 'live'
    return start
  }

  // A single unit always fits an empty queue.
  #accepts(sizeBytes: number, timeMs: number): boolean {
    const [oldest] = this.#entries
    if (oldest === undefined) return true
    const { queueBytes, queueMs } = this.#options.limits
    if (this.#entries.length >= MAX_READER_ENTRIES || this.queuedBytes + sizeBytes > queueBytes) return false
    return this.#kept > 0 || timeMs - oldest.timeMs <= queueMs
  }

  #fallBehind(units: number): void {
    this.dropped += units
    const { limits, owner } = this.#options
    if (!limits.skips) return owner.close(SLOW)
    this.state = 'skipping'
    this.skips++
  }

  #enqueue(entry: Entry): void {
    this.#entries.push(entry)
    this.queuedBytes += entry.sizeBytes
    if (entry.kept) this.#kept++
  }

  #notify(notice: () => unknown): void {
    if (!this.#busy) return this.#call(notice)
    this.#enqueue({ timeMs: this.lastTimeMs, sizeBytes: 0, kept: false, unit: undefined, notice })
    if (this.#entries.length >= MAX_READER_ENTRIES) this.#fallBehind(0)
  }

  #read(unit: AccessUnit): void {
    this.begun = true
    try {
      const result: unknown = this.#options.reader.unit(unit)
      if (result !== undefined) this.#settle(result)
    } catch (error) {
      this.#fail(error)
    }
  }

  #call(notice: () => unknown): void {
    try {
      this.#settle(notice())
    } catch (error) {
      this.#fail(error)
    }
  }

  #settle(result: unknown): void {
    if (!isPromiseLike(result)) return
    this.#busy = true
    result.then(
      () => this.#next(),
      (error: unknown) => this.#fail(error),
    )
  }

  #next(): void {
    this.#busy = false
    this.#reads++
    for (let entry = this.#take(); entry !== undefined; entry = this.#take()) {
      if (entry.unit !== undefined) this.#read(entry.unit)
      else if (entry.notice !== undefined) this.#call(entry.notice)
    }
    if (!this.#busy && this.state === 'skipping') this.#catchUp()
  }

  #take(): Entry | undefined {
    const entry = this.#busy ? undefined : this.#entries.shift()
    if (entry === undefined) return undefined
    this.queuedBytes -= entry.sizeBytes
    if (entry.kept) this.#kept--
    return entry
  }

  // A notice may keep the reader busy again; it then catches up with the rest later.
  #catchUp(): void {
    if (this.#sourceEnded) {
      this.#sourceEnded = false
      this.sourceEnded()
    }
    if (this.#discontinuity) {
      this.#discontinuity = false
      this.discontinuity()
    }
    const tracks = this.#options.tracks()
    for (const track of this.#announced.values().toArray()) {
      if (!tracks.some(({ id }) => id === track.id)) this.trackRemoved(track)
    }
    for (const track of tracks) if (this.#announced.get(track.id) !== track) this.track(track)
  }

  #fail(error: unknown): void {
    this.#options.owner.fail('a unit reader failed', error)
  }
}
