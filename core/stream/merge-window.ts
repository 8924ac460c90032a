import { performance, type EventLoopUtilization } from 'node:perf_hooks'

/** Longest window that `auto` grows to. */
export const MAX_AUTO_WINDOW_MS = 300
const SAMPLE_MS = 250
/** Utilisation of the event loop above which the window grows, and below which it shrinks. */
const BUSY = 0.6
const IDLE = 0.4
const FIRST_STEP_MS = 5
const GROWTH = 1.5

/** The next window for a utilisation of the event loop between 0 and 1. */
export function nextWindowMs(windowMs: number, utilization: number): number {
  if (utilization > BUSY) return Math.min(MAX_AUTO_WINDOW_MS, Math.max(FIRST_STEP_MS, windowMs * GROWTH))
  if (utilization >= IDLE) return windowMs
  const shrunk = windowMs / GROWTH
  return shrunk < FIRST_STEP_MS ? 0 : shrunk
}

/** How long output is gathered into one write, by the load of the process. One for all streams. */
export class MergeWindow {
  #windowMs = 0
  #utilization = 0
  #last: EventLoopUtilization = performance.eventLoopUtilization()
  readonly #timer: NodeJS.Timeout

  constructor() {
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref()
  }

  /** The window that `auto` stands for at present, in milliseconds. */
  get autoMs(): number {
    return this.#windowMs
  }

  /** Share of the time the event loop was busy, at the last sample: 0 to 1. */
  get utilization(): number {
    return this.#utilization
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #sample(): void {
    const now = performance.eventLoopUtilization()
    this.#utilization = performance.eventLoopUtilization(now, this.#last).utilization
    this.#last = now
    this.#windowMs = nextWindowMs(this.#windowMs, this.#utilization)
  }
}
