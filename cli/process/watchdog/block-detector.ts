/** The length from which a turn of the event loop delays all clients. */
const LONG_TURN_MS = 2000
/** The CPU time that such a turn must have used itself: on a machine that is merely busy, other processes use it. */
const LONG_TURN_CPU_MS = 1000
/** The length from which a turn is blocked even when it waits, as in a synchronous call of another program. */
const WAITING_TURN_MS = 10_000
/** The length from which a turn may never end. */
const STUCK_MS = 5000
/** The same while the server starts: it loads plugins, which takes long on a slow machine and is no error. */
const STARTING_STUCK_MS = 60_000

/** The state of the event loop at one time. */
export type Sight = {
  readonly nowMs: number
  /** The number of beats of the event loop so far, which come with its turns. */
  readonly beats: number
  /** The CPU time that the event loop's thread had used at the last beat, or later. */
  readonly cpuMs: number
  /** True until the server is up. */
  readonly isStarting: boolean
}

/** A turn of the event loop that the watchdog has to handle. */
export type Finding = {
  /**
   * - `long`: the turn takes long; there is nothing to log yet, but its code is to be recorded
   * - `loading`: it takes very long while the server starts; returned once for a turn
   * - `stuck`: it may never end; returned once for a turn
   * - `over`: it has ended
   */
  readonly kind: 'long' | 'loading' | 'stuck' | 'over'
  /** The time that the turn has taken so far. */
  readonly turnMs: number
  /** The number of the beat after which it began. */
  readonly beat: number
}

/**
 * Finds turns of the event loop that are too long, by regular checks. Time without checks does not count: the machine was
 * suspended, or had no time for any thread of this process.
 */
export class BlockDetector {
  readonly #tickMs: number
  #lastMs: number
  #beat: number
  #turnMs = 0
  /** The CPU time at the beginning of the turn. */
  #cpuMs: number
  /** True when the server was starting as the turn began. */
  #isStarting: boolean
  #isLoadingReported = false
  #isReported = false

  /** @param tickMs the interval at which `tick` is called */
  constructor(tickMs: number, { nowMs, beats, cpuMs, isStarting }: Sight) {
    this.#isStarting = isStarting
    this.#tickMs = tickMs
    this.#lastMs = nowMs
    this.#beat = beats
    this.#cpuMs = cpuMs
  }

  /** Takes the present state; returns undefined when there is nothing to do. */
  tick({ nowMs, beats, cpuMs, isStarting }: Sight): Finding | undefined {
    this.#turnMs += Math.min(nowMs - this.#lastMs, 2 * this.#tickMs)
    this.#lastMs = nowMs
    const turn = { turnMs: this.#turnMs, beat: this.#beat }
    const isBlocked = this.#isBlocked(cpuMs - this.#cpuMs)
    if (beats !== this.#beat) {
      this.#beat = beats
      this.#cpuMs = cpuMs
      this.#turnMs = 0
      this.#isReported = false
      this.#isLoadingReported = false
      const isToBeReported = isBlocked && (!this.#isStarting || turn.turnMs >= STARTING_STUCK_MS)
      this.#isStarting = isStarting
      return isToBeReported ? { kind: 'over', ...turn } : undefined
    }
    if (this.#isReported || turn.turnMs < LONG_TURN_MS) return undefined
    if (this.#isStarting && turn.turnMs < STARTING_STUCK_MS) {
      if (this.#isLoadingReported || turn.turnMs < STUCK_MS) return undefined
      this.#isLoadingReported = true
      return { kind: 'loading', ...turn }
    }
    this.#isReported = isBlocked && turn.turnMs >= STUCK_MS
    return { kind: this.#isReported ? 'stuck' : 'long', ...turn }
  }

  #isBlocked(turnCpuMs: number): boolean {
    if (this.#turnMs >= WAITING_TURN_MS) return true
    return this.#turnMs >= LONG_TURN_MS && turnCpuMs >= LONG_TURN_CPU_MS
  }
}
