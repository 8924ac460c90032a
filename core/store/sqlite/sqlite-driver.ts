import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { SqliteOutcome } from './messages.ts'
import type { SqliteClient } from './sqlite-client.ts'
import { SqliteTransaction } from './sqlite-transaction.ts'
import { WriterTurns } from './writer-turns.ts'

/** The start of reads as Kysely writes them, and of plain ones that are written by hand. */
const READ = /^\s*select\b/iu

/** The longest idle time of a transaction, as that of PostgreSQL. */
const MAX_IDLE_MS = 30_000

/**
 * Runs queries in the thread. A query outside a transaction reads the committed data, also beside a transaction that runs;
 * writes wait for one another.
 */
export class SqliteDriver implements Driver {
  readonly #client: () => SqliteClient
  readonly #turns = new WriterTurns()

  readonly #idleMs: number

  /**
   * @param client returns the thread as it is now; throws where there is none
   * @param idleMs the longest time in which a transaction may do nothing
   */
  constructor(client: () => SqliteClient, idleMs = MAX_IDLE_MS) {
    this.#client = client
    this.#idleMs = idleMs
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#client, this.#turns, this.#idleMs)
  }

  beginTransaction(connection: SqliteConnection): Promise<void> {
    return connection.begin()
  }

  commitTransaction(connection: SqliteConnection): Promise<void> {
    return connection.commit()
  }

  rollbackTransaction(connection: SqliteConnection): Promise<void> {
    return connection.rollBack()
  }

  releaseConnection(connection: SqliteConnection): Promise<void> {
    return connection.rollBack()
  }

  async destroy(): Promise<void> {}
}

class SqliteConnection implements DatabaseConnection {
  readonly #client: () => SqliteClient
  readonly #turns: WriterTurns
  readonly #idleMs: number
  #transaction: SqliteTransaction | undefined

  constructor(client: () => SqliteClient, turns: WriterTurns, idleMs: number) {
    this.#client = client
    this.#turns = turns
    this.#idleMs = idleMs
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.#run(sql, parameters, query.kind === 'SelectQueryNode' || READ.test(sql))
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) }
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('rows can not be streamed: ask for them page by page')
  }

  async begin(): Promise<void> {
    const endTurn = await this.#turns.take()
    try {
      this.#transaction = await SqliteTransaction.begin({ client: this.#client(), endTurn, idleMs: this.#idleMs })
    } catch (error) {
      endTurn()
      throw error
    }
  }

  async commit(): Promise<void> {
    await this.#transaction?.commit()
  }

  /** Rolls a transaction back that has not ended, as when its commit has failed. */
  async rollBack(): Promise<void> {
    const transaction = this.#transaction
    this.#transaction = undefined
    await transaction?.rollBack()
  }

  async #run(sql: string, parameters: readonly unknown[], isRead: boolean): Promise<SqliteOutcome> {
    if (this.#transaction !== undefined) return this.#transaction.run(sql, parameters)
    if (isRead) return this.#client().run({ on: 'reader', kind: 'statement', sql, parameters, inTransaction: false })
    const endTurn = await this.#turns.take()
    try {
      return await this.#client().run({ on: 'writer', kind: 'statement', sql, parameters, inTransaction: false })
    } finally {
      endTurn()
    }
  }
}
