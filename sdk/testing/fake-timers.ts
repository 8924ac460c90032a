import type { Logger } from 'pino'

type Callback = () => void | Promise<void>

/** The timers of a plugin in a fake host. They are real ones. */
export class FakeTimers {
  readonly #log: Logger
  readonly #timers = new Set<NodeJS.Timeout>()
  #disposed = false

  constructor(log: Logger) {
    this.#log = log
  }

  setTimeout(callback: Callback, delayMs: number): () => void {
    return this.#keep(() => setTimeout(() => void this.#call(callback), delayMs))
  }

  setInterval(callback: Callback, intervalMs: number): () => void {
    return this.#keep(() => setInterval(() => void this.#call(callback), intervalMs))
  }

  dispose(): void {
    this.#disposed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #keep(start: () => NodeJS.Timeout): () => void {
    if (this.#disposed) return () => {}
    const timer = start()
    this.#timers.add(timer)
    return () => clearTimeout(timer)
  }

  async #call(callback: Callback): Promise<void> {
    try {
      await callback()
    } catch (err) {
      this.#log.error({ err }, 'a timer failed')
    }
  }
}
