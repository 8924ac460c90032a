import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import {
  maskUrl,
  type DrainCause,
  type HookRegistry,
  type PublishConfig,
  type PullJobs,
  type PullSource,
  type PullWish,
  type RunningPull,
} from 'sluice/sdk'
import type { ProxyState } from './health/proxy-state.ts'
import type { ServerWatch } from './health/server-watch.ts'
import { ServerWatches, type ServerWatchesOptions } from './health/server-watches.ts'
import type { KeptProxies } from './kept/kept-proxies.ts'
import { ProxyRoster } from './kept/proxy-roster.ts'
import type { PullProxySettings } from './kept/proxy-settings.ts'
import type { ProxyTable } from './kept/proxy-tables.ts'

/** The time after which a pull without subscribers stops, when its proxy has `stopsOnIdle`. */
export const STOP_ON_IDLE_MS = 5000

type PullProxiesOptions = ServerWatchesOptions & {
  readonly log: Logger
  readonly kept: KeptProxies<PullProxySettings>
  readonly table: ProxyTable<PullProxySettings>
  readonly pulls: PullJobs
  readonly hooks: Pick<HookRegistry, 'on'>
}

/** The pull proxies: sources that are checked, and pulled when they are there or when a subscriber asks for them (config.md 7). */
export class PullProxies implements PullSource {
  readonly roster: ProxyRoster<PullProxySettings>
  readonly #options: PullProxiesOptions
  readonly #watches: ServerWatches
  #stop: () => void = () => {}

  constructor(options: PullProxiesOptions) {
    const { kept, table, pulls, hooks } = options
    this.#options = options
    this.#watches = new ServerWatches(kept.servers, options)
    this.roster = new ProxyRoster({
      kept,
      table,
      place: { of: ({ streamPath }) => streamPath, taken: 'another proxy that is enabled has this stream path' },
    })
    pulls.addSource(this)
    pulls.onFailure((streamPath) => this.#watchOf(streamPath)?.doubt(pulls.get(streamPath)?.progress.lastError))
    hooks.on('published', ({ path, type }) => {
      const proxy = this.roster.holder(path)
      if (type === 'pull' && proxy && this.#pullOf(proxy) !== undefined) this.#watches.get(proxy.id)?.seen()
    })
  }

  /** Returns the pull for a subscriber of a path; undefined when no enabled proxy has this path. */
  match(streamPath: string): PullWish | undefined {
    const proxy = this.roster.holder(streamPath)
    return proxy && wantedPull(proxy)
  }

  /** Returns the recording of the stream of a path; undefined unless a proxy pulls it and has it recorded. */
  recordingOf(streamPath: string): { folder: string; fragmentMs: number } | undefined {
    const proxy = this.roster.holder(streamPath)
    if (proxy === undefined || proxy.recordPath === '' || this.#pullOf(proxy) === undefined) return undefined
    return { folder: proxy.recordPath, fragmentMs: proxy.recordFragmentMs }
  }

  stateOf(proxy: PullProxySettings): ProxyState {
    return this.#watches.stateOf(proxy, () => this.#pullOf(proxy)?.isPublishing === true)
  }

  /** Begins the checks and pulls of all proxies, and follows their changes. */
  begin(): void {
    this.#stop = this.roster.follow((before, after) => this.#follow(before, after))
  }

  /** Ends the checks. Pulls end by themselves when no other generation is their source. */
  close(cause: DrainCause): void {
    this.#stop()
    this.#watches.close(cause)
  }

  #follow(before: PullProxySettings | undefined, after: PullProxySettings | undefined): void {
    const { pulls } = this.#options
    const isMoved = before !== undefined && before.streamPath !== after?.streamPath
    const isEnabled = after !== undefined && !after.isDisabled
    const old = before && !before.isDisabled ? this.#pullOf(before) : undefined
    if (old !== undefined && (!isEnabled || isMoved)) old.stop(`its proxy is ${stateWord(after)}`)
    if (before !== undefined && (!isEnabled || isElsewhere(before, after))) this.#watches.forget(before.id)
    if (!isEnabled) return
    if (old !== undefined && isMoved) pulls.demand(after.streamPath, {})
    else if (old !== undefined && isOther(before, after)) pulls.restart(after.streamPath)
    else if (old !== undefined) pulls.adapt(wantedPull(after))
    const watch = this.#watches.get(after.id)
    if (watch === undefined) this.#lookAfter(after)
    else if (watch.online && after.beginsAlone && before?.beginsAlone === false) this.#pull(after)
  }

  #lookAfter(added: PullProxySettings): void {
    const { id, type, streamPath, rule } = added
    const log = this.#options.log.child({ protocol: type, stream: streamPath, url: maskUrl(rule.url) })
    this.#watches.begin(added, {
      intervalMs: () => this.roster.get(id)?.checkIntervalMs ?? 0,
      up: () => {
        log.debug('the source of the proxy is there')
        const proxy = this.roster.get(id)
        if (proxy !== undefined) this.#pull(proxy)
      },
      down: (reason) => log.info({ reason }, 'the source of the proxy is away'),
    })
  }

  /** Pulls a source that is there, if that needs no subscriber. A pull that waits for its next try tries again at once. */
  #pull(proxy: PullProxySettings): void {
    const { pulls } = this.#options
    const pull = pulls.get(proxy.streamPath)
    if (pull !== undefined && !pull.ending) pull.retryNow()
    else if (proxy.beginsAlone) pulls.start(wantedPull(proxy))
  }

  /** Returns the pull of a proxy; undefined when there is none, or its path is pulled for an operator or a rule of the config. */
  #pullOf({ id, streamPath }: PullProxySettings): RunningPull | undefined {
    const pull = this.#options.pulls.get(streamPath)
    return pull?.wish.tag === String(id) ? pull : undefined
  }

  #watchOf(streamPath: string): ServerWatch | undefined {
    const proxy = this.roster.holder(streamPath)
    return proxy && this.#watches.get(proxy.id)
  }
}

