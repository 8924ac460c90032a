import { PluginError } from './plugin-error.ts'

/** One generation of a plugin; known by identity. */
export type ServiceOwner = { readonly plugin: string }

type Offer = { readonly owner: ServiceOwner; readonly service: unknown }

/** The services that plugins offer at present, by name. */
export class ServiceBoard {
  readonly #offers = new Map<string, Offer>()

  /**
   * Offers a service, in place of the one an earlier generation of the plugin offers.
   * @throws {PluginError} when another plugin offers it
   */
  provide(owner: ServiceOwner, name: string, service: unknown): void {
    this.assertFree(owner, name)
    this.#offers.set(name, { owner, service })
  }

  /** @throws {PluginError} when another plugin offers the service */
  assertFree(owner: ServiceOwner, name: string): void {
    const rival = this.#offers.get(name)?.owner.plugin
    if (rival === undefined || rival === owner.plugin) return
    throw new PluginError(`can't provide '${name}': plugin '${rival}' does already`)
  }

  get(name: string): unknown {
    return this.#offers.get(name)?.service
  }

  removeOwner(owner: ServiceOwner): void {
    for (const [name, offer] of this.#offers) if (offer.owner === owner) this.#offers.delete(name)
  }
}
