import type { Dialect, Driver, Kysely } from 'kysely'
import type { DatabaseKind } from 'sluice/sdk/host'

/** What an error of the database's own means. */
export type Failure =
  /** It can't be reached, or is not as it must be: no query has a chance until it is opened again. */
  | { readonly kind: 'away'; readonly reason: string }
  /** This query could not be done; others may. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'not-unique' }
  /** The query itself is wrong; `error` has no values in it. */
  | { readonly kind: 'mistake'; readonly error: unknown }

/** A kind of database. */
export interface Backend {
  readonly kind: DatabaseKind
  /** What the log may show of where it is. */
  readonly shown: string
  /** Writes the queries. */
  readonly dialect: Pick<Dialect, 'createAdapter' | 'createIntrospector' | 'createQueryCompiler'>
  /** Runs them; it stays the same when the database is opened again. */
  readonly driver: Driver
  /** False where nothing can be in it yet, as it has never been opened. */
  readonly exists: boolean
  /**
   * Opens the database, also again after it went away.
   * @param onLost is told when it goes away by itself, with an error for `failureOf`
   */
  open(onLost: (error: unknown) => void): Promise<void>
  failureOf(error: unknown): Failure
  /** Within a transaction: keeps other processes from migrating until that ends, and lifts the limits of queries. */
  beginMigration(transaction: Kysely<unknown>): Promise<void>
  /** Ends what is running. */
  close(): Promise<void>
}
