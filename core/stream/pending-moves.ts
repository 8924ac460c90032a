import type { AccessUnit } from 'sluice/sdk'
import { TimeShift } from './fan-out/time-shift.ts'
import { LatestTimes, timesOf } from './latest-times.ts'
import type { Destination, StreamSubscriber, SubscriberStream } from './stream-subscriber.ts'

/** Subscribers share a shift when the clocks give them offsets that differ by at most this; so muxers stay few. */
const MAX_SHARED_DIFFERENCE_MS = 100

/**
 * The subscribers that are to be moved to a stream. Each stays on its own stream until a unit is written to this one that it
 * can start at. Subscribers that had the same times get the same shift, and so share muxers.
 */
export class PendingMoves implements Destination {
  readonly #stream: SubscriberStream
  readonly #subscribers = new Set<StreamSubscriber>()

  /** @param stream the stream that they are to be moved to */
  constructor(stream: SubscriberStream) {
    this.#stream = stream
  }

  get size(): number {
    return this.#subscribers.size
  }

  /** Adds subscribers; a pending move of them to another stream is cancelled. Subscribers that get no media are moved now. */
  add(subscribers: readonly StreamSubscriber[]): void {
    for (const subscriber of subscribers) this.#add(subscriber)
    this.moveNow(subscribers.filter(({ destination, source }) => destination === this && !source.publisher))
  }

  /** Moves subscribers at once, also away from a stream that they get media of. */
  take(subscribers: readonly StreamSubscriber[]): void {
    for (const subscriber of subscribers) this.#add(subscriber)
    this.moveNow(subscribers.filter(({ destination }) => destination === this))
  }

  cancel(subscriber: StreamSubscriber): void {
    subscriber.destination = undefined
    this.#subscribers.delete(subscriber)
  }

  cancelAll(): void {
    for (const subscriber of this.#subscribers) this.cancel(subscriber)
  }

  /** Moves all, with `unit` as the first that they get. */
  moveAt(unit: AccessUnit): void {
    this.#move([...this.#subscribers], unit)
  }

  /** Moves subscribers that get no media at present; they go on at the next unit that they can start at. */
  moveNow(subscribers: readonly StreamSubscriber[]): void {
    if (subscribers.length === 0) return
    this.#stream.flush()
    this.#move(subscribers, undefined)
  }

  #add(subscriber: StreamSubscriber): void {
    subscriber.destination?.cancel(subscriber)
    const { source, session } = subscriber
    if (source === this.#stream || session.closed || source.leadElsewhere(subscriber, this.#stream.path)) return
    subscriber.destination = this
    this.#subscribers.add(subscriber)
  }

  #move(subscribers: readonly StreamSubscriber[], unit: AccessUnit | undefined): void {
    for (const group of Map.groupBy(subscribers, ({ shift, source }) => shift ?? source).values()) {
      const [first] = group
      first?.source.flush()
      const shift = group.some(({ playing }) => playing) && first ? this.#shiftOf(first, unit) : undefined
      for (const subscriber of group) {
        // A listener of another one's `onSource` may have moved it elsewhere, or ended it.
        if (subscriber.destination !== this) continue
        this.cancel(subscriber)
        subscriber.moveTo(this.#stream, subscriber.playing ? shift : undefined)
      }
    }
  }

  /** Returns the shift for all subscribers that have had the same times as this one. */
  #shiftOf({ source, shift: former }: StreamSubscriber, unit: AccessUnit | undefined): TimeShift {
    const formerTimes = new LatestTimes()
    formerTimes.addAll(source.clock.latestTimes(), former?.offsetMs ?? 0)
    if (former !== undefined) formerTimes.addAll(former.formerTimes, 0)
    const targetMs = unit === undefined ? this.#stream.clock.nowMs : timesOf(unit).dtsMs
    const sourceMs = source.clock.nowMs + (former?.clockOffsetMs ?? 0)
    const clockOffsetMs = Math.round(sourceMs - targetMs)
    const minMs = this.#minOffsetMs(formerTimes, unit)
    const known = this.#nearestShift(clockOffsetMs, minMs)
    if (known === undefined) {
      return new TimeShift({ offsetMs: Math.max(clockOffsetMs, minMs), clockOffsetMs, formerTimes })
    }
    known.formerTimes.addAll(formerTimes, 0)
    return known
  }

  /**
   * Returns the smallest offset by which the next unit of each track is later than all former ones of its kind. A track
   * without a unit yet does not count: the shift itself sets its first ones later where need be.
   */
  #minOffsetMs(formerTimes: LatestTimes, unit: AccessUnit | undefined): number {
    let minMs = -Infinity
    for (const track of this.#stream.tracks) {
      const next = track === unit?.track ? timesOf(unit) : this.#stream.clock.nextOf(track)
      if (next === undefined) continue
      const { dtsMs, ptsMs } = formerTimes.next(track.kind)
      minMs = Math.max(minMs, dtsMs - next.dtsMs, ptsMs - next.ptsMs)
    }
    return minMs
  }

  /** Returns the nearest shift of subscribers of the stream, if one is near enough by the clocks. */
  #nearestShift(clockOffsetMs: number, minMs: number): TimeShift | undefined {
    let nearest: TimeShift | undefined
    let nearestMs = MAX_SHARED_DIFFERENCE_MS
    for (const { shift } of this.#stream.subscribers) {
      if (shift === undefined || shift.offsetMs < minMs) continue
      const differenceMs = Math.abs(shift.clockOffsetMs - clockOffsetMs)
      if (differenceMs > nearestMs) continue
      nearest = shift
      nearestMs = differenceMs
    }
    return nearest
  }
}

/** Moves the subscribers of a stream with a pending move now, as its publisher has ended. */
export function movePending(subscribers: Iterable<StreamSubscriber>): void {
  for (const [destination, leaving] of Map.groupBy(subscribers, ({ destination }) => destination)) {
    destination?.moveNow(leaving)
  }
}
