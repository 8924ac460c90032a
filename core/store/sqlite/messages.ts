/** The name of a database in memory, which is gone when it is closed. */
export const MEMORY = ':memory:'
/** The code of the error for a file that is not the server's own. */
export const OTHER_PROGRAM = 'OTHER_PROGRAM'

/** The data that the thread is started with. */
export type SqliteThreadData = { readonly file: string }

/** A statement for the thread. */
export type SqliteRequest = {
  /** The number of the statement, from 1. */
  readonly id: number
  /** `reader` sees the committed data, also while the writer is in a transaction. */
  readonly on: 'reader' | 'writer'
  readonly kind: 'statement' | 'begin' | 'commit' | 'rollback'
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly inTransaction: boolean
}

/** The result of a statement. */
export type SqliteOutcome = { readonly rows: readonly Record<string, unknown>[]; readonly changes: number }

/** The outcome of a statement; that of id 0 is the outcome of opening the database. */
export type SqliteReply =
  | (SqliteOutcome & { readonly id: number })
  | {
      readonly id: number
      readonly error: {
        readonly message: string
        readonly code: string
        /** SQLite's extended result code; 0 where it is no error of SQLite's. */
        readonly errcode: number
      }
    }
