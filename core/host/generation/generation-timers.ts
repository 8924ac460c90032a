import { callPlugin } from '../error-owner.ts'
import { guard } from '../../base/guard.ts'
import type { GenerationOwner } from './generation-parts.ts'

type Callback = () => void | Promise<void>

/** The timers of one generation, none of which outlives it. */
export class GenerationTimers {
  readonly #owner: GenerationOwner
  readonly #timers = new Set<NodeJS.Timeout>()
  #ended = false

  constructor(owner: GenerationOwner) {
    this.#owner = owner
  }

  /** See `PluginContext.setTimeout`. */
  setTimeout(callback: Callback, delayMs: number): () => void {
    if (this.#ended) return () => {}
    const timer: NodeJS.Timeout = setTimeout(() => {
      this.#timers.delete(timer)
      this.#call('timeout', callback)
    }, delayMs)
    return this.#keep(timer)
  }

  /** See `PluginContext.setInterval`. */
  setInterval(callback: Callback, intervalMs: number): () => void {
    if (this.#ended) return () => {}
    return this.#keep(setInterval(() => this.#call('interval', callback), intervalMs))
  }

  /** Cancels all timers; timers that are set later never fire. */
  end(): void {
    this.#ended = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #keep(timer: NodeJS.Timeout): () => void {
    this.#timers.add(timer)
    return () => {
      clearTimeout(timer)
      this.#timers.delete(timer)
    }
  }

  #call(what: string, callback: Callback): void {
    guard(this.#owner.log, `${what} callback`, () => callPlugin(this.#owner.plugin, callback))
  }
}
