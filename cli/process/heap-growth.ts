import { constants, PerformanceObserver, type PerformanceNodeEntry } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'

/** The wanted time between two collections of the old generation. */
const INTERVAL_MS = 4000
/** The limits of the heap's growth between two of them, in percent of the memory that survives one. */
const MIN_PERCENT = 20
const MAX_PERCENT = 300
/** The largest factor by which one collection changes the growth. */
const MAX_STEP = 4

/**
 * Decides how far the heap may grow until the old generation is collected. V8 has a share as the limit, and counts media
 * against it as fast as it is published: with a fixed share, a server with many publishers would mostly collect, or one with
 * few would keep much memory that it does not use. So the share follows the interval of the collections, and the memory that is not
 * collected yet is no more than the media of four seconds.
 */
export class HeapGrowth {
  readonly #apply: (percent: number) => void
  readonly #observer = new PerformanceObserver((list) => this.#observe(list.getEntries()))
  #percent = MIN_PERCENT
  #lastMs = 0

  /** @param apply sets the share; that of this process unless given */
  constructor(apply: (percent: number) => void = setHeapGrowth) {
    this.#apply = apply
  }

  /** Begins to adapt the growth. */
  start(): void {
    this.#lastMs = performance.now()
    this.#apply(this.#percent)
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  /** Adapts the growth after a collection of the old generation, at a time on the clock of `performance`. */
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
