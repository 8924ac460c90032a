import type { Logger } from 'pino'
import type { CloseReason, Undo } from 'sluice/sdk'
import type { SessionMeter } from './session-meters.ts'
import { SessionDetails } from './session-details.ts'

type SessionLifeOptions = {
  readonly log: Logger
  readonly meter: SessionMeter
  /** The longest lifetime that the control server asked for, in milliseconds; recorded only. */
  readonly lifetimeMs: number | undefined
  /** Called once at the end of a session that began, after the listeners. */
  readonly onEnd: readonly (() => void)[]
  /** Called once at the end of the session, whether it began or not: undoes the work of the admission hooks for it. */
  readonly undo: Undo
}

/** The common part of publishers and subscribers: they begin, and end once, for a reason. */
export class SessionLife {
  /** The log of the session's plugin. */
  readonly log: Logger
  readonly lifetimeMs: number | undefined
  readonly meter: SessionMeter
  readonly details: SessionDetails
  readonly #onEnd: readonly (() => void)[]
  readonly #undo: Undo
  #listeners: ((reason: CloseReason) => void)[] = []
  #reason: CloseReason | undefined
  #begun = false

  constructor(options: SessionLifeOptions) {
    this.log = options.log
    this.meter = options.meter
    this.details = new SessionDetails(options.log)
    this.lifetimeMs = options.lifetimeMs
    this.#onEnd = options.onEnd
    this.#undo = options.undo
  }

  get closed(): boolean {
    return this.#reason !== undefined
  }

  /** True once a publisher has its path, or a subscriber its stream. */
  get begun(): boolean {
    return this.#begun
  }

  get closeReason(): CloseReason | undefined {
    return this.#reason
  }

  begin(): void {
    if (this.#begun) return
    this.#begun = true
    this.meter.begun.add()
    this.meter.present.add(1)
  }

  /** Calls the listener at the end; at once when that is past. An error of the listener is logged. */
  onClose(listener: (reason: CloseReason) => void): void {
    const reason = this.#reason
    if (reason === undefined) this.#listeners.push(listener)
    else this.#call(() => listener(reason))
  }

  close(reason: CloseReason): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    if (this.#begun) {
      this.meter.present.add(-1)
      this.meter.ended(reason.code)
    }
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) this.#call(() => listener(reason))
    if (this.#begun) for (const onEnd of this.#onEnd) this.#call(onEnd)
    this.#call(this.#undo)
  }

  #call(fn: () => void): void {
    try {
      fn()
    } catch (error) {
      this.log.error({ err: error }, 'a close listener failed')
    }
  }
}

/** The reason that a session is closed with; a text alone, or none, is the plugin's own close. */
export function closeReasonOf(reason: CloseReason | string = 'closed'): CloseReason {
  return typeof reason === 'string' ? { code: 'closed', text: reason } : reason
}
