import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { maskTarget, type Dialer } from 'sluice/sdk'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import type { PushJob } from '../jobs/push-job.ts'
import type { PushManager } from '../jobs/push-manager.ts'
import type { WantedPush } from '../jobs/push-rules.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import { checkTargetOf } from './check-target.ts'
import type { HealthCheck } from './health-check.ts'
import { ProxyRoster } from './proxy-roster.ts'
import { CHECK_INTERVAL_MS, type PushProxySettings } from './proxy-settings.ts'
import { DISABLED, OFFLINE, ONLINE, RUNNING, type ProxyState } from './proxy-state.ts'
import type { ProxyTable } from './proxy-tables.ts'
import { Reach } from './reach.ts'

type PushProxiesOptions = {
  readonly log: Logger
  readonly table: ProxyTable<PushProxySettings>
  readonly pushes: Pick<PushManager, 'find' | 'onFailure' | 'start'>
  readonly streams: Pick<StreamRegistry, 'get'>
  readonly hooks: Pick<HookRunner, 'registryFor'>
  readonly health: HealthCheck
  /** @param proxy its address; empty is none */
  readonly dialer: (proxy: string) => Dialer
}

/** The push proxies: targets that are looked after, and sent a stream when both are there (config.md 7). */
export class PushProxies {
  readonly roster: ProxyRoster<PushProxySettings>
  readonly #options: PushProxiesOptions
  /** Of those that are enabled, by id. */
  readonly #reaches = new Map<number, Reach>()
  #closed = false

  constructor(options: PushProxiesOptions) {
    const { log, table, pushes, hooks } = options
    this.#options = options
    this.roster = new ProxyRoster({
      table,
      place: {
        of: ({ streamPath, rule }) => placeOf(streamPath, rule.url),
        taken: 'another proxy that is enabled pushes this stream to this address',
      },
      follow: (before, after) => this.#follow(before, after),
    })
    pushes.onFailure(({ streamPath, rule }) => {
      const proxy = this.roster.holder(placeOf(streamPath, rule.url))
      if (proxy !== undefined) this.#reaches.get(proxy.id)?.doubt()
    })
    const owner = { plugin: 'global', log }
    hooks.registryFor(owner).on('published', ({ path }) => this.#published(path))
  }

  stateOf(proxy: PushProxySettings): ProxyState {
    const reach = this.#reaches.get(proxy.id)
    if (proxy.isDisabled || reach === undefined) return { status: DISABLED, rttMs: 0 }
    // A push waits a little for a stream that has ended to come back.
    const isLive = this.#options.streams.get(proxy.streamPath) !== undefined
    const isRunning = isLive && this.#pushOf(proxy)?.job.state === 'running'
    return { status: isRunning ? RUNNING : reach.online ? ONLINE : OFFLINE, rttMs: reach.rttMs }
  }

  /** Looks after nothing any more. */
  close(): void {
    this.#closed = true
    for (const id of [...this.#reaches.keys()]) this.#forget(id)
  }

  #follow(before: PushProxySettings | undefined, after: PushProxySettings | undefined): void {
    const isEnabled = after !== undefined && !after.isDisabled
    const isOther = before !== undefined && isOtherPush(before, after)
    const old = before && !before.isDisabled ? this.#pushOf(before) : undefined
    if (!isEnabled || isOther) old?.job.stop(`its proxy is ${after === undefined ? 'removed' : 'changed'}`)
    if (before !== undefined && (!isEnabled || isOther)) this.#forget(before.id)
    if (!isEnabled) return
    const reach = this.#reaches.get(after.id)
    if (reach === undefined) this.#lookAfter(after, old?.job.done)
    else if (reach.online && after.beginsAlone && before?.beginsAlone === false) this.#push(after)
  }

  #lookAfter({ id, type, streamPath, rule }: PushProxySettings, after: Promise<void> = Promise.resolve()): void {
    if (this.#closed) return
    const { health, dialer } = this.#options
    const log = this.#options.log.child({ plugin: type, stream: streamPath, url: maskTarget(rule.url) })
    const reach = new Reach({
      ...{ health, target: checkTargetOf(rule.url), dialer: dialer(rule.proxy) },
      intervalMs: () => CHECK_INTERVAL_MS,
      up: () => {
        log.debug('the target of the proxy is there')
        void after.then(() => this.#up(id, reach))
      },
      down: (reason) => log.info({ reason }, 'the target of the proxy is away'),
    })
    this.#reaches.set(id, reach)
    reach.begin()
  }

  #up(id: number, reach: Reach): void {
    const proxy = this.roster.get(id)
    const isCurrent = this.#reaches.get(id) === reach
    if (proxy === undefined || !isCurrent) return
    if (proxy.beginsAlone || this.#options.streams.get(proxy.streamPath) !== undefined) this.#push(proxy)
  }

  #published(streamPath: string): void {
    for (const [id, reach] of this.#reaches) {
      const proxy = this.roster.get(id)
      if (proxy?.streamPath === streamPath && reach.online) this.#push(proxy)
    }
  }

  #push(proxy: PushProxySettings): void {
    const push = this.#options.pushes.find(proxy)
    if (push !== undefined) push.job.retryNow()
    else this.#options.pushes.start(wantedPush(proxy), 'proxy')
  }

  #forget(id: number): void {
    this.#reaches.get(id)?.end()
    this.#reaches.delete(id)
  }

  /** The push of a proxy, unless an operator or a rule of the config wants it. */
  #pushOf(proxy: PushProxySettings): PushJob | undefined {
    const push = this.#options.pushes.find(proxy)
    return push?.origin === 'proxy' ? push : undefined
  }
}

function placeOf(streamPath: string, url: string): string {
  return `${streamPath} ${url}`
}

function wantedPush({ type: plugin, streamPath, rule, audio }: PushProxySettings): WantedPush {
  return { plugin, streamPath, rule, isSilent: !audio }
}

function isOtherPush(before: PushProxySettings, after: PushProxySettings | undefined): boolean {
  return after === undefined || !isDeepStrictEqual(wantedPush(before), wantedPush(after))
}
