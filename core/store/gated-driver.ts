import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'

/** Who may ask the database, and what they are told when that fails. */
export interface Gate {
  /** Waits until the tables are there. @throws {StoreUnavailable} when they are not */
  enter(): Promise<void>
  /** @throws {Error} when the owner is gone */
  assertOpen(): void
  /** What the owner is told of an error of the database. */
  errorOf(error: unknown): unknown
}

/** Parameters that both kinds of database keep alike. */
const KEPT = ['string', 'number', 'bigint', 'boolean']
const NUL = '\0'

/** Stands between the queries of an owner and the database that all share. */
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
    const inner = await this.#told(this.#driver.acquireConnection())
    return new GatedConnection(inner, this.#gate)
  }

  beginTransaction({ inner }: GatedConnection, settings: TransactionSettings): Promise<void> {
    return this.#told(this.#driver.beginTransaction(inner, settings))
  }

  commitTransaction({ inner }: GatedConnection): Promise<void> {
    return this.#told(this.#driver.commitTransaction(inner))
  }

  async rollbackTransaction({ inner }: GatedConnection): Promise<void> {
    try {
      await this.#driver.rollbackTransaction(inner)
    } catch (error) {
      // The database has forgotten the transaction with the connection; why it was to be rolled back says more.
      this.#gate.errorOf(error)
    }
  }

  async releaseConnection({ inner }: GatedConnection): Promise<void> {
    await this.#told(this.#driver.releaseConnection(inner))
  }

  async destroy(): Promise<void> {}

  async #told<T>(work: Promise<T>): Promise<T> {
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
    const parameters = query.parameters.map(kept)
    try {
      return await this.inner.executeQuery<Row>({ ...query, parameters })
    } catch (error) {
      throw this.#gate.errorOf(error)
    }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows can not be streamed: ask for them page by page')
  }
}

/** Booleans are kept as 0 and 1. */
function kept(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === null || (KEPT.includes(typeof value) && !Number.isNaN(value))) {
    if (typeof value === 'string' && value.includes(NUL)) throw new TypeError('text with a NUL can not be kept')
    return value
  }
  const kind = value instanceof Date ? 'a Date' : `a value of type ${typeof value}`
  throw new TypeError(
    `${kind} can not be kept: write numbers (milliseconds of a time), text (JSON of an object) or null`,
  )
}
