import type { PluginContext } from 'sluice/sdk'

/** Listeners to changes. An error of one is logged, and the others are called. */
export class ChangeListeners {
  readonly #log: PluginContext<unknown>['log']
  readonly #listeners = new Set<() => void>()
  #changed = false

  constructor(log: PluginContext<unknown>['log']) {
    this.#log = log
  }

  /** Something has changed that listeners were not called for. */
  get changed(): boolean {
    return this.#changed
  }

  /** @returns a function that removes the listener */
  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Notes a change. */
  readonly mark = (): void => {
    this.#changed = true
  }

  /** Calls the listeners once for all that has changed. */
  call(): void {
    if (!this.#changed) return
    this.#changed = false
    for (const listener of this.#listeners) {
      try {
        listener()
      } catch (error) {
        this.#log.error({ err: error }, 'a listener failed')
      }
    }
  }
}
