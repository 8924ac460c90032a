import type { PluginContext } from 'sluice/sdk'

/** How often connections look at what is due: acknowledgements are due each 10 ms. */
const TICK_MS = 5

/** Calls all that have something to do by time, by one timer that runs while there are any. */
export class Ticker {
  readonly #timers: Pick<PluginContext<unknown>, 'setInterval'>
  readonly #ticks = new Set<() => void>()
  #cancel: (() => void) | undefined

  constructor(timers: Pick<PluginContext<unknown>, 'setInterval'>) {
    this.#timers = timers
  }

  /** @returns takes it out again. Idempotent. */
  add(tick: () => void): () => void {
    // Each has an entry of its own, also where the same function is given twice.
    const entry = () => tick()
    this.#ticks.add(entry)
    this.#cancel ??= this.#timers.setInterval(() => this.#run(), TICK_MS)
    return () => {
      this.#ticks.delete(entry)
      if (this.#ticks.size > 0) return
      this.#cancel?.()
      this.#cancel = undefined
    }
  }

  #run(): void {
    for (const tick of this.#ticks) tick()
  }
}
