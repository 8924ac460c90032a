import type { RecordService } from '../recording/record-service.ts'
import type { Recordings } from '../recording/recordings.ts'
import type { PullService } from '../stream/pull.ts'
import type { PushService } from '../stream/push.ts'
import type { Jobs } from './jobs.ts'
import type { Pictures } from './pictures.ts'
import type { ServerInfo } from './server-info.ts'

/**
 * The services that plugins offer each other, by the names in `provides` and `requires`. Those that the host uses are
 * declared here. A plugin that provides another one declares its type: `declare module 'sluice/sdk' { interface Services { catalog: … } }`.
 */
export interface Services {
  /** Fetches streams; `pull:` and the name of the plugin that provides it. */
  [pull: `pull:${string}`]: PullService
  /** Send streams out; `push:` and the name of the plugin that provides it. */
  [push: `push:${string}`]: PushService
  /** Containers that streams are recorded in; `record:` and the type of the recordings. */
  [record: `record:${string}`]: RecordService
  /** Makes pictures that people can look at; provided by the plugin `snap`. */
  pictures: Pictures
  /** Provided by the plugin `relay`. */
  jobs: Jobs
  /** Provided by the plugin `recording`. */
  recordings: Recordings
  /** The administration page, by its address on the server, which ends with a slash; provided by the plugin `console`. */
  console: { readonly url: string }
  /** Provided by the server itself. */
  server: ServerInfo
}

/** The services, as a plugin offers and finds them. */
export interface ServiceRegistry {
  /**
   * Offers a service from the moment when the generation takes over until it is replaced or unloaded.
   * @throws {SluiceError} when the definition's `provides` does not name it, or another plugin offers it
   */
  provide<Name extends keyof Services>(name: Name, service: Services[Name]): void
  /** Returns a service of another plugin, or undefined while none offers it. Ask again after that plugin was replaced. */
  get<Name extends keyof Services>(name: Name): Services[Name] | undefined
}
