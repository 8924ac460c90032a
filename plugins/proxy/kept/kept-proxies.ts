import type { ServerState } from '../health/server-watch.ts'
import type { ProxySettings } from './proxy-settings.ts'

/** Is told of a proxy that has come (nothing before), changed, or gone (nothing after). */
export type Follower<Settings> = (before: Settings | undefined, after: Settings | undefined) => void

/**
 * The proxies of one kind, as all generations of the plugin have them: plain data, so that the next generation knows them
 * when it takes over, also while the database is away, and can change them while the one before finishes a change of its own.
 */
export type KeptProxies<Settings extends ProxySettings> = {
  readonly proxies: Map<number, Settings>
  /** The ids of those that are enabled, by place. */
  readonly holders: Map<string, number>
  /** Those of the config file with which the server has started; undefined before they were taken in. */
  entries: readonly Settings[] | undefined
  /** True once those of the database are among them. */
  isLoaded: boolean
  /** Settles when the latest step is done. */
  turn: Promise<unknown>
  /** The followers of the generation that runs, until it drains. */
  readonly followers: Set<Follower<Settings>>
  /** The states of the servers of those that are enabled, by the ids of the proxies. */
  readonly servers: Map<number, ServerState>
}

/** Those of the first generation: none. */
export function noProxies<Settings extends ProxySettings>(): KeptProxies<Settings> {
  return {
    proxies: new Map(),
    holders: new Map(),
    entries: undefined,
    isLoaded: false,
    turn: Promise.resolve(),
    followers: new Set(),
    servers: new Map(),
  }
}
