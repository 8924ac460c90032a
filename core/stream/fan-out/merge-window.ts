import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/** Longest window that `auto` grows to, when the process is busy. */
export const MAX_AUTO_WINDOW_MS = 300
/** Longest window that is taken to save work while the process is not busy. */
export const MAX_SAVING_WINDOW_MS = 70
/** Up to so many writes a second, nothing is gathered: latency is worth more than what it would save. */
const FREE_WRITES_PER_SECOND = 10_000
/** Beyond that, the window is chosen so that about so many are left. */
const SAVING_WRITES_PER_SECOND = 6000
/** Utilisation of the event loop above which the window grows further, and below which it shrinks again. */
const BUSY = 0.6
const IDLE = 0.4
const FIRST_STEP_MS = 5
const GROWTH = 1.5

/** What the next window depends on. */
export type Load = {
  /** Sinks that take media, over all streams. */
  readonly sinks: number
  /** Writes a second that these would cost if each unit were written by itself. */
  readonly writesPerSecond: number
  /** Share of the time the event loop is busy, 0 to 1. */
  readonly utilization: number
}

/**
 * The next window. A write costs the same whatever its size, so many sinks get fewer, larger ones; and when that is
 * not enough to keep the process from being busy, the window grows step by step.
 */
export function nextWindowMs(windowMs: number, { sinks, writesPerSecond, utilization }: Load): number {
  const saving = writesPerSecond <= FREE_WRITES_PER_SECOND ? 0 : (1000 * sinks) / SAVING_WRITES_PER_SECOND
  const base = Math.min(MAX_SAVING_WINDOW_MS, saving)
  if (utilization > BUSY) return Math.min(MAX_AUTO_WINDOW_MS, Math.max(base, FIRST_STEP_MS, windowMs * GROWTH))
  const kept = utilization >= IDLE ? windowMs : windowMs / GROWTH
  return Math.max(base, kept < FIRST_STEP_MS ? 0 : kept)
}

/** How long output is gathered into one write, by the load of the process. One for all streams. */
export class MergeWindow {
  #windowMs = 0
  #utilization = 0
  #last: EventLoopUtilization = performance.eventLoopUtilization()

  /** The window that `auto` stands for at present, in milliseconds. */
  get autoMs(): number {
    return this.#windowMs
  }

  /** Share of the time the event loop was busy between the last two samples: 0 to 1. */
  get utilization(): number {
    return this.#utilization
  }

  /** Chooses the window anew. To be called regularly, with what the streams ask for. */
  sample(demand: Omit<Load, 'utilization'>): void {
    const now = performance.eventLoopUtilization()
    this.#utilization = performance.eventLoopUtilization(now, this.#last).utilization
    this.#last = now
    this.#windowMs = nextWindowMs(this.#windowMs, { ...demand, utilization: this.#utilization })
  }
}
