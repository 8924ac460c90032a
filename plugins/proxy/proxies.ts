import { setTimeout as delay } from 'node:timers/promises'
import { StoreUnavailable, type PluginContext } from 'sluice/sdk'
import { checkTargetOf } from './health/check-target.ts'
import { HealthCheck } from './health/health-check.ts'
import { configuredPulls, configuredPushes } from './kept/config-entries.ts'
import { noProxies } from './kept/kept-proxies.ts'
import type { PullProxySettings, PushProxySettings } from './kept/proxy-settings.ts'
import { pullProxyTable, pushProxyTable, type ProxyTables } from './kept/proxy-tables.ts'
import { proxyTypes, type ProxyTypes } from './kept/proxy-type.ts'
import { PullProxies } from './pull-proxies.ts'
import { PushProxies } from './push-proxies.ts'

/** The longest that a slow or absent database delays the start. */
const LOAD_PATIENCE_MS = 2000

/** All proxies of the server, and the checks of their servers. */
export class Proxies {
  readonly pulls: PullProxies
  readonly pushes: PushProxies
  /** The types of proxies, by direction. */
  readonly types: { readonly pull: ProxyTypes; readonly push: ProxyTypes }
  readonly #ctx: PluginContext<unknown>
  readonly #health = new HealthCheck()

  constructor(ctx: PluginContext<unknown>) {
    const { log, plugins, hooks, streams, net } = ctx
    const { pulls, pushes } = ctx.jobs
    this.#ctx = ctx
    this.types = {
      pull: proxyTypes(plugins, (url) => pulls.protocolOf(url)),
      push: proxyTypes(plugins, (url) => pushes.protocolOf(url)),
    }
    const shared = {
      log,
      hooks,
      health: this.#health,
      dialer: (proxy: string) => net.dialer(proxy),
      targetOf: (url: string) => checkTargetOf(url, plugins),
    }
    const db = ctx.store<ProxyTables>()
    const keptPulls = ctx.keep('pulls', () => noProxies<PullProxySettings>())
    const keptPushes = ctx.keep('pushes', () => noProxies<PushProxySettings>())
    this.pulls = new PullProxies({ ...shared, kept: keptPulls, pulls, table: pullProxyTable(db) })
    this.pushes = new PushProxies({ ...shared, kept: keptPushes, streams, pushes, table: pushProxyTable(db) })
  }

  /**
   * Adds the entries of the config, and the proxies of the database as soon as it is there. Waits a little for that, so that the first
   * viewers find them. Pulls, pushes and checks begin when the generation takes over.
   */
  async start(): Promise<void> {
    const { database, global, log } = this.#ctx
    this.pulls.roster.begin(() => configuredPulls(global.pullproxy, this.types.pull, log))
    this.pushes.roster.begin(() => configuredPushes(global.pushproxy, this.types.push, log))
    database.onAvailable(() => this.#load())
    this.#begin()
    this.#ctx.onDrain((cause) => {
      this.#health.close()
      this.pulls.close(cause)
      this.pushes.close(cause)
    })
    const timeout = new AbortController()
    const patience = delay(LOAD_PATIENCE_MS, undefined, { signal: timeout.signal }).catch(() => {})
    await Promise.race([this.#load(), patience])
    timeout.abort()
  }

  /** Begins the pulls, pushes and checks of the proxies when the generation takes over. */
  #begin(): void {
    let hasBegun = false
    this.#ctx.plugins.onChange(() => {
      if (hasBegun) return
      hasBegun = true
      this.pulls.begin()
      this.pushes.begin()
    })
  }

  async #load(): Promise<void> {
    for (const { roster } of [this.pulls, this.pushes]) {
      try {
        await roster.load()
      } catch (err) {
        // The store has logged that, and calls `onAvailable` when the database is there.
        if (err instanceof StoreUnavailable || this.#ctx.signal.aborted) return
        this.#ctx.log.error({ err }, 'the stored proxies were not read')
      }
    }
  }
}
