import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import {
  maskTarget,
  StreamUnavailable,
  type DrainCause,
  type HookRegistry,
  type PushJobs,
  type PushWish,
  type RunningPush,
  type StreamManager,
} from 'sluice/sdk'
import type { ProxyState } from './health/proxy-state.ts'
import { ServerWatches, type ServerWatchesOptions } from './health/server-watches.ts'
import type { KeptProxies } from './kept/kept-proxies.ts'
import { ProxyRoster } from './kept/proxy-roster.ts'
import { CHECK_INTERVAL_MS, type PushProxySettings } from './kept/proxy-settings.ts'
import type { ProxyTable } from './kept/proxy-tables.ts'

/** The origin of the pushes of proxies, as operators see it. */
const ORIGIN = 'proxy'

type PushProxiesOptions = ServerWatchesOptions & {
  readonly log: Logger
  readonly kept: KeptProxies<PushProxySettings>
  readonly table: ProxyTable<PushProxySettings>
  readonly pushes: Pick<PushJobs, 'find' | 'onFailure' | 'start'>
  readonly streams: Pick<StreamManager, 'get'>
  readonly hooks: Pick<HookRegistry, 'on'>
}

/** The push proxies: targets that are checked, and that get a stream when both are there (config.md 7). */
export class PushProxies {
  readonly roster: ProxyRoster<PushProxySettings>
  readonly #options: PushProxiesOptions
  readonly #watches: ServerWatches
  #stop: () => void = () => {}

  constructor(options: PushProxiesOptions) {
    const { kept, table, pushes, hooks } = options
    this.#options = options
    this.#watches = new ServerWatches(kept.servers, options)
    this.roster = new ProxyRoster({
      kept,
      table,
      place: {
        of: (proxy) => pushPlace(proxy),
        taken: 'another proxy that is enabled pushes this stream to this address',
      },
    })
    pushes.onFailure((wanted) => {
      const proxy = this.roster.holder(pushPlace(wanted))
      if (proxy !== undefined) this.#watches.get(proxy.id)?.doubt(pushes.find(wanted)?.progress.lastError)
    })
    hooks.on('published', ({ path }) => this.#published(path))
    hooks.on('taskBegan', ({ kind, streamPath }) => {
      if (kind === 'push') this.#sends(streamPath)
    })
  }

  stateOf(proxy: PushProxySettings): ProxyState {
    // A push goes on for a little after its stream has ended, in case that comes back.
    const isLive = this.#options.streams.get(proxy.streamPath) !== undefined
    return this.#watches.stateOf(proxy, () => isLive && this.#pushOf(proxy)?.state === 'running')
  }

  /** Begins the checks and pushes of all proxies, and follows their changes. */
  begin(): void {
    this.#stop = this.roster.follow((before, after) => this.#follow(before, after))
  }

  /** Ends the checks, and the pushes too when no other generation takes them over. */
  close(cause: DrainCause): void {
    this.#stop()
    this.#watches.close(cause)
    if (cause === 'replaced') return
    for (const proxy of this.roster.list()) if (!proxy.isDisabled) this.#pushOf(proxy)?.stop('its proxy is gone')
  }

  #follow(before: PushProxySettings | undefined, after: PushProxySettings | undefined): void {
    const isEnabled = after !== undefined && !after.isDisabled
    const isOther = before !== undefined && isOtherPush(before, after)
    if (before !== undefined && (!isEnabled || isOther)) {
      if (!before.isDisabled) this.#pushOf(before)?.stop(`its proxy is ${after === undefined ? 'removed' : 'changed'}`)
      this.#watches.forget(before.id)
    }
    if (!isEnabled) return
    const watch = this.#watches.get(after.id)
    if (watch === undefined) this.#lookAfter(after)
    else if (watch.online && after.beginsAlone && before?.beginsAlone === false) this.#push(after)
  }

  #lookAfter(added: PushProxySettings): void {
    const { id, type, streamPath, rule } = added
    const log = this.#options.log.child({ protocol: type, stream: streamPath, url: maskTarget(rule.url) })
    this.#watches.begin(added, {
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
    for (const id of this.#watches.ids) {
      const proxy = this.roster.get(id)
      if (proxy?.streamPath === streamPath && this.#watches.get(id)?.online) this.#push(proxy)
    }
  }

  /** Notes that the targets are there to which a stream is being sent. */
  #sends(streamPath: string): void {
    for (const id of this.#watches.ids) {
      const proxy = this.roster.get(id)
      if (proxy?.streamPath === streamPath && this.#pushOf(proxy)?.state === 'running') this.#watches.get(id)?.seen()
    }
  }

  #push(proxy: PushProxySettings): void {
    const push = this.#options.pushes.find(proxy)
    if (push !== undefined) push.retryNow()
    else this.#start(wantedPush(proxy))
  }

  #start(wish: PushWish): void {
    try {
      this.#options.pushes.start(wish)
    } catch (error) {
      // A server that is stopping begins no push; this plugin is drained a little later.
      if (!(error instanceof StreamUnavailable)) throw error
    }
  }

  /** Returns the push of a proxy; undefined when there is none, or an operator or a rule of the config wants it. */
  #pushOf(proxy: PushProxySettings): RunningPush | undefined {
    const push = this.#options.pushes.find(proxy)
    return push?.wish.origin === ORIGIN ? push : undefined
  }
}

/** Returns the key of a stream and the address that it is sent to: each has one push at a time. No path contains a line feed. */
function pushPlace({ streamPath, rule }: Pick<PushWish, 'streamPath' | 'rule'>): string {
  return `${streamPath}\n${rule.url}`
}

function wantedPush({ type: plugin, streamPath, rule, audio }: PushProxySettings): PushWish {
  return { plugin, streamPath, rule, isSilent: !audio, origin: ORIGIN }
}

function isOtherPush(before: PushProxySettings, after: PushProxySettings | undefined): boolean {
  return after === undefined || !isDeepStrictEqual(wantedPush(before), wantedPush(after))
}
