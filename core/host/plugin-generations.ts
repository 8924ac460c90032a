import type { DrainCause, PluginDefinition } from 'sluice/sdk'
import { unlessAborted } from '../base/deadline.ts'
import type { DrainingGenerations } from './generation/draining-generations.ts'
import type { GenerationParts, PluginSection } from './generation/generation-parts.ts'
import { KeptObjects } from './generation/kept-objects.ts'
import { Generation, type GenerationLimits } from './generation/generation.ts'

export type PluginGenerationsOptions = {
  readonly parts: GenerationParts
  readonly limits: GenerationLimits
  /** The list that retired generations are added to. */
  readonly draining: DrainingGenerations
}

/** The definition and the section of the next generation, and the reason for it. */
type Successor = { readonly definition: PluginDefinition; readonly section: PluginSection; readonly reason: string }

/** The generations of one plugin that were started and not retired: the running one, and the one that shall replace it. */
export class PluginGenerations {
  readonly #options: PluginGenerationsOptions
  readonly #generations = new Set<Generation>()
  #kept = new KeptObjects()
  #count = 0
  #setupMs = 0

  constructor(options: PluginGenerationsOptions) {
    this.#options = options
  }

  /** The number of successful starts, including those of generations that have ended. */
  get count(): number {
    return this.#count
  }

  /** The duration of the newest start, in milliseconds. */
  get setupMs(): number {
    return this.#setupMs
  }

  /**
   * Starts the first generation, or the first after a time without.
   * @throws the errors of `#launch`
   */
  async start(definition: PluginDefinition, section: PluginSection, signal: AbortSignal): Promise<Generation> {
    const generation = await this.#launch(definition, section, this.#kept, signal)
    generation.log.info({ version: definition.version, generation: generation.number }, 'plugin started')
    return generation
  }

  /**
   * Starts a generation beside the running one, which is then drained.
   * @throws the errors of `#launch`; the generation before goes on then
   */
  async replace(
    former: Generation,
    { definition, section, reason }: Successor,
    signal: AbortSignal,
  ): Promise<Generation> {
    // Code with another name is another plugin, even in the same file.
    const kept = definition.name === former.definition.name ? this.#kept : new KeptObjects()
    return this.#launch(definition, section, kept, signal, ({ log, number }) => {
      this.#kept = kept
      log.info({ generation: number }, `generation ${number} took over: ${reason}`)
      this.#retire(former, reason, 'replaced')
    })
  }

  /** Drains all generations. */
  retireAll(reason: string): void {
    for (const generation of this.#generations) this.#retire(generation, reason, 'removed')
  }

  /** Ends all generations at once. */
  async dispose(reason: string): Promise<void> {
    await Promise.all([...this.#generations].map((generation) => generation.dispose(reason)))
  }

  /**
   * Sets a generation up beside the running one, and makes it take over.
   * @param onTakeOver called in the turn in which it takes over
   * @throws {PluginError} when that fails; all that it made is undone by then
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
      await generation.bind()
      generation.activate()
      // No function of the generation is on the stack here: errors of the former keep their stack, and so would keep the newer generation.
      onTakeOver(generation)
    } catch (error) {
      await generation.dispose('start failed')
      this.#generations.delete(generation)
      throw error
    }
    this.#count += 1
    this.#setupMs = performance.now() - startMs
    return generation
  }

  /** Drains a generation. */
  #retire(generation: Generation, reason: string, cause: DrainCause): void {
    this.#generations.delete(generation)
    this.#options.draining.add(generation, reason, cause)
  }
}
