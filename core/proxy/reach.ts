import type { Dialer } from 'sluice/sdk'
import type { CheckTarget } from './check-target.ts'
import type { Check, HealthCheck } from './health-check.ts'

export type ReachOptions = {
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
export class Reach {
  readonly #options: ReachOptions
  #online = false
  #rttMs = 0
  #check: Check | undefined

  constructor(options: ReachOptions) {
    this.#options = options
  }

  get online(): boolean {
    return this.#online
  }

  /** How long the latest connection took to be opened, in whole milliseconds; 0 before there was one. */
  get rttMs(): number {
    return this.#rttMs
  }

  /** Looks whether it is there, until it is. */
  begin(): void {
    if (this.#options.target !== undefined) this.#look(this.#options.target)
    else this.#online = true
    if (this.#online) this.#options.up()
  }

  /** Something has failed there: looks whether it still is. */
  doubt(): void {
    const { target } = this.#options
    if (target !== undefined && this.#check === undefined) this.#look(target)
  }

  /** Media comes from there or goes there, so it is. */
  seen(): void {
    this.end()
    this.#online = true
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
    this.#check = undefined
    this.#rttMs = Math.ceil(rttMs)
    if (this.#online) return
    this.#online = true
    this.#options.up()
  }

  #down(reason: string): void {
    const wasOnline = this.#online
    this.#online = false
    if (wasOnline) this.#options.down(reason)
  }
}
