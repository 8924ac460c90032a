import type { Dialer, PullRule, PushRule } from 'sluice/sdk'
import { checkTargetOf } from './check-target.ts'
import type { HealthCheck } from './health-check.ts'
import type { ProxySettings } from './proxy-settings.ts'
import { DISABLED, OFFLINE, ONLINE, RUNNING, type ProxyState } from './proxy-state.ts'
import { Reach, type ReachOptions } from './reach.ts'

type ReachesOptions = {
  readonly health: HealthCheck
  /** @param proxy its address; empty is none */
  readonly dialer: (proxy: string) => Dialer
}

/** Whether the servers of all proxies of a kind are there, by the ids of those that are enabled. */
export class Reaches {
  readonly #options: ReachesOptions
  readonly #reaches = new Map<number, Reach>()
  #closed = false

  constructor({ health, dialer }: ReachesOptions) {
    this.#options = { health, dialer }
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
    const { health, dialer } = this.#options
    const reach = new Reach({ ...watch, health, target: checkTargetOf(rule.url), dialer: dialer(rule.proxy) })
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
  }

  /** Looks after nothing any more. */
  close(): void {
    this.#closed = true
    for (const id of this.#reaches.keys().toArray()) this.forget(id)
  }
}
