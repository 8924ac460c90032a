import type { ServiceRegistry, Services } from '../plugin/services.ts'

/** Services of other plugins, by name. */
export type OtherServices = { readonly [Name in keyof Services]?: Services[Name] }

/** Services of other plugins, given by the test, and those that the plugin provides. */
export class FakeServices implements ServiceRegistry {
  /** The services that the plugin has provided, by name. */
  readonly provided = new Map<string, unknown>()
  readonly #names: readonly string[]
  readonly #others: Readonly<Record<string, unknown>>

  constructor(names: readonly string[], others: OtherServices) {
    this.#names = names
    this.#others = others
  }

  /** @throws {Error} when the definition does not name the service in `provides` */
  provide<Name extends keyof Services>(name: Name, service: Services[Name]): void {
    const text: string = name
    if (!this.#names.includes(text)) throw new Error(`the definition does not name the service ${text} in provides`)
    this.provided.set(text, service)
  }

  get<Name extends keyof Services>(name: Name): Services[Name] | undefined {
    const text: string = name
    return (this.provided.get(text) ?? this.#others[text]) as Services[Name] | undefined
  }
}
