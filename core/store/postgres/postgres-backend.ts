import {
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Kysely,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { withDeadline } from '../../base/deadline.ts'
import type { Backend, Failure } from '../backend.ts'
import { postgresFailure, UnfitDatabase } from './postgres-failures.ts'
import { postgresValues } from './postgres-values.ts'

/** Connections at most. */
const MAX_CONNECTIONS = 10
/** How long making a connection, or waiting for a free one, may take. */
const CONNECT_TIMEOUT_MS = 5000
const IDLE_TIMEOUT_MS = 30_000
/** How long PostgreSQL may take for a statement, and for what a transaction does between two. */
const STATEMENT_TIMEOUT_MS = 30_000
/** How long its answer may take: more than that, and nobody is there any more. */
const ANSWER_TIMEOUT_MS = 35_000
const CLOSE_TIMEOUT_MS = 2000
/** Migrations may take as long as they need; said to PostgreSQL, it holds for the rest of the transaction. */
const PATIENCE = 'set local statement_timeout = 0'
/** The lock of whoever migrates: "Slui". */
const MIGRATION_LOCK = 0x536c7569

/** A database of PostgreSQL's, through a pool of connections. */
export class PostgresBackend implements Backend {
  readonly kind = 'postgres'
  readonly shown: string
  readonly dialect: Backend['dialect'] = {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
  readonly driver = new PostgresDriver({ pool: async () => this.#connections() })
  readonly exists = true
  readonly #url: string
  #pool: Pool | undefined
  #isChecking = false

  /** @param shown the URL without its secrets */
  constructor(url: string, shown: string) {
    this.#url = url
    this.shown = shown
  }

  async open(onLost: (error: unknown) => void): Promise<void> {
    if (this.#pool === undefined) {
      this.#pool = await this.#createPool(onLost)
      await this.driver.init()
    }
    await this.#check(this.#pool)
  }

  failureOf(error: unknown): Failure {
    return postgresFailure(error)
  }

  async beginMigration(transaction: Kysely<unknown>): Promise<void> {
    await sql.raw(PATIENCE).execute(transaction)
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
  }

  async close(): Promise<void> {
    const late = () => new Error('the connections to the database did not close in time')
    if (this.#pool !== undefined) await withDeadline(this.#pool.end(), CLOSE_TIMEOUT_MS, late)
  }

  /** Loaded only where it is used. */
  async #createPool(onLost: (error: unknown) => void): Promise<Pool> {
    const { Pool } = await import('pg')
    const pool = new Pool({
      connectionString: this.#url,
      application_name: 'sluice',
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
      types: postgresValues,
    })
    // A connection that nobody uses has ended: the others may go on.
    pool.on('error', () => void this.#recheck(pool, onLost))
    // Where one is in use, the query fails, which says it.
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }

  async #recheck(pool: Pool, onLost: (error: unknown) => void): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      await this.#check(pool)
    } catch (error) {
      onLost(error)
    } finally {
      this.#isChecking = false
    }
  }

  async #check(pool: Pool): Promise<void> {
    const { rows } = await pool.query<{ server_encoding: string }>('show server_encoding')
    const encoding = rows[0]?.server_encoding
    if (encoding !== 'UTF8') throw new UnfitDatabase(`its encoding is ${encoding}: make it anew with UTF8`)
  }

  #connections(): PostgresPool {
    return {
      options: {},
      connect: async () => lent(await this.#opened().connect()),
      end: async () => {},
    }
  }

  #opened(): Pool {
    if (this.#pool === undefined) throw new Error('Connection terminated')
    return this.#pool
  }
}

/** A connection of the pool, which does not go back into it once it is broken. */
function lent(client: PoolClient): PostgresPoolClient {
  let isBroken = false
  let timeoutMs: number | undefined = ANSWER_TIMEOUT_MS
  const query = async (text: string, values: readonly unknown[]) => {
    if (text === PATIENCE) timeoutMs = undefined
    try {
      const config = { text, values: [...values], query_timeout: timeoutMs }
      return await client.query(config)
    } catch (error) {
      isBroken ||= postgresFailure(error).kind === 'away'
      throw error
    }
  }
  // Without a cursor, Kysely calls it in this way only.
  return { query: query as unknown as PostgresPoolClient['query'], release: () => client.release(isBroken) }
}
