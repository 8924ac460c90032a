import { constants, PerformanceObserver, type PerformanceNodeEntry } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'

/** Collections of the old generation should be this far apart. */
const INTERVAL_MS = 4000
/** By how much the heap may grow between two of them, in percent of what outlives one. */
const MIN_PERCENT = 20
const MAX_PERCENT = 300
/** By what factor one collection changes that at most. */
const MAX_STEP = 4

/**
 * Decides how far the heap may grow until the old generation is collected. V8 knows a share only, and counts media
 * against it as fast as it is published: with a fixed one, a server with many publishers does little but collect, or one
 * with few carries memory along that nobody uses. So the share follows from how often collections come, and what is not
 * collected yet is no more than what is published in four seconds.
 */
export class HeapGrowth {
  readonly #apply: (percent: number) => void
  readonly #observer = new PerformanceObserver((list) => this.#observe(list.getEntries()))
  #percent = MIN_PERCENT
  #lastMs = 0

  /** @param apply Sets the share; that of this process unless given. */
  constructor(apply: (percent: number) => void = setHeapGrowth) {
    this.#apply = apply
  }

  /** Acts from here on. */
  start(): void {
    this.#lastMs = performance.now()
    this.#apply(this.#percent)
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  /** The old generation was collected; a time on the clock of `performance`. */
  collected(timeMs: number): void {
    const factor = INTERVAL_MS / Math.max(1, timeMs - this.#lastMs)
    this.#lastMs = timeMs
    const percent = this.#percent * Math.min(MAX_STEP, Math.max(1 / MAX_STEP, factor))
    this.#percent = Math.round(Math.min(MAX_PERCENT, Math.max(MIN_PERCENT, percent)))
    this.#apply(this.#percent)
  }

  #observe(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries) if (isMajor(entry)) this.collected(entry.startTime)
  }
}

function isMajor(entry: PerformanceEntry): boolean {
  const { kind }: { readonly kind?: number } = (entry as PerformanceNodeEntry).detail
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}
