/**
 * The services plugins offer each other, by the names in `provides` and `requires`. A plugin that provides one declares
 * its type here: `declare module 'sluice/sdk' { interface Services { 'pull:rtmp': PullService } }`.
 */
export interface Services {}

/** How a plugin offers and finds services. */
export interface ServiceRegistry {
  /** Offers a service named in the definition's `provides`. */
  provide<Name extends keyof Services>(name: Name, service: Services[Name]): void
  /** A service of another plugin, or undefined while none offers it. */
  get<Name extends keyof Services>(name: Name): Services[Name] | undefined
}
