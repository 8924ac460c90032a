import type { Dialer } from 'sluice/sdk'
import type { CheckTarget } from './check-target.ts'
import type { Check, HealthCheck } from './health-check.ts'

/** The state of the server of a proxy, as far as it is known. */
export type ServerState = {
  isOnline: boolean
  /** Something has failed there, and whether it is still there is being looked at. */
  isDoubted: boolean
  /** How long the latest connection took to be opened, in whole milliseconds; 0 before there was one. */
  rttMs: number
}

export type ServerWatchOptions = {
  /** Its state so far, which it keeps up to date. */
  readonly state: ServerState
  readonly health: HealthCheck
  /** Undefined where it can't be told; it is taken to be there then. */
  readonly target: CheckTarget | undefined
  readonly dialer: Dialer
  readonly intervalMs: () => number
  /** It has come to be there. */
  readonly up: () => void
  /** It has come to be away. */
  readonly down: (reason: string) => void
}

/** Whether the server of a proxy is there, as far as is known. */
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

  /** Looks whether it is there, until it is; not where it is known to be there. */
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

  /** Something has failed there: looks whether it still is. */
  doubt(): void {
    const { target } = this.#options
    if (target === undefined || this.#check !== undefined) return
    this.#options.state.isDoubted = true
    this.#look(target)
  }

  /** Media comes from there or goes there, so it is. */
  seen(): void {
    this.end()
    this.#options.state.isDoubted = false
    this.#options.state.isOnline = true
  }

  /** Looks no more. */
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
    if (state.isOnline) return
    state.isOnline = true
    up()
  }

  #down(reason: string): void {
    const { state, down } = this.#options
    const wasOnline = state.isOnline
    state.isOnline = false
    if (wasOnline) down(reason)
  }
}
