import type { PluginContext } from 'sluice/sdk'

/** How often connections look at what is due: acknowledgements are due each 10 ms. */
const TICK_MS = 5

type Entry = { readonly tick: () => void; readonly failed: (error: unknown) => void }

/** Calls all that have something to do by time, by one timer that runs while there are any. */
export class Ticker {
  readonly #timers: Pick<PluginContext<unknown>, 'setInterval'>
  readonly #entries = new Set<Entry>()
  #cancel: (() => void) | undefined

  constructor(timers: Pick<PluginContext<unknown>, 'setInterval'>) {
    this.#timers = timers
  }

  /**
   * @param failed told what `tick` has thrown, which is called no more then
   * @returns takes it out again. Idempotent.
   */
  add(tick: () => void, failed: (error: unknown) => void): () => void {
    const entry = { tick, failed }
    this.#entries.add(entry)
    this.#cancel ??= this.#timers.setInterval(() => this.#run(), TICK_MS)
    return () => {
      this.#remove(entry)
    }
  }

  #run(): void {
    for (const entry of this.#entries) {
      try {
        entry.tick()
      } catch (error) {
        this.#remove(entry)
        entry.failed(error)
      }
    }
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry)
    if (this.#entries.size > 0) return
    this.#cancel?.()
    this.#cancel = undefined
  }
}
