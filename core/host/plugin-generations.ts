import type { DrainCause, PluginDefinition } from 'sluice/sdk'
import { unlessAborted } from '../base/deadline.ts'
import type { DrainingGenerations } from './generation/draining-generations.ts'
import type { GenerationParts, PluginSection } from './generation/generation-parts.ts'
import { KeptObjects } from './generation/kept-objects.ts'
import { Generation, type GenerationLimits } from './generation/generation.ts'

export type PluginGenerationsOptions = {
  readonly parts: GenerationParts
  readonly limits: GenerationLimits
  /** Takes those that are retired. */
  readonly draining: DrainingGenerations
}

/** What takes the place of a generation, and why. */
type Successor = { readonly definition: PluginDefinition; readonly section: PluginSection; readonly reason: string }

/** The generations of one plugin that were begun and not retired: the one that runs, and the one that is to replace it. */
export class PluginGenerations {
  readonly #options: PluginGenerationsOptions
  readonly #generations = new Set<Generation>()
  #kept = new KeptObjects()
  #count = 0
  #setupMs = 0

  constructor(options: PluginGenerationsOptions) {
    this.#options = options
  }

  /** How many were started with success, those included that are gone. */
  get count(): number {
    return this.#count
  }

  /** How long the newest start took. */
  get setupMs(): number {
    return this.#setupMs
  }

  /**
   * Starts the first generation, or the first after a time without.
   * @throws as `#launch`
   */
  async start(definition: PluginDefinition, section: PluginSection, signal: AbortSignal): Promise<Generation> {
    const generation = await this.#launch(definition, section, this.#kept, signal)
    generation.log.info({ version: definition.version, generation: generation.number }, 'plugin started')
    return generation
  }

  /**
   * Starts a generation beside the one that runs, which is then drained.
   * @throws as `#launch`; the one before goes on
   */
  async replace(
    former: Generation,
    { definition, section, reason }: Successor,
    signal: AbortSignal,
  ): Promise<Generation> {
    // Code that lies in the same place under another name is another plugin.
    const kept = definition.name === former.definition.name ? this.#kept : new KeptObjects()
    return this.#launch(definition, section, kept, signal, ({ log, number }) => {
      this.#kept = kept
      log.info({ generation: number }, `generation ${number} took over: ${reason}`)
      this.#retire(former, reason, 'replaced')
    })
  }

  /** Lets all come to their end. */
  retireAll(reason: string): void {
    for (const generation of this.#generations) this.#retire(generation, reason, 'removed')
  }

  /** Ends all, at once. */
  async dispose(reason: string): Promise<void> {
    await Promise.all([...this.#generations].map((generation) => generation.dispose(reason)))
  }

  /**
   * Sets a generation up beside the one that runs, and has it take over.
   * @param onTakeOver is called in the turn in which it does
   * @throws {PluginError} when that fails; all it made is undone by then
   * @throws the signal's reason when that aborts while `setup` runs
   */
  async #launch(
    definition: PluginDefinition,
    section: PluginSection,
    kept: KeptObjects,
    signal: AbortSignal,
    onTakeOver: (generation: Generation) => void = () => {},
  ): Promise<Generation> {
    const startMs = performance.now()
    const { parts, limits } = this.#options
    const generation = new Generation({ definition, number: this.#count + 1, section, parts, kept, limits })
    this.#generations.add(generation)
    try {
      await unlessAborted(generation.start(), signal)
      await generation.activate(() => onTakeOver(generation))
    } catch (error) {
      await generation.dispose('start failed')
      this.#generations.delete(generation)
      throw error
    }
    this.#count += 1
    this.#setupMs = performance.now() - startMs
    return generation
  }

  /** Lets a generation come to its end. */
  #retire(generation: Generation, reason: string, cause: DrainCause): void {
    this.#generations.delete(generation)
    this.#options.draining.add(generation, reason, cause)
  }
}
