import type { Logger } from 'pino'
import { LogLimit, NotUnique, StoreUnavailable } from 'sluice/sdk'
import type { Backend } from './backend.ts'
import type { Link } from './link.ts'
import type { StoreMeter } from './store-meter.ts'

/** How often the log says at most that queries fail. */
const LOG_INTERVAL_MS = 60_000

/** Tells those who ask what an error of the database means for them, and the link when the database is away. */
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

  /** Whether what has failed may succeed another time. */
  isPassing(error: unknown): boolean {
    if (error instanceof StoreUnavailable) return true
    const { kind } = this.#backend.failureOf(error)
    return kind === 'away' || kind === 'refused'
  }

  /** What to tell the owner of the query. */
  errorOf(error: unknown): unknown {
    if (error instanceof StoreUnavailable) return error
    const failure = this.#backend.failureOf(error)
    this.#meter.failed(failure.kind)
    switch (failure.kind) {
      case 'away':
        this.#link.lost(failure.reason)
        return new StoreUnavailable(failure.reason)
      case 'refused':
        this.#tell(failure.reason)
        return new StoreUnavailable(failure.reason)
      case 'not-unique':
        return new NotUnique()
      case 'mistake':
        return failure.error
    }
  }

  #tell(reason: string): void {
    const withheld = this.#limit.pass()
    if (withheld !== undefined) this.#log.error({ withheld }, `the database refuses queries: ${reason}`)
  }
}
