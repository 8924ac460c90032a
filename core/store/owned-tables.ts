import type { Logger } from 'pino'
import { messageOf, StoreUnavailable } from 'sluice/sdk'
import { MigrationError } from 'sluice/sdk/host'
import type { Failures } from './failures.ts'
import type { Gate } from './gated-driver.ts'
import type { Link } from './link.ts'
import type { StoreMeter } from './store-meter.ts'

type OwnedTablesInit = {
  readonly log: Logger
  readonly owner: string
  readonly link: Link
  readonly failures: Failures
  readonly meter: StoreMeter
  /** Runs the migrations that have not run. */
  readonly migrate: () => Promise<void>
}

/** The tables of one owner: its queries wait for its migrations, which run once each time the database has become reachable. */
export class OwnedTables implements Gate {
  readonly #init: OwnedTablesInit
  /** The migrations that have begun, and did not fail for a passing reason. */
  #migration: Promise<void> | undefined
  #closed: (() => Error) | undefined

  constructor(init: OwnedTablesInit) {
    this.#init = init
  }

  /**
   * Opens the database, and runs the migrations unless they have run. Where it is away, nothing happens: the next query, or
   * its return, runs them.
   * @throws {MigrationError} when they fail for a reason that does not pass
   */
  async prepare(): Promise<void> {
    try {
      await this.#init.link.up()
      await this.#migrated()
    } catch (error) {
      if (error instanceof MigrationError) throw error
      this.errorOf(error)
    }
  }

  async enter(): Promise<void> {
    this.assertOpen()
    await this.#init.link.up()
    try {
      await this.#migrated()
    } catch (error) {
      if (!(error instanceof MigrationError)) throw this.errorOf(error)
      throw new StoreUnavailable('its tables are not as they must be, see the log', { cause: error })
    }
    this.assertOpen()
  }

  /** Lets the migrations run again: the database that is back may be another one, or an older copy. */
  renew(): void {
    this.#migration = undefined
  }

  assertOpen(): void {
    if (this.#closed !== undefined) throw this.#closed()
  }

  errorOf(error: unknown): unknown {
    return this.#init.failures.errorOf(error)
  }

  queried(startMs: number, succeeded: boolean): void {
    this.#init.meter.queried(startMs, succeeded)
  }

  /** @param reason creates the error that queries fail with from now on */
  close(reason: () => Error): void {
    this.#closed = reason
  }

  #migrated(): Promise<void> {
    this.#migration ??= this.#migrate()
    return this.#migration
  }

  async #migrate(): Promise<void> {
    const { migrate, failures, owner, log } = this.#init
    try {
      await migrate()
    } catch (cause) {
      if (failures.isPassing(cause)) {
        this.#migration = undefined
        throw cause
      }
      const isKnown = cause instanceof MigrationError
      const error = isKnown
        ? cause
        : new MigrationError(`a migration of '${owner}' failed: ${messageOf(cause)}`, { cause })
      log.error({ err: isKnown ? { message: error.message } : error }, 'the tables can not be used')
      throw error
    }
  }
}
