import type { Dialer, DrainCause, PullRule, PushRule } from 'sluice/sdk'
import type { ProxySettings } from '../kept/proxy-settings.ts'
import type { CheckTarget } from './check-target.ts'
import type { HealthCheck } from './health-check.ts'
import { DISABLED, OFFLINE, ONLINE, RUNNING, type ProxyState } from './proxy-state.ts'
import { ServerWatch, type ServerWatchOptions, type ServerState } from './server-watch.ts'

export type ServerWatchesOptions = {
  readonly health: HealthCheck
  readonly targetOf: (url: string) => CheckTarget | undefined
  /** Returns the dialer of connections by a proxy. @param proxy the proxy's address; empty for none */
  readonly dialer: (proxy: string) => Dialer
}

/** The watches of the servers of all enabled proxies of a kind, by the ids of the proxies. */
export class ServerWatches {
  readonly #options: ServerWatchesOptions
  /** The states of the servers, by the same ids; they outlive the generation. */
  readonly #states: Map<number, ServerState>
  readonly #watches = new Map<number, ServerWatch>()
  #closed = false

  constructor(states: Map<number, ServerState>, options: ServerWatchesOptions) {
    this.#states = states
    this.#options = options
  }

  get ids(): Iterable<number> {
    return this.#watches.keys()
  }

  get(id: number): ServerWatch | undefined {
    return this.#watches.get(id)
  }

  /** Begins to watch the server of a proxy. */
  begin(
    { id, rule }: ProxySettings & { readonly rule: PullRule | PushRule },
    listener: Pick<ServerWatchOptions, 'intervalMs' | 'up' | 'down'>,
  ): void {
    if (this.#closed) return
    const { health, targetOf, dialer } = this.#options
    const state = this.#states.get(id) ?? { isOnline: false, isDoubted: false, rttMs: 0, error: undefined }
    this.#states.set(id, state)
    const watch = new ServerWatch({
      ...listener,
      state,
      health,
      target: targetOf(rule.url),
      dialer: dialer(rule.proxy),
    })
    this.#watches.set(id, watch)
    watch.begin()
  }

  stateOf({ id, isDisabled }: ProxySettings, isRunning: () => boolean): ProxyState {
    const watch = this.#watches.get(id)
    if (isDisabled || watch === undefined) return { status: DISABLED, rttMs: 0, error: '' }
    const { online, rttMs, error = '' } = watch
    if (isRunning()) return { status: RUNNING, rttMs, error: '' }
    return { status: online ? ONLINE : OFFLINE, rttMs, error }
  }

  forget(id: number): void {
    this.#watches.get(id)?.end()
    this.#watches.delete(id)
    this.#states.delete(id)
  }

  /** Ends all watches; the states stay for the next generation, if there is one. */
  close(cause: DrainCause): void {
    this.#closed = true
    for (const watch of this.#watches.values()) watch.end()
    if (cause === 'removed') this.#states.clear()
  }
}
