import type { PullService } from '../stream/pull.ts'
import type { ServerInfo } from './server-info.ts'

/**
 * The services plugins offer each other, by the names in `provides` and `requires`. Those that the host knows are here. A
 * plugin that provides another one declares its type: `declare module 'sluice/sdk' { interface Services { catalog: … } }`.
 */
export interface Services {
  /** Fetches streams; `pull:` and the name of the plugin that provides it. */
  [pull: `pull:${string}`]: PullService
  /** Provided by the server itself. */
  server: ServerInfo
}

/** How a plugin offers and finds services. */
export interface ServiceRegistry {
  /** Offers a service named in the definition's `provides`. */
  provide<Name extends keyof Services>(name: Name, service: Services[Name]): void
  /** A service of another plugin, or undefined while none offers it. */
  get<Name extends keyof Services>(name: Name): Services[Name] | undefined
}
