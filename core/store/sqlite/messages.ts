/** The name of a database that is no file, and gone when it is closed. */
export const MEMORY = ':memory:'
/** The code of the error for a file that is not the server's own. */
export const OTHER_PROGRAM = 'OTHER_PROGRAM'

/** What the thread is started with. */
export type SqliteThreadData = { readonly file: string }

/** A statement for the thread. */
export type SqliteRequest = {
  /** From 1. */
  readonly id: number
  /** The reader sees what is committed, also while the writer is in a transaction. */
  readonly on: 'reader' | 'writer'
  readonly kind: 'statement' | 'begin' | 'commit' | 'rollback'
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly inTransaction: boolean
}

/** What a statement gave. */
export type SqliteOutcome = { readonly rows: readonly Record<string, unknown>[]; readonly changes: number }

/** What became of a statement; that of id 0 says whether the database could be opened. */
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
