import type { Logger } from 'pino'
import { LogLimit, NotUnique, StoreUnavailable } from 'sluice/sdk'
import type { Backend } from './backend.ts'
import type { Link } from './link.ts'
import type { StoreMeter } from './store-meter.ts'

/** The shortest time between two log lines about failed queries. */
const LOG_INTERVAL_MS = 60_000

/** Translates errors of the database for its users, and notifies the link when the database is away. */
export class Failures {
  readonly #log: Logger
  readonly #backend: Backend
  readonly #link: Link
  readonly #meter: StoreMeter
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)

  constructor(log: Logger, backend: Backend, link: Link, meter: StoreMeter) {
    this.#meter = meter
    this.#log = log
    this.#backend = backend
    this.#link = link
  }

  /** Returns true for an error of an operation that may succeed another time. */
  isPassing(error: unknown): boolean {
    if (error instanceof StoreUnavailable) return true
    const { kind } = this.#backend.failureOf(error)
    return kind === 'away' || kind === 'refused'
  }

  /** Returns the error for the owner of the query. */
  errorOf(error: unknown): unknown {
    if (error instanceof StoreUnavailable) return error
    const failure = this.#backend.failureOf(error)
    this.#meter.failed(failure.kind)
    switch (failure.kind) {
      case 'away':
        this.#link.lost(failure.reason)
        return new StoreUnavailable(failure.reason)
      case 'refused':
        this.#logRefusal(failure.reason)
        return new StoreUnavailable(failure.reason)
      case 'not-unique':
        return new NotUnique()
      case 'mistake':
        return failure.error
    }
  }

  #logRefusal(reason: string): void {
    const withheld = this.#limit.pass()
    if (withheld !== undefined) this.#log.error({ withheld }, `the database refuses queries: ${reason}`)
  }
}
