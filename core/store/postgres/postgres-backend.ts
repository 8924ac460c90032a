import {
  PostgresAdapter,
  PostgresDriver,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Kysely,
  type PostgresPool,
} from 'kysely'
import type { Pool } from 'pg'
import { withDeadline } from 'sluice/sdk'
import type { Backend, Failure } from '../backend.ts'
import { lentClient, PATIENCE } from './lent-client.ts'
import { postgresFailure, UnfitDatabase } from './postgres-failures.ts'
import { postgresValues } from './postgres-values.ts'

/** The most connections of the pool. */
const MAX_CONNECTIONS = 10
/** The longest time for a new connection, for a free one, and for the check whether the database answers. */
const CONNECT_TIMEOUT_MS = 5000
const IDLE_TIMEOUT_MS = 30_000
/** The longest time for a statement, and between two statements of a transaction. */
const STATEMENT_TIMEOUT_MS = 30_000
const CLOSE_TIMEOUT_MS = 2000
/** The advisory lock of migrations: "Slui". */
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
    const pool = this.#pool ?? (await this.#createPool(onLost))
    if (this.#pool === undefined) {
      this.#pool = pool
      await this.driver.init()
    }
    await this.#check(pool)
  }

  failureOf(error: unknown): Failure {
    return postgresFailure(error)
  }

  async beginMigration(transaction: Kysely<unknown>): Promise<void> {
    await sql.raw(PATIENCE).execute(transaction)
    await sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK)})`.execute(transaction)
  }

  async close(): Promise<void> {
    const pool = this.#pool
    this.#pool = undefined
    const late = () => new Error('the connections to the database did not close in time')
    if (pool !== undefined) await withDeadline(pool.end(), CLOSE_TIMEOUT_MS, late)
  }

  /** Creates the pool; `pg` is loaded only where it is used. */
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
    // A connection that was not in use has ended: the others may go on.
    pool.on('error', () => void this.#recheck(pool, onLost))
    // The query of a connection in use fails, and so reports its error.
    pool.on('connect', (client) => client.on('error', () => {}))
    return pool
  }

  async #recheck(pool: Pool, onLost: (error: unknown) => void): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    try {
      await this.#check(pool)
    } catch (error) {
      // The database is not away when all connections are in use, or when there may be no more.
      if (postgresFailure(error).kind !== 'refused') onLost(error)
    } finally {
      this.#isChecking = false
    }
  }

  async #check(pool: Pool): Promise<void> {
    // The check destroys its connection where the network is silent, so that each check has another one.
    const query = { text: 'show server_encoding', query_timeout: CONNECT_TIMEOUT_MS }
    const { rows } = await pool.query<{ server_encoding: string }>(query)
    const encoding = rows[0]?.server_encoding
    if (encoding !== 'UTF8') throw new UnfitDatabase(`its encoding is ${encoding}: make it anew with UTF8`)
  }

  #connections(): PostgresPool {
    return {
      options: {},
      connect: async () => lentClient(await this.#opened().connect()),
      end: async () => {},
    }
  }

  #opened(): Pool {
    if (this.#pool === undefined) throw new Error('Connection terminated')
    return this.#pool
  }
}
