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

  /** Undefined while the definition is not the one that counts for its name. */
  get section(): PluginSection | undefined {
    return this.#section
  }

  set section(section: PluginSection) {
    this.#section = section
  }

  /** Accepts a definition of which it isn't known yet whether it can have its name. */
  accept(definition: PluginDefinition): void {
    this.#giveUpName(definition)
    this.#definition = definition
    this.#section = undefined
  }

  /**
   * Takes the name: from now on, changes of its section are told.
   * @throws {Error} when the section is wrong
   */
  declare(definition: PluginDefinition): PluginSection {
    this.#section = this.#config.declare(definition)
    return this.#section
  }

  /** Newer code is to take over; under the same name, a changed config may suit it already. */
  propose(definition: PluginDefinition): void {
    if (definition.name === this.#definition?.name) this.#config.propose(definition)
  }

  /** Newer code has taken over, maybe under another name. */
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