function wantedPull(proxy: PullProxySettings): PullWish {
  const { id, type: plugin, streamPath, rule, audio, beginsAlone } = proxy
  const publish = { ...idleTimes(proxy), ...(audio ? {} : { pubaudio: false }) }
  return {
    tag: String(id),
    plugin,
    streamPath,
    rule,
    publish,
    args: {},
    isLasting: beginsAlone,
    ...(beginsAlone && { origin: 'proxy' }),
  }
}

function idleTimes({
  stopsOnIdle,
  beginsAlone,
}: PullProxySettings): Pick<PublishConfig, 'delayclosetimeout' | 'idletimeout'> {
  const delayclosetimeout = stopsOnIdle ? STOP_ON_IDLE_MS : 0
  // The subscriber that asked may be gone before the pull begins; a pull that needed none waits for its first subscriber.
  return { delayclosetimeout, idletimeout: beginsAlone ? 0 : delayclosetimeout }
}

/** True when the server, or the proxy on the way to it, is another one. */
function isElsewhere(before: PullProxySettings, after: PullProxySettings): boolean {
  return before.rule.url !== after.rule.url || before.rule.proxy !== after.rule.proxy
}

/** True when the pull has to begin again: it, or its recording, has changed. */
function isOther(before: PullProxySettings | undefined, after: PullProxySettings): boolean {
  const parts = ({ type, rule, audio, recordPath, recordFragmentMs }: PullProxySettings) => [
    type,
    rule,
    audio,
    recordPath,
    recordFragmentMs,
  ]
  return before === undefined || !isDeepStrictEqual(parts(before), parts(after))
}

function stateWord(after: PullProxySettings | undefined): string {
  if (after === undefined) return 'removed'
  return after.isDisabled ? 'disabled' : 'changed'
}
