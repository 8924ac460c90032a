import type { Dialer } from 'sluice/sdk'
import type { CheckTarget } from './check-target.ts'
import type { Check, HealthCheck } from './health-check.ts'

/** The state of the server of a proxy, as far as it is known. */
export type ServerState = {
  isOnline: boolean
  /** True while the server is checked again, as a pull or push has failed there. */
  isDoubted: boolean
  /** The time that opening the latest connection took, in whole milliseconds; 0 before the first. */
  rttMs: number
  /** The reason why it is away, or why the latest pull or push has failed there; undefined while nothing is known to be wrong. */
  error: string | undefined
}

export type ServerWatchOptions = {
  /** The state of the server, which the watch keeps up to date. */
  readonly state: ServerState
  readonly health: HealthCheck
  /** The address to check; undefined when it is unknown: the server is then assumed to be there. */
  readonly target: CheckTarget | undefined
  readonly dialer: Dialer
  readonly intervalMs: () => number
  /** Called when the server has come online. */
  readonly up: () => void
  /** Called when the server has gone offline. */
  readonly down: (reason: string) => void
}

/** Watches the server of a proxy: checks it until it is there, and again when something has failed there. */
export class ServerWatch {
  readonly #options: ServerWatchOptions
  #check: Check | undefined

  constructor(options: ServerWatchOptions) {
    this.#options = options
  }

  get online(): boolean {
    return this.#options.state.isOnline
  }

  get rttMs(): number {
    return this.#options.state.rttMs
  }

  get error(): string | undefined {
    return this.#options.state.error
  }

  /** Checks the server until it is there, unless that is known already. */
  begin(): void {
    const { target, state, up } = this.#options
    if (state.isOnline && !state.isDoubted) return
    if (target !== undefined) {
      this.#look(target)
    } else if (!state.isOnline) {
      state.isOnline = true
      up()
    }
  }

  /** Checks the server again, as something has failed there. @param error the reason of that, where it is known */
  doubt(error: string | undefined): void {
    const { state, target } = this.#options
    state.error = error
    if (target === undefined || this.#check !== undefined) return
    state.isDoubted = true
    this.#look(target)
  }

  /** Notes that the server is there, as media comes from it or goes to it. */
  seen(): void {
    this.end()
    this.#options.state.isDoubted = false
    this.#options.state.isOnline = true
    this.#options.state.error = undefined
  }

  /** Ends the check. */
  end(): void {
    if (this.#check !== undefined) this.#options.health.remove(this.#check)
    this.#check = undefined
  }

  #look(target: CheckTarget): void {
    const { health, dialer, intervalMs } = this.#options
    this.#check = { target, dialer, intervalMs, up: (rttMs) => this.#up(rttMs), down: (reason) => this.#down(reason) }
    health.add(this.#check)
  }

  #up(rttMs: number): void {
    const { state, up } = this.#options
    this.#check = undefined
    state.isDoubted = false
    state.rttMs = Math.ceil(rttMs)
    // A server that answers may still have refused the latest pull or push.
    if (state.isOnline) return
    state.isOnline = true
    state.error = undefined
    up()
  }

  #down(reason: string): void {
    const { state, down } = this.#options
    const wasOnline = state.isOnline
    state.isOnline = false
    state.error = reason
    if (wasOnline) down(reason)
  }
}
