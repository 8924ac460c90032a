import type { PluginDefinition, TcpListener } from 'sluice/sdk'
import type { Attempt } from './attempt.ts'
import type { DrainingGenerations } from './generation/draining-generations.ts'
import type { GenerationParts, PluginSection } from './generation/generation-parts.ts'
import { Generation, type GenerationLimits } from './generation/generation.ts'

export type GenerationLineDeps = {
  readonly parts: GenerationParts
  readonly limits: GenerationLimits
  readonly draining: DrainingGenerations
}

/** The generations of one plugin: which one runs, and how another takes its place. */
export class GenerationLine {
  readonly #deps: GenerationLineDeps
  readonly #attempt: Attempt
  #current: Generation | undefined
  #launching: Generation | undefined
  #count = 0
  #setupMs = 0

  constructor(deps: GenerationLineDeps, attempt: Attempt) {
    this.#deps = deps
    this.#attempt = attempt
  }

  get current(): Generation | undefined {
    return this.#current
  }

  /** How many were started. */
  get count(): number {
    return this.#count
  }

  /** The time of the newest start. */
  get setupMs(): number {
    return this.#setupMs
  }

  /** What the running one listens on, besides HTTP. */
  get listeners(): TcpListener['addresses'] {
    return this.#current?.listeners ?? []
  }

  /**
   * Starts the first, or the first after a time without.
   * @throws {PluginError} when that fails; all it made is undone by then
   */
  async start(definition: PluginDefinition, section: PluginSection): Promise<void> {
    const { log, number } = (this.#current = await this.#launch(definition, section))
    log.info({ version: definition.version, generation: number }, 'plugin started')
  }

  /**
   * Starts another beside the one that runs, which then is drained.
   * @throws {PluginError} when the other fails; the one before goes on
   */
  async replace(definition: PluginDefinition, section: PluginSection, reason: string): Promise<void> {
    const next = await this.#launch(definition, section)
    this.retire(reason)
    this.#current = next
    next.log.info({ generation: next.number }, `generation ${next.number} took over: ${reason}`)
  }

  /** Lets what runs come to its end. */
  retire(reason: string): void {
    if (this.#current) this.#deps.draining.add(this.#current, reason)
    this.#current = undefined
  }

  /** Ends what runs, at once. */
  async dispose(reason: string): Promise<void> {
    await Promise.all([this.#current?.dispose(reason), this.#launching?.dispose(reason)])
  }

  async #launch(definition: PluginDefinition, section: PluginSection): Promise<Generation> {
    const startMs = performance.now()
    const { parts, limits } = this.#deps
    const generation = new Generation({ definition, number: this.#count + 1, section, parts, limits })
    this.#launching = generation
    try {
      await this.#attempt.wait(generation.start())
      await generation.activate()
    } catch (error) {
      await generation.dispose('start failed')
      throw error
    } finally {
      this.#launching = undefined
    }
    this.#count += 1
    this.#setupMs = performance.now() - startMs
    return generation
  }
}
