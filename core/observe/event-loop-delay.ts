import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the delay is sampled. The histogram holds the whole time from sample to sample. */
const RESOLUTION_MS = 20
/** A reading is of this time at least, so that several who ask see the same and none takes it from the others. */
const WINDOW_MS = 5000

/** By how much the event loop was late, in seconds. */
export type LoopDelay = { readonly p50: number; readonly p99: number }

/** By how much the event loop is late: what a message that comes in may have to wait. */
export class EventLoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly #windowMs: number
  #readMs = performance.now()
  #last: LoopDelay | undefined

  constructor(windowMs = WINDOW_MS) {
    this.#windowMs = windowMs
    this.#histogram.enable()
  }

  /** What it was since the reading before, which is of five seconds at least; within these, the reading before again. */
  read(): LoopDelay {
    const nowMs = performance.now()
    if (this.#last !== undefined && nowMs - this.#readMs < this.#windowMs) return this.#last
    this.#last = { p50: this.#lateSeconds(50), p99: this.#lateSeconds(99) }
    this.#readMs = nowMs
    this.#histogram.reset()
    return this.#last
  }

  close(): void {
    this.#histogram.disable()
  }

  #lateSeconds(percent: number): number {
    const lateNs = this.#histogram.percentile(percent) - RESOLUTION_MS * 1e6
    return Math.max(0, lateNs) / 1e9
  }
}
