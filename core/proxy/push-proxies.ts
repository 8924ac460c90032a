import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import { maskTarget, type Dialer, type PushJobs, type PushWish, type RunningPush } from 'sluice/sdk'
import type { HookRunner } from '../host/hooks/hook-runner.ts'
import { pushPlace } from '../jobs/push-rules.ts'
import type { StreamRegistry } from '../stream/registry.ts'
import type { HealthCheck } from './health-check.ts'
import { ProxyRoster } from './proxy-roster.ts'
import { CHECK_INTERVAL_MS, type PushProxySettings } from './proxy-settings.ts'
import type { ProxyState } from './proxy-state.ts'
import type { ProxyTable } from './proxy-tables.ts'
import { Reaches } from './reaches.ts'

type PushProxiesOptions = {
  readonly log: Logger
  readonly table: ProxyTable<PushProxySettings>
  readonly pushes: Pick<PushJobs, 'find' | 'onFailure' | 'start'>
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
  readonly #reaches: Reaches

  constructor(options: PushProxiesOptions) {
    const { log, table, pushes, hooks } = options
    this.#options = options
    this.#reaches = new Reaches(options)
    this.roster = new ProxyRoster({
      table,
      place: {
        of: (proxy) => pushPlace(proxy),
        taken: 'another proxy that is enabled pushes this stream to this address',
      },
      follow: (before, after) => this.#follow(before, after),
    })
    pushes.onFailure((wanted) => {
      const proxy = this.roster.holder(pushPlace(wanted))
      if (proxy !== undefined) this.#reaches.get(proxy.id)?.doubt()
    })
    const owner = { plugin: 'global', log }
    hooks.registryFor(owner).on('published', ({ path }) => this.#published(path))
  }

  stateOf(proxy: PushProxySettings): ProxyState {
    // A push waits a little for a stream that has ended to come back.
    const isLive = this.#options.streams.get(proxy.streamPath) !== undefined
    return this.#reaches.stateOf(proxy, () => isLive && this.#pushOf(proxy)?.state === 'running')
  }

  /** Looks after nothing any more. */
  close(): void {
    this.#reaches.close()
  }

  #follow(before: PushProxySettings | undefined, after: PushProxySettings | undefined): void {
    const isEnabled = after !== undefined && !after.isDisabled
    const isOther = before !== undefined && isOtherPush(before, after)
    if (before !== undefined && (!isEnabled || isOther)) {
      if (!before.isDisabled) this.#pushOf(before)?.stop(`its proxy is ${after === undefined ? 'removed' : 'changed'}`)
      this.#reaches.forget(before.id)
    }
    if (!isEnabled) return
    const reach = this.#reaches.get(after.id)
    if (reach === undefined) this.#lookAfter(after)
    else if (reach.online && after.beginsAlone && before?.beginsAlone === false) this.#push(after)
  }

  #lookAfter(added: PushProxySettings): void {
    const { id, type, streamPath, rule } = added
    const log = this.#options.log.child({ plugin: type, stream: streamPath, url: maskTarget(rule.url) })
    this.#reaches.begin(added, {
      intervalMs: () => CHECK_INTERVAL_MS,
      up: () => {
        log.debug('the target of the proxy is there')
        this.#up(id)
      },
      down: (reason) => log.info({ reason }, 'the target of the proxy is away'),
    })
  }

  #up(id: number): void {
    const proxy = this.roster.get(id)
    if (proxy === undefined) return
    if (proxy.beginsAlone || this.#options.streams.get(proxy.streamPath) !== undefined) this.#push(proxy)
  }

  #published(streamPath: string): void {
    for (const id of this.#reaches.ids) {
      const proxy = this.roster.get(id)
      if (proxy?.streamPath === streamPath && this.#reaches.get(id)?.online) this.#push(proxy)
    }
  }

  #push(proxy: PushProxySettings): void {
    const push = this.#options.pushes.find(proxy)
    if (push !== undefined) push.retryNow()
    else this.#options.pushes.start(wantedPush(proxy))
  }

  /** The push of a proxy, unless an operator or a rule of the config wants it. */
  #pushOf(proxy: PushProxySettings): RunningPush | undefined {
    const push = this.#options.pushes.find(proxy)
    return push?.isOfPlugin ? push : undefined
  }
}

function wantedPush({ type: plugin, streamPath, rule, audio }: PushProxySettings): PushWish {
  return { plugin, streamPath, rule, isSilent: !audio }
}

function isOtherPush(before: PushProxySettings, after: PushProxySettings | undefined): boolean {
  return after === undefined || !isDeepStrictEqual(wantedPush(before), wantedPush(after))
}
