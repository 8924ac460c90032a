import type { PluginDefinition } from 'sluice/sdk'
import type { GenerationParts, PluginSection } from './generation/generation-parts.ts'

/** The definition of a plugin that was accepted last, and its section of the config. */
export class Declaration {
  readonly #config: GenerationParts['config']
  #definition: PluginDefinition | undefined
  #section: PluginSection | undefined

  constructor(config: GenerationParts['config']) {
    this.#config = config
  }

  get definition(): PluginDefinition | undefined {
    return this.#definition
  }

  /** The section of the definition; undefined until the definition has its name. */
  get section(): PluginSection | undefined {
    return this.#section
  }

  set section(section: PluginSection) {
    this.#section = section
  }

  /** Accepts a definition before it is known whether it can have its name. */
  accept(definition: PluginDefinition): void {
    this.#giveUpName(definition)
    this.#definition = definition
    this.#section = undefined
  }

  /**
   * Takes the name: from now on, reloads of the config report the changes of its section.
   * @throws {Error} when the section is wrong
   */
  declare(definition: PluginDefinition): PluginSection {
    this.#section = this.#config.declare(definition)
    return this.#section
  }

  /** Announces newer code that shall take over: under the same name, a changed config may fit it already. */
  propose(definition: PluginDefinition): void {
    if (definition.name === this.#definition?.name) this.#config.propose(definition)
  }

  /** Replaces the definition by newer code that has taken over, perhaps under another name. */
  replace(definition: PluginDefinition, section: PluginSection): void {
    this.#giveUpName(definition)
    this.#definition = definition
    this.#section = section
    this.#config.declare(definition)
  }

  /** Gives the name up. */
  forget(): void {
    if (this.#definition !== undefined && this.#section !== undefined) this.#config.forget(this.#definition.name)
  }

  #giveUpName({ name }: PluginDefinition): void {
    if (this.#definition?.name !== name) this.forget()
  }
}
