import type { PluginContext } from 'sluice/sdk'

/** Who wants to know of changes. What one throws is logged, and the others are told. */
export class ChangeListeners {
  readonly #log: PluginContext<unknown>['log']
  readonly #listeners = new Set<() => void>()

  constructor(log: PluginContext<unknown>['log']) {
    this.#log = log
  }

  /** @returns what ends it. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener()
      } catch (error) {
        this.#log.error({ err: error }, 'a listener failed')
      }
    }
  }
}
