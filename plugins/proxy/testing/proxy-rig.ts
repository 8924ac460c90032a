import type { Dialer, DialTarget } from 'sluice/sdk'
import { FakeHooks, FakePlugins, LogRecords, ManualClock } from 'sluice/sdk/testing'
import { checkTargetOf } from '../health/check-target.ts'
import { CHECK_SPREAD_MS, HealthCheck } from '../health/health-check.ts'
import type { ProxySettings } from '../kept/proxy-settings.ts'
import type { ProxyTable } from '../kept/proxy-tables.ts'
import { proxyTypes } from '../kept/proxy-type.ts'

/** Plugins with the protocols of their definitions. */
const PLUGINS = new FakePlugins()
PLUGINS.set([
  { name: 'rtmp', protocol: { number: 1, schemes: { rtmp: { tcpPort: 1935 }, rtmps: { tcpPort: 443 } } } },
  { name: 'rtsp', protocol: { number: 2, schemes: { rtsp: { tcpPort: 554 }, rtsps: { tcpPort: 322 } } } },
  { name: 'srt', protocol: { number: 3, schemes: { srt: {} } } },
  { name: 'hls', protocol: { number: 5, endings: ['.m3u8'] } },
  { name: 'flv', protocol: { number: 6, endings: ['.flv'] } },
])

/** The types of proxies with these plugins. */
export const TYPES = proxyTypes(PLUGINS, (url) => (url.startsWith('gopher:') ? 'gopher' : undefined))
export const targetOf = (url: string) => checkTargetOf(url, PLUGINS)

/** A table in memory that counts its writes. */
export class FakeTable<Settings extends ProxySettings> implements ProxyTable<Settings> {
  readonly rows = new Map<number, Settings>()
  writes = 0
  /** The error of each query while it is set. */
  failure: Error | undefined

  async all(): Promise<Settings[]> {
    this.#check()
    return [...this.rows.values()]
  }

  async insert(settings: Settings): Promise<void> {
    this.#write()
    this.rows.set(settings.id, settings)
  }

  async update(settings: Settings): Promise<void> {
    this.#write()
    this.rows.set(settings.id, settings)
  }

  async remove(ids: readonly number[]): Promise<void> {
    this.#write()
    for (const id of ids) this.rows.delete(id)
  }

  #check(): void {
    if (this.failure !== undefined) throw this.failure
  }

  #write(): void {
    this.#check()
    this.writes += 1
  }
}

/** Resolves when pending promises have settled. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** The surroundings of proxies: a test decides which servers are there, and moves the clock. */
export class ProxyRig {
  readonly logged = new LogRecords('proxy')
  readonly hooks = new FakeHooks(this.logged.logger)
  readonly clock = new ManualClock()
  /** The names of the hosts that accept connections. */
  readonly alive = new Set<string>()
  readonly dialed: string[] = []
  readonly health: HealthCheck
  readonly dialer: Dialer = {
    proxied: false,
    connect: (target) => this.#connect(target),
    checkAddress() {},
  }

  /** The options that the proxies of both kinds have in common. */
  get parts() {
    const { logged, hooks, health } = this
    return { log: logged.logger, hooks: hooks.registryFor(), health, targetOf, dialer: () => this.dialer }
  }

  constructor() {
    const { clock } = this
    const after = (delayMs: number, run: () => void) => {
      const timer = clock.setTimeout(run, delayMs)
      return () => clock.clear(timer)
    }
    this.health = new HealthCheck({ now: clock.now, after }, () => 0.5)
  }

  /** Moves the clock on in steps of 100 ms, and lets pending promises settle after each. */
  async pass(durationMs = CHECK_SPREAD_MS): Promise<void> {
    for (let passedMs = 0; passedMs < durationMs; passedMs += 100) {
      this.clock.advance(100)
      await settle()
    }
  }

  async #connect({ host }: DialTarget): Promise<never> {
    this.dialed.push(host)
    if (!this.alive.has(host)) throw new Error('refused')
    return { destroy() {} } as never
  }
}
