import { monitorEventLoopDelay } from 'node:perf_hooks'

/** The interval of the samples. The histogram covers the whole time from sample to sample. */
const RESOLUTION_MS = 20
/** The shortest time of a reading, so that several readers get the same one, and none takes the samples from the others. */
const WINDOW_MS = 5000

/** The delay of the event loop, in seconds. */
export type LoopDelay = { readonly p50: number; readonly p99: number }

/** Measures the delay of the event loop: the time that an incoming message may have to wait. */
export class EventLoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly #windowMs: number
  #readMs = performance.now()
  #last: LoopDelay | undefined

  constructor(windowMs = WINDOW_MS) {
    this.#windowMs = windowMs
    this.#histogram.enable()
  }

  /** Returns the delay since the reading before, over five seconds at least; within these, the reading before again. */
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
