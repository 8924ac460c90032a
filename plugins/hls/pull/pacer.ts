/** What happens at a time of the stream. */
export type Event = { readonly dueMs: number; readonly act: () => void }

/** Events that come this late came too late as a whole: what follows is put off as much. */
const LATE_MS = 300
/** How fast a live source is played that has fallen behind. */
const CATCH_UP_SPEED = 1.1

/**
 * Lets what comes in bursts go on at the pace of its own time, in the order of time over all its queues. Without a timer
 * of its own: `tick` does what is due.
 */
export class Pacer {
  readonly #queues = new Map<string, Event[]>()
  /** The time of the stream at a time of the clock. */
  #anchor: { mediaMs: number; nowMs: number } | undefined
  #speed = 1

  /** Adds events to the end of a queue. */
  push(queue: string, events: readonly Event[]): void {
    const waiting = this.#queues.get(queue)
    if (waiting) for (const event of events) waiting.push(event)
    else this.#queues.set(queue, [...events])
  }

  /** How much time lies between now and the last event of a queue. */
  bufferedMs(queue: string, nowMs: number): number {
    const events = this.#queues.get(queue) ?? []
    const [first, last] = [events[0], events.at(-1)]
    if (first === undefined || last === undefined) return 0
    return last.dueMs - (this.#anchor === undefined ? first.dueMs : Math.min(this.#position(nowMs), last.dueMs))
  }

  /** Whether to play a little faster from now on. */
  catchUp(behind: boolean, nowMs: number): void {
    const speed = behind ? CATCH_UP_SPEED : 1
    if (speed === this.#speed) return
    if (this.#anchor) this.#anchor = { mediaMs: this.#position(nowMs), nowMs }
    this.#speed = speed
  }

  /** Does what is due; gives how long it takes until something is, or undefined when nothing waits. */
  tick(nowMs: number): number | undefined {
    for (let queue = this.#next(); queue !== undefined; queue = this.#next()) {
      const [event] = queue
      if (event === undefined) return undefined
      const behindMs = this.#anchor === undefined ? Infinity : this.#position(nowMs) - event.dueMs
      if (behindMs > LATE_MS) this.#anchor = { mediaMs: event.dueMs, nowMs }
      else if (behindMs < 0) return -behindMs / this.#speed
      queue.shift()
      event.act()
    }
    return undefined
  }

  /** The queue whose first event is the earliest. */
  #next(): Event[] | undefined {
    let next: Event[] | undefined
    for (const queue of this.#queues.values()) {
      if (queue[0] !== undefined && (next?.[0] === undefined || queue[0].dueMs < next[0].dueMs)) next = queue
    }
    return next
  }

  #position(nowMs: number): number {
    if (this.#anchor === undefined) return 0
    return this.#anchor.mediaMs + (nowMs - this.#anchor.nowMs) * this.#speed
  }
}
