import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { SqliteOutcome } from './messages.ts'
import type { SqliteClient } from './sqlite-client.ts'
import { WriterTurns } from './writer-turns.ts'

/** Reads as Kysely writes them, and plain ones that are written by hand. */
const READ = /^\s*select\b/iu

/**
 * Runs queries in the thread. Whatever is no transaction reads what is committed, beside a transaction that runs; writes
 * wait for one another.
 */
export class SqliteDriver implements Driver {
  readonly #client: () => SqliteClient
  readonly #turns = new WriterTurns()

  /** @param client the thread as it is now; throws where there is none */
  constructor(client: () => SqliteClient) {
    this.#client = client
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    return new SqliteConnection(this.#client, this.#turns)
  }

  beginTransaction(connection: SqliteConnection): Promise<void> {
    return connection.begin()
  }

  commitTransaction(connection: SqliteConnection): Promise<void> {
    return connection.end('commit')
  }

  rollbackTransaction(connection: SqliteConnection): Promise<void> {
    return connection.end('rollback')
  }

  releaseConnection(connection: SqliteConnection): Promise<void> {
    return connection.release()
  }

  async destroy(): Promise<void> {}
}

/** A transaction that is under way. */
type Transaction = {
  /** Of the thread that it began in. */
  readonly client: SqliteClient
  readonly endTurn: () => void
}

function step(kind: 'begin' | 'commit' | 'rollback') {
  return { on: 'writer', kind, sql: '', parameters: [], inTransaction: true } as const
}

class SqliteConnection implements DatabaseConnection {
  readonly #client: () => SqliteClient
  readonly #turns: WriterTurns
  #transaction: Transaction | undefined

  constructor(client: () => SqliteClient, turns: WriterTurns) {
    this.#client = client
    this.#turns = turns
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
      const client = this.#client()
      await client.run(step('begin'))
      this.#transaction = { client, endTurn }
    } catch (error) {
      endTurn()
      throw error
    }
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    await this.#transaction?.client.run(step(how))
    this.#endTurn()
  }

  /** What has not ended, as the commit has failed, is rolled back. */
  async release(): Promise<void> {
    try {
      await this.#transaction?.client.run(step('rollback'))
    } finally {
      this.#endTurn()
    }
  }

  #endTurn(): void {
    this.#transaction?.endTurn()
    this.#transaction = undefined
  }

  async #run(sql: string, parameters: readonly unknown[], isRead: boolean): Promise<SqliteOutcome> {
    if (this.#transaction !== undefined) {
      return this.#transaction.client.run({ on: 'writer', kind: 'statement', sql, parameters, inTransaction: true })
    }
    if (isRead) return this.#client().run({ on: 'reader', kind: 'statement', sql, parameters, inTransaction: false })
    const endTurn = await this.#turns.take()
    try {
      return await this.#client().run({ on: 'writer', kind: 'statement', sql, parameters, inTransaction: false })
    } finally {
      endTurn()
    }
  }
}
