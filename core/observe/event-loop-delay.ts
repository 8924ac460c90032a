import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the delay is sampled. The histogram holds the whole time from sample to sample. */
const RESOLUTION_MS = 20

/** By how much the event loop is late: what a message that comes in may have to wait. */
export class EventLoopDelay {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

  constructor() {
    this.#histogram.enable()
  }

  /** The 99th percentile since it was last asked for, in seconds. */
  takeP99Seconds(): number {
    const lateNs = this.#histogram.percentile(99) - RESOLUTION_MS * 1e6
    this.#histogram.reset()
    return Math.max(0, lateNs) / 1e9
  }

  close(): void {
    this.#histogram.disable()
  }
}
