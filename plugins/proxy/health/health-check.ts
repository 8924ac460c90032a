import { type Dialer, messageOf } from 'sluice/sdk'
import type { CheckTarget } from './check-target.ts'

/** A server that takes no connection within this is away. */
export const CHECK_TIMEOUT_MS = 3000
/**
 * The most connections that are being opened at once. They wait without costing anything: with fewer, servers that answer
 * would have to wait for those that do not.
 */
export const MAX_CHECKS_AT_ONCE = 1000
/** The most that are begun in one turn of the event loop. */
export const MAX_CHECKS_PER_TURN = 64
/** The first checks, and those after failures that come together, are spread over this. */
export const CHECK_SPREAD_MS = 400
/** The least time between two looks at what is due. */
const LOOK_MS = 50
/** Intervals vary by so much of their length, so that checks that began together do not stay together. */
const JITTER = 0.1

/** A server that is looked at until it answers. */
export type Check = {
  readonly target: CheckTarget
  readonly dialer: Dialer
  /** From the beginning of one try to that of the next; asked after each. */
  intervalMs(): number
  /** It has answered, in so many milliseconds; the check is over. */
  up(rttMs: number): void
  /** It has not; it is tried again. */
  down(reason: string): void
}

/** The time, and one timer. */
export type CheckClock = {
  /** Milliseconds on a monotonic clock. */
  now(): number
  /** @returns takes it back */
  after(delayMs: number, run: () => void): () => void
}

const SYSTEM_CLOCK: CheckClock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** What is due at a time: to begin a try, or to give the running one up. */
type Turn = { dueMs: number; running: AbortController | undefined }

/**
 * Opens a connection to each server that is away, now and then, until it answers: one timer for all, one try at a time for
 * each.
 */
export class HealthCheck {
  readonly #clock: CheckClock
  readonly #random: () => number
  /** The one that had its turn longest ago comes first. */
  readonly #turns = new Map<Check, Turn>()
  #running = 0
  #wakeMs = Infinity
  #cancel: () => void = () => {}

  constructor(clock: CheckClock = SYSTEM_CLOCK, random: () => number = Math.random) {
    this.#clock = clock
    this.#random = random
  }

  /** The number of connections that are being opened. */
  get running(): number {
    return this.#running
  }

  /** Tries soon, and again until it is {@link remove}d or up. */
  add(check: Check): void {
    const dueMs = this.#clock.now() + this.#random() * CHECK_SPREAD_MS
    this.#turns.set(check, { dueMs, running: undefined })
    this.#wakeAt(dueMs)
  }

  remove(check: Check): void {
    this.#turns.get(check)?.running?.abort()
    this.#turns.delete(check)
  }

  /** Ends all. */
  close(): void {
    this.#cancel()
    for (const check of this.#turns.keys().toArray()) this.remove(check)
  }

  #wakeAt(timeMs: number): void {
    if (timeMs >= this.#wakeMs) return
    this.#cancel()
    this.#wakeMs = timeMs
    this.#cancel = this.#clock.after(Math.max(LOOK_MS, timeMs - this.#clock.now()), () => this.#look())
  }

  #look(): void {
    const nowMs = this.#clock.now()
    const room = Math.min(MAX_CHECKS_AT_ONCE - this.#running, MAX_CHECKS_PER_TURN)
    const begun: Check[] = []
    let nextMs = Infinity
    for (const [check, { dueMs, running }] of this.#turns) {
      if (running?.signal.aborted) continue
      if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs)
      else if (running !== undefined) running.abort()
      else if (begun.length < room) begun.push(check)
      // Without room, it has its turn when a try ends.
      else if (room === MAX_CHECKS_PER_TURN) nextMs = nowMs
    }
    this.#wakeMs = Infinity
    for (const check of begun) this.#begin(check)
    if (nextMs < Infinity) this.#wakeAt(nextMs)
  }

  #begin(check: Check): void {
    const startMs = this.#clock.now()
    const running = new AbortController()
    const turn = { dueMs: startMs + CHECK_TIMEOUT_MS, running }
    this.#turns.delete(check)
    this.#turns.set(check, turn)
    this.#wakeAt(turn.dueMs)
    void this.#try(check, turn, startMs)
  }

  async #try(check: Check, turn: Turn & { readonly running: AbortController }, startMs: number): Promise<void> {
    this.#running += 1
    const { signal } = turn.running
    const failure = await connect(check, signal)
    const nowMs = this.#clock.now()
    // Others may have waited for the room.
    if (this.#running === MAX_CHECKS_AT_ONCE) this.#wakeAt(nowMs)
    this.#running -= 1
    if (this.#turns.get(check) !== turn) return
    if (failure === undefined) {
      this.#turns.delete(check)
      check.up(nowMs - startMs)
      return
    }
    const dueMs = startMs + check.intervalMs() * (1 - JITTER + 2 * JITTER * this.#random())
    this.#turns.set(check, { dueMs: Math.max(dueMs, nowMs), running: undefined })
    this.#wakeAt(Math.max(dueMs, nowMs))
    check.down(failure)
  }
}

/** @returns why there is no connection; undefined where there was one, which is closed again */
async function connect({ target, dialer }: Check, signal: AbortSignal): Promise<string | undefined> {
  try {
    const socket = await dialer.connect({ ...target, signal })
    socket.destroy()
    return undefined
  } catch (error) {
    return signal.aborted ? 'it does not answer' : messageOf(error)
  }
}
