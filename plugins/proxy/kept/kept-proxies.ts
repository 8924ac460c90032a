import type { ServerState } from '../health/server-watch.ts'
import type { ProxySettings } from './proxy-settings.ts'

/** Called when a proxy has come (`before` is undefined), changed, or gone (`after` is undefined). */
export type Follower<Settings> = (before: Settings | undefined, after: Settings | undefined) => void

/**
 * The proxies of one kind, which all generations of the plugin share: plain data, so that the next generation knows them when it takes
 * over, also while the database is away, and can change them while the one before finishes a change of its own.
 */
export type KeptProxies<Settings extends ProxySettings> = {
  readonly proxies: Map<number, Settings>
  /** The ids of the enabled proxies, by place. */
  readonly holders: Map<string, number>
  /** The proxies of the config file with which the server has started; undefined before they were added. */
  entries: readonly Settings[] | undefined
  /** True once the proxies of the database are among them. */
  isLoaded: boolean
  /** Settles when the latest step is done. */
  turn: Promise<unknown>
  /** The followers of the generation that runs, until it drains. */
  readonly followers: Set<Follower<Settings>>
  /** The states of the servers of the enabled proxies, by the ids of the proxies. */
  readonly servers: Map<number, ServerState>
}

/** Returns the state with which the first generation begins: no proxies. */
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
