import type { PluginContext } from 'sluice/sdk'

/**
 * Who wants to know of changes, and what makes them: a step of the media path, which ends here whatever it throws. What
 * a listener throws is logged, and the others are told.
 */
export class ChangeListeners {
  readonly #log: PluginContext<unknown>['log']
  readonly #listeners = new Set<() => void>()
  #changed = false
  #complained = false

  constructor(log: PluginContext<unknown>['log']) {
    this.#log = log
  }

  /** @returns what ends it. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Takes note that the step that runs has changed something. */
  mark(): void {
    this.#changed = true
  }

  /** Runs a step, and then tells of all that it changed at once. */
  run(step: () => void): void {
    try {
      step()
    } catch (error) {
      if (!this.#complained) this.#log.error({ err: error }, 'a unit could not be put into a segment')
      this.#complained = true
    }
    if (!this.#changed) return
    this.#changed = false
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener()
      } catch (error) {
        this.#log.error({ err: error }, 'a listener failed')
      }
    }
  }
}
