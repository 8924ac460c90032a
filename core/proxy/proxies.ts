import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { StoreUnavailable, type Dialer } from 'sluice/sdk'
import type { PullProxyEntry, PushProxyEntry } from 'sluice/sdk'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { PullManager } from '../jobs/pull-manager.ts'
import type { PushManager } from '../jobs/push-manager.ts'
import type { Store } from '../store/store.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { configuredPulls, configuredPushes } from './config-entries.ts'
import { HealthCheck } from './health-check.ts'
import type { ProtocolOf } from './proxy-fields.ts'
import { FIRST_UNKEPT_ID } from './proxy-roster.ts'
import { PROXY_MIGRATIONS, pullProxyTable, pushProxyTable, type ProxyTables } from './proxy-tables.ts'
import { PullProxies } from './pull-proxies.ts'
import { PushProxies } from './push-proxies.ts'

/** A database that is slow or away holds the start up no longer than this. */
const LOAD_PATIENCE_MS = 2000

type ProxiesOptions = {
  readonly log: Logger
  readonly store: Pick<Store, 'exists' | 'onAvailable' | 'tables'>
  /** The config with which the server starts. */
  readonly config: () => {
    readonly pullproxy: readonly PullProxyEntry[]
    readonly pushproxy: readonly PushProxyEntry[]
  }
  readonly pulls: PullManager
  readonly pushes: PushManager
  /** Records what proxies say, while it is pulled. */
  readonly recordings: {
    addSource(source: (streamPath: string) => { folder: string; fragmentMs: number } | undefined): void
  }
  readonly streams: Pick<StreamRegistry, 'get'>
  readonly hooks: Pick<HookRunner, 'registryFor'>
  /** @param proxy its address; empty is none */
  readonly dialer: (proxy: string) => Dialer
}

/** All proxies of the server, and what looks after their servers. */
export class Proxies {
  readonly pulls: PullProxies
  readonly pushes: PushProxies
  /** The types of addresses that no rule of the proxies knows, by direction. */
  readonly protocolOf: { readonly pull: ProtocolOf; readonly push: ProtocolOf }
  readonly #options: ProxiesOptions
  readonly #health = new HealthCheck()
  #forgetStore: () => void = () => {}

  constructor(options: ProxiesOptions) {
    const { log, store, streams, hooks, dialer, pulls, pushes } = options
    this.#options = options
    this.protocolOf = {
      pull: (url) => pulls.protocolOf(url),
      push: (url) => pushes.protocolOf(url),
    }
    const db = store.tables<ProxyTables>('proxy', PROXY_MIGRATIONS)
    const shared = { log, hooks, dialer, health: this.#health }
    this.pulls = new PullProxies({ ...shared, pulls, table: pullProxyTable(db) })
    options.recordings.addSource((streamPath) => this.pulls.recordingOf(streamPath))
    this.pushes = new PushProxies({ ...shared, streams, pushes, table: pushProxyTable(db) })
  }

  /**
   * Begins with the entries of the config, and with what is in the database as soon as it is there. Waits a little for
   * that, so that the first viewers find them.
   */
  async start(): Promise<void> {
    const { config, log, store } = this.#options
    const { pullproxy, pushproxy } = config()
    const pulls = configuredPulls(pullproxy, this.protocolOf.pull, log)
    const pushes = configuredPushes(pushproxy, this.protocolOf.push, log)
    this.pulls.roster.begin(pulls)
    this.pushes.roster.begin(pushes)
    this.#forgetStore = store.onAvailable(() => void this.#load())
    // The rows of entries are to be as these are, also where there is no database yet.
    const isNeeded = store.exists || [...pulls, ...pushes].some(({ id }) => id < FIRST_UNKEPT_ID)
    if (!isNeeded) return
    const timeout = new AbortController()
    const patience = delay(LOAD_PATIENCE_MS, undefined, { signal: timeout.signal }).catch(() => {})
    await Promise.race([this.#load(), patience])
    timeout.abort()
  }

  /** Looks after nothing any more. */
  close(): void {
    this.#forgetStore()
    this.#health.close()
    this.pulls.close()
    this.pushes.close()
  }

  async #load(): Promise<void> {
    for (const { roster } of [this.pulls, this.pushes]) {
      try {
        await roster.load()
      } catch (err) {
        // The store has said so, and says when it is there.
        if (!(err instanceof StoreUnavailable)) this.#options.log.error({ err }, 'the stored proxies were not read')
      }
    }
  }
}
