import type { DrainCause } from 'sluice/sdk'
import type { Generation } from './generation.ts'

/** The generations that were replaced or removed, and still have sessions. */
export class DrainingGenerations {
  readonly #generations = new Set<Generation>()
  readonly #timeoutMs: () => number

  /** @param timeoutMs returns the longest time that a generation may drain, 0 for no limit; called for each */
  constructor(timeoutMs: () => number) {
    this.#timeoutMs = timeoutMs
  }

  add(generation: Generation, reason: string, cause: DrainCause): void {
    this.#generations.add(generation)
    void this.#drain(generation, reason, cause)
  }

  /** The names of the plugins of these generations, one entry for each generation. */
  get plugins(): string[] {
    return [...this.#generations].map(({ definition }) => definition.name)
  }

  async disposeAll(reason: string): Promise<void> {
    await Promise.all([...this.#generations].map((generation) => generation.dispose(reason)))
  }

  async #drain(generation: Generation, reason: string, cause: DrainCause): Promise<void> {
    await generation.drain(reason, this.#timeoutMs(), cause)
    this.#generations.delete(generation)
    generation.log.info({ generation: generation.number }, `generation ${generation.number} has ended: ${reason}`)
  }
}
