import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import { keptValue } from 'sluice/sdk/host'
import { MAX_ROWS, TOO_MANY_ROWS } from './row-limit.ts'

/** Admits the queries of an owner, and translates the errors that they fail with. */
export interface Gate {
  /** Waits until the tables are there. @throws {StoreUnavailable} when they are not */
  enter(): Promise<void>
  /** @throws {Error} when the owner is gone */
  assertOpen(): void
  /** Returns the error that the owner gets for an error of the database. */
  errorOf(error: unknown): unknown
  /** Counts a query. @param startMs the time at which it was sent, on the clock of `performance` */
  queried(startMs: number, succeeded: boolean): void
}

/** Checks the queries of an owner before the database that all owners share. */
export class GatedDriver implements Driver {
  readonly #driver: Driver
  readonly #gate: Gate

  constructor(driver: Driver, gate: Gate) {
    this.#driver = driver
    this.#gate = gate
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<GatedConnection> {
    await this.#gate.enter()
    const inner = await this.#withOwnersErrors(this.#driver.acquireConnection())
    return new GatedConnection(inner, this.#gate)
  }

  beginTransaction({ inner }: GatedConnection, settings: TransactionSettings): Promise<void> {
    return this.#withOwnersErrors(this.#driver.beginTransaction(inner, settings))
  }

  commitTransaction({ inner }: GatedConnection): Promise<void> {
    return this.#withOwnersErrors(this.#driver.commitTransaction(inner))
  }

  async rollbackTransaction({ inner }: GatedConnection): Promise<void> {
    try {
      await this.#driver.rollbackTransaction(inner)
    } catch (error) {
      // The database has forgotten the transaction with the connection; the reason for the rollback is the better error.
      this.#gate.errorOf(error)
    }
  }

  async releaseConnection({ inner }: GatedConnection): Promise<void> {
    await this.#withOwnersErrors(this.#driver.releaseConnection(inner))
  }

  async destroy(): Promise<void> {}

  async #withOwnersErrors<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw this.#gate.errorOf(error)
    }
  }
}

class GatedConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  readonly #gate: Gate

  constructor(inner: DatabaseConnection, gate: Gate) {
    this.inner = inner
    this.#gate = gate
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#gate.assertOpen()
    const parameters = query.parameters.map(keptValue)
    const result = await this.#run<Row>({ ...query, parameters })
    if (result.rows.length > MAX_ROWS) throw new Error(TOO_MANY_ROWS)
    return result
  }

  async #run<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const startMs = performance.now()
    let succeeded = false
    try {
      const result = await this.inner.executeQuery<Row>(query)
      succeeded = true
      return result
    } catch (error) {
      throw this.#gate.errorOf(error)
    } finally {
      this.#gate.queried(startMs, succeeded)
    }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows can not be streamed: ask for them page by page')
  }
}
