/** A turn of the event loop that takes longer holds up everybody. */
const LONG_TURN_MS = 2000
/** How much of it such a turn must have computed itself: on a machine that is merely busy, others did. */
const LONG_TURN_CPU_MS = 1000
/** A turn that takes longer is blocked whether it computes or waits, as in a synchronous call of another program. */
const WAITING_TURN_MS = 10_000
/** A turn that takes longer may never end. */
const STUCK_MS = 5000
/** While the server starts, it loads plugins, which takes a slow machine long and is nobody's fault. */
const STARTING_STUCK_MS = 60_000

/** What is seen of the event loop at one time. */
export type Sight = {
  readonly nowMs: number
  /** Counts the beats of the event loop, which come with its turns. */
  readonly beats: number
  /** CPU time that the event loop's thread had used at the last beat, or later. */
  readonly cpuMs: number
  /** The server is not up yet. */
  readonly isStarting: boolean
}

/** Something to do about a turn of the event loop. */
export type Finding = {
  /**
   * - `long`: the turn goes on for long; there is nothing to tell yet, but its code is worth a look
   * - `loading`: it goes on for very long while the server starts; comes once for a turn
   * - `stuck`: it may never end; comes once for a turn
   * - `over`: it has ended
   */
  readonly kind: 'long' | 'loading' | 'stuck' | 'over'
  /** How long it has taken so far. */
  readonly turnMs: number
  /** The beat that it began after. */
  readonly beat: number
}

/**
 * Finds turns of the event loop that are too long, from looks at it at regular intervals. Time in which nobody looked does
 * not count: the machine was suspended, or had no time for any thread of this process.
 */
export class BlockDetector {
  readonly #tickMs: number
  #lastMs: number
  #beat: number
  #turnMs = 0
  /** At the beginning of the turn. */
  #cpuMs: number
  /** The server was, when the turn began. */
  #isStarting: boolean
  #isLoadingTold = false
  #isTold = false

  /** @param tickMs how often `tick` is called */
  constructor(tickMs: number, { nowMs, beats, cpuMs, isStarting }: Sight) {
    this.#isStarting = isStarting
    this.#tickMs = tickMs
    this.#lastMs = nowMs
    this.#beat = beats
    this.#cpuMs = cpuMs
  }

  /** Takes in a sight; undefined when all is well, or all was told. */
  tick({ nowMs, beats, cpuMs, isStarting }: Sight): Finding | undefined {
    this.#turnMs += Math.min(nowMs - this.#lastMs, 2 * this.#tickMs)
    this.#lastMs = nowMs
    const turn = { turnMs: this.#turnMs, beat: this.#beat }
    const isBlocked = this.#isBlocked(cpuMs - this.#cpuMs)
    if (beats !== this.#beat) {
      this.#beat = beats
      this.#cpuMs = cpuMs
      this.#turnMs = 0
      this.#isTold = false
      this.#isLoadingTold = false
      const isToBeTold = isBlocked && (!this.#isStarting || turn.turnMs >= STARTING_STUCK_MS)
      this.#isStarting = isStarting
      return isToBeTold ? { kind: 'over', ...turn } : undefined
    }
    if (this.#isTold || turn.turnMs < LONG_TURN_MS) return undefined
    if (this.#isStarting && turn.turnMs < STARTING_STUCK_MS) {
      if (this.#isLoadingTold || turn.turnMs < STUCK_MS) return undefined
      this.#isLoadingTold = true
      return { kind: 'loading', ...turn }
    }
    this.#isTold = isBlocked && turn.turnMs >= STUCK_MS
    return { kind: this.#isTold ? 'stuck' : 'long', ...turn }
  }

  #isBlocked(turnCpuMs: number): boolean {
    if (this.#turnMs >= WAITING_TURN_MS) return true
    return this.#turnMs >= LONG_TURN_MS && turnCpuMs >= LONG_TURN_CPU_MS
  }
}
