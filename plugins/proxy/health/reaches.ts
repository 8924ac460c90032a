import type { Dialer, DrainCause, PullRule, PushRule } from 'sluice/sdk'
import type { ProxySettings } from '../kept/proxy-settings.ts'
import type { CheckTarget } from './check-target.ts'
import type { HealthCheck } from './health-check.ts'
import { DISABLED, OFFLINE, ONLINE, RUNNING, type ProxyState } from './proxy-state.ts'
import { Reach, type ReachOptions, type ReachState } from './reach.ts'

export type ReachesOptions = {
  readonly health: HealthCheck
  readonly targetOf: (url: string) => CheckTarget | undefined
  /** @param proxy its address; empty is none */
  readonly dialer: (proxy: string) => Dialer
}

/** Whether the servers of all proxies of a kind are there, by the ids of those that are enabled. */
export class Reaches {
  readonly #options: ReachesOptions
  /** The states of the servers, by the same ids; they outlive the generation. */
  readonly #states: Map<number, ReachState>
  readonly #reaches = new Map<number, Reach>()
  #closed = false

  constructor(states: Map<number, ReachState>, options: ReachesOptions) {
    this.#states = states
    this.#options = options
  }

  get ids(): Iterable<number> {
    return this.#reaches.keys()
  }

  get(id: number): Reach | undefined {
    return this.#reaches.get(id)
  }

  /** Looks after the server of a proxy from now on. */
  begin(
    { id, rule }: ProxySettings & { readonly rule: PullRule | PushRule },
    watch: Pick<ReachOptions, 'intervalMs' | 'up' | 'down'>,
  ): void {
    if (this.#closed) return
    const { health, targetOf, dialer } = this.#options
    const state = this.#states.get(id) ?? { isOnline: false, isDoubted: false, rttMs: 0 }
    this.#states.set(id, state)
    const reach = new Reach({ ...watch, state, health, target: targetOf(rule.url), dialer: dialer(rule.proxy) })
    this.#reaches.set(id, reach)
    reach.begin()
  }

  stateOf({ id, isDisabled }: ProxySettings, isRunning: () => boolean): ProxyState {
    const reach = this.#reaches.get(id)
    if (isDisabled || reach === undefined) return { status: DISABLED, rttMs: 0 }
    return { status: isRunning() ? RUNNING : reach.online ? ONLINE : OFFLINE, rttMs: reach.rttMs }
  }

  forget(id: number): void {
    this.#reaches.get(id)?.end()
    this.#reaches.delete(id)
    this.#states.delete(id)
  }

  /** Looks after nothing any more; what is known stays for the next generation, if there is one. */
  close(cause: DrainCause): void {
    this.#closed = true
    for (const reach of this.#reaches.values()) reach.end()
    if (cause === 'removed') this.#states.clear()
  }
}
