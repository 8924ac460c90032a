import { OverrideStack } from '../base/override-stack.ts'
import { PluginError } from './plugin-error.ts'

/** One generation of a plugin; compared by identity. */
export type ServiceOwner = { readonly plugin: string }

type Offer = { readonly plugin: string; readonly service: unknown }

/** The services that plugins offer at present, by name. */
export class ServiceDirectory {
  readonly #offers = new OverrideStack<Offer>()

  /**
   * Offers a service. It replaces the service of an earlier generation of the plugin, until its owner is removed.
   * @throws {PluginError} when another plugin offers it
   */
  provide(owner: ServiceOwner, name: string, service: unknown): void {
    this.assertFree(owner, name)
    this.#offers.set(name, owner, { plugin: owner.plugin, service })
  }

  /** @throws {PluginError} when another plugin offers the service */
  assertFree(owner: ServiceOwner, name: string): void {
    const rival = this.#offers.get(name)?.plugin
    if (rival === undefined || rival === owner.plugin) return
    throw new PluginError(`can't provide '${name}': plugin '${rival}' does already`)
  }

  get(name: string): unknown {
    return this.#offers.get(name)?.service
  }

  removeOwner(owner: ServiceOwner): void {
    this.#offers.removeOwner(owner)
  }
}
