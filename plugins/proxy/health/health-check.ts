import { type Dialer, messageOf } from 'sluice/sdk'
import type { CheckTarget } from './check-target.ts'

/** The time in which a server has to accept a connection; one that does not is away. */
export const CHECK_TIMEOUT_MS = 3000
/**
 * The most connections that are being opened at once. A connection that waits costs nothing; with a lower limit, servers that answer
 * would have to wait for those that do not.
 */
export const MAX_CHECKS_AT_ONCE = 1000
/** The most connections that are begun in one turn of the event loop. */
export const MAX_CHECKS_PER_TURN = 64
/** The time over which the first checks are spread, and those after failures that come together. */
export const CHECK_SPREAD_MS = 400
/** The least time between two looks for checks that are due. */
const LOOK_MS = 50
/** The part of its length by which an interval varies, so that checks that began together do not stay together. */
const JITTER = 0.1

/** A server that is checked until it answers. */
export type Check = {
  readonly target: CheckTarget
  readonly dialer: Dialer
  /** Returns the milliseconds from the beginning of one try to that of the next; called after each try that has failed. */
  intervalMs(): number
  /** Called when the server has answered, after `rttMs` milliseconds; the check is over. */
  up(rttMs: number): void
  /** Called when a try has failed; the server is tried again. */
  down(reason: string): void
}

/** A clock with timers. */
export type CheckClock = {
  /** Returns the milliseconds of a monotonic clock. */
  now(): number
  /** @returns a function that cancels the timer */
  after(delayMs: number, run: () => void): () => void
}

const SYSTEM_CLOCK: CheckClock = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** The next step of a check: at `dueMs` a try begins, or the running one is given up. */
type Turn = { dueMs: number; running: AbortController | undefined }

/**
 * Opens a connection to each server that is away, again and again until it answers. There is one timer for all servers, and one try at a
 * time for each.
 */
export class HealthCheck {
  readonly #clock: CheckClock
  readonly #random: () => number
  /** The checks; the one that had its turn longest ago comes first. */
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

  /** Checks a server soon, and again until it answers or {@link remove} is called. */
  add(check: Check): void {
    const dueMs = this.#clock.now() + this.#random() * CHECK_SPREAD_MS
    this.#turns.set(check, { dueMs, running: undefined })
    this.#wakeAt(dueMs)
  }

  remove(check: Check): void {
    this.#turns.get(check)?.running?.abort()
    this.#turns.delete(check)
  }

  /** Ends all checks. */
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
      // A check for which there is no room has its turn when a try ends.
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
    // Other checks may have waited for room.
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

/** Opens a connection and closes it again. @returns the reason for its failure; undefined when it was opened */
async function connect({ target, dialer }: Check, signal: AbortSignal): Promise<string | undefined> {
  try {
    const socket = await dialer.connect({ ...target, signal })
    socket.destroy()
    return undefined
  } catch (error) {
    return signal.aborted ? 'it does not answer' : messageOf(error)
  }
}
