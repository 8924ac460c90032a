import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/** The longest window that `auto` grows to, when the process is busy. */
export const MAX_AUTO_WINDOW_MS = 300
/** The longest window that is used to save work while the process is not busy. */
export const MAX_SAVING_WINDOW_MS = 70
/** The rate of writes up to which nothing is gathered: latency is worth more than the saving. */
const FREE_WRITES_PER_SECOND = 10_000
/** The rate of writes that the window aims at beyond that. */
const SAVING_WRITES_PER_SECOND = 6000
/** The utilisation of the event loop above which the window grows further, and below which it shrinks again. */
const BUSY = 0.6
const IDLE = 0.4
const FIRST_STEP_MS = 5
const GROWTH = 1.5

/** The inputs of the next window. */
export type Load = {
  /** The number of sinks that take media, over all streams. */
  readonly sinks: number
  /** The writes a second that the sinks would cost if each unit were written by itself. */
  readonly writesPerSecond: number
  /** The share of the time in which the event loop is busy, 0 to 1. */
  readonly utilization: number
}

/**
 * Returns the next window. A write costs the same whatever its size, so many sinks get fewer, larger ones; and when that is
 * not enough to keep the process from being busy, the window grows step by step.
 */
export function nextWindowMs(windowMs: number, { sinks, writesPerSecond, utilization }: Load): number {
  const saving = writesPerSecond <= FREE_WRITES_PER_SECOND ? 0 : (1000 * sinks) / SAVING_WRITES_PER_SECOND
  const base = Math.min(MAX_SAVING_WINDOW_MS, saving)
  if (utilization > BUSY) return Math.min(MAX_AUTO_WINDOW_MS, Math.max(base, FIRST_STEP_MS, windowMs * GROWTH))
  const kept = utilization >= IDLE ? windowMs : windowMs / GROWTH
  return Math.max(base, kept < FIRST_STEP_MS ? 0 : kept)
}

/** The time for which output is gathered into one write, by the load of the process. There is one for all streams. */
export class MergeWindow {
  #windowMs = 0
  #utilization = 0
  #last: EventLoopUtilization = performance.eventLoopUtilization()

  /** The window that `auto` stands for at present, in milliseconds. */
  get autoMs(): number {
    return this.#windowMs
  }

  /** The share of the time in which the event loop was busy between the last two samples: 0 to 1. */
  get utilization(): number {
    return this.#utilization
  }

  /** Chooses the window anew, by the demand of the streams; to be called regularly. */
  sample(demand: Omit<Load, 'utilization'>): void {
    const now = performance.eventLoopUtilization()
    this.#utilization = performance.eventLoopUtilization(now, this.#last).utilization
    this.#last = now
    this.#windowMs = nextWindowMs(this.#windowMs, { ...demand, utilization: this.#utilization })
  }
}
