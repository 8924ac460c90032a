import type { Dialect, Driver, Kysely } from 'kysely'
import type { DatabaseKind } from 'sluice/sdk/host'

/** The meaning of an error of the database's own. */
export type Failure =
  /** The database can't be reached, or is not as it must be: all queries fail until it is opened again. */
  | { readonly kind: 'away'; readonly reason: string }
  /** This query could not be done; others may. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'not-unique' }
  /** The query itself is wrong; `error` has no values in it. */
  | { readonly kind: 'mistake'; readonly error: unknown }

/** A kind of database. */
export interface Backend {
  readonly kind: DatabaseKind
  /** The name of the database as the log may show it. */
  readonly shown: string
  /** Compiles the queries. */
  readonly dialect: Pick<Dialect, 'createAdapter' | 'createIntrospector' | 'createQueryCompiler'>
  /** Runs the queries; it stays the same when the database is opened again. */
  readonly driver: Driver
  /** False where the database has no contents yet, as it has never been opened. */
  readonly exists: boolean
  /**
   * Opens the database, also again after it went away.
   * @param onLost called when it goes away by itself, with an error for `failureOf`
   */
  open(onLost: (error: unknown) => void): Promise<void>
  failureOf(error: unknown): Failure
  /** Keeps other processes, within a transaction, from migrating until that ends, and lifts the limits of its queries. */
  beginMigration(transaction: Kysely<unknown>): Promise<void>
  /** Ends the queries under way, and closes the database. */
  close(): Promise<void>
}
