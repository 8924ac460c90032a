import type { Logger } from 'pino'
import { errorCode, StoreUnavailable } from 'sluice/sdk'
import { RetryTimer } from '../base/retry-timer.ts'
import type { Backend } from './backend.ts'

/** The time to the first try to reach a database that went away; further ones wait longer, up to `MAX_RETRY_MS`. */
const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 5000

type LinkedBackend = Pick<Backend, 'open' | 'close' | 'shown' | 'failureOf'>

type LinkOptions = {
  readonly log: Logger
  readonly backend: LinkedBackend
  /** Called each time the database has become reachable. */
  readonly onUp: () => void
}

/** The connection to the database; while the database is away, it is tried again until it is there. */
export class Link {
  readonly #options: LinkOptions
  readonly #retries: RetryTimer
  #state: 'idle' | 'opening' | 'up' | 'away' | 'closed' = 'idle'
  /** The reason why the database is away. */
  #reason = ''
  #opening: Promise<void> | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    const retry = () => void this.#open()
    this.#retries = new RetryTimer({ firstMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, retry })
  }

  get isUp(): boolean {
    return this.#state === 'up'
  }

  /** True when the database was tried, and can't be reached now. */
  get isAway(): boolean {
    return this.#state === 'away' || this.#state === 'closed'
  }

  /** Opens the database, unless that has begun. */
  open(): void {
    if (this.#state === 'idle') this.#opening = this.#open()
  }

  /**
   * Opens the database unless it is open, and waits for the first try, but not for later ones.
   * @throws {StoreUnavailable} while the database is away
   */
  async up(): Promise<void> {
    this.open()
    if (this.#state === 'opening') await this.#opening
    if (this.#state !== 'up') throw new StoreUnavailable(this.#reason)
  }

  /** Notes that the database is away, and begins to try again. */
  lost(reason: string): void {
    if (this.#state === 'up') this.#fail(reason)
  }

  close(): void {
    this.#state = 'closed'
    this.#reason = 'the server is stopping'
    this.#retries.reset()
  }

  async #open(): Promise<void> {
    const { backend, log, onUp } = this.#options
    const isFirst = this.#state === 'idle'
    if (isFirst) this.#state = 'opening'
    try {
      await backend.open((error) => this.lost(reasonOf(backend, error)))
    } catch (error) {
      if (this.#state !== 'closed') this.#fail(reasonOf(backend, error))
      return
    }
    if (this.#state === 'closed') {
      await closeBackend(backend, log)
      return
    }
    this.#state = 'up'
    this.#retries.reset()
    if (isFirst) log.debug({ db: backend.shown }, 'the database is open')
    else log.info({ db: backend.shown }, 'the database is back')
    onUp()
  }

  #fail(reason: string): void {
    const isNews = this.#state !== 'away' || this.#reason !== reason
    this.#state = 'away'
    this.#reason = reason
    const { log, backend } = this.#options
    if (isNews) log.error({ db: backend.shown }, `no database: ${reason}; it is tried again until it is there`)
    this.#retries.schedule()
  }
}

/** Closes a database, and logs the error when that fails. */
export async function closeBackend(backend: Pick<Backend, 'close'>, log: Logger): Promise<void> {
  try {
    await backend.close()
  } catch (err) {
    log.error({ err }, 'the database was not closed')
  }
}

function reasonOf(backend: LinkedBackend, error: unknown): string {
  const failure = backend.failureOf(error)
  if ('reason' in failure) return failure.reason
  // The message of the error may quote secrets.
  const name = error instanceof Error ? error.name : typeof error
  return `it can not be opened (${errorCode(error) || name})`
}
