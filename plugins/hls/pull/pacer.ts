import { PlaybackClock } from 'sluice/sdk'

/** A step that is due at a time of the stream. */
export type PacedEvent = { readonly dueMs: number; readonly act: () => void }

/** The speed of a live source that lags. */
const CATCH_UP_SPEED = 1.1

/**
 * Plays bursts of events at the pace of their own times, in the order of time over all its queues. It has no timer: `tick` does the steps
 * that are due.
 */
export class Pacer {
  readonly #queues = new Map<string, EventQueue>()
  readonly #clock = new PlaybackClock()
  #speed = 1

  /** Adds events to the end of a queue. */
  push(queue: string, events: readonly PacedEvent[]): void {
    const waiting = this.#queues.get(queue) ?? new EventQueue()
    this.#queues.set(queue, waiting)
    waiting.push(events)
  }

  /** Calls a function as soon as all events that wait in a queue are done; at once when none wait. */
  afterAll(queue: string, act: () => void): void {
    const last = this.#queues.get(queue)?.last
    if (last === undefined) act()
    else this.push(queue, [{ dueMs: last.dueMs, act }])
  }

  /** The time between now and the last event of a queue. */
  bufferedMs(queue: string, nowMs: number): number {
    const { first, last } = this.#queues.get(queue) ?? {}
    if (first === undefined || last === undefined) return 0
    return last.dueMs - Math.min(this.#clock.positionMs(nowMs) ?? first.dueMs, last.dueMs)
  }

  /** Plays at a multiple of the events' own pace from now on; at 0, everything at once. */
  setSpeed(speed: number, nowMs: number): void {
    this.#speed = speed
    this.#clock.setSpeed(speed, nowMs)
  }

  /** Plays a little faster from now on while `behind` is true. */
  catchUp(behind: boolean, nowMs: number): void {
    this.#clock.setSpeed(behind ? this.#speed * CATCH_UP_SPEED : this.#speed, nowMs)
  }

  /** Does the steps that are due; returns the time until the next one, or undefined when nothing waits. */
  tick(nowMs: number): number | undefined {
    for (let queue = this.#next(); queue !== undefined; queue = this.#next()) {
      const event = queue.first
      if (event === undefined) return undefined
      const waitMs = this.#clock.waitMs(event.dueMs, nowMs)
      if (waitMs > 0) return waitMs
      queue.shift()
      event.act()
    }
    return undefined
  }

  /** The queue with the earliest first event. */
  #next(): EventQueue | undefined {
    let next: EventQueue | undefined
    for (const queue of this.#queues.values()) {
      if (queue.first !== undefined && queue.first.dueMs < (next?.first?.dueMs ?? Infinity)) next = queue
    }
    return next
  }
}

/** A queue of events. Removing the first of a long array moves all others, so done events stay until more come. */
class EventQueue {
  #events: PacedEvent[] = []
  #head = 0

  get first(): PacedEvent | undefined {
    return this.#events[this.#head]
  }

  get last(): PacedEvent | undefined {
    return this.first && this.#events.at(-1)
  }

  push(events: readonly PacedEvent[]): void {
    this.#events = [...this.#events.slice(this.#head), ...events]
    this.#head = 0
  }

  shift(): void {
    this.#head += 1
  }
}
