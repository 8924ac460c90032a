import { existsSync, mkdirSync } from 'node:fs'
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { errorCode, withDeadline } from 'sluice/sdk'
import type { Backend, Failure } from '../backend.ts'
import { MEMORY, OTHER_PROGRAM } from './messages.ts'
import { SqliteClient, SqliteError, SqliteThreadEnd } from './sqlite-client.ts'
import { SqliteDriver } from './sqlite-driver.ts'

/** SQLite's primary result codes; the extended ones have further bits above. */
const CODE_MASK = 0xff
const SQLITE_READONLY = 8
const SQLITE_BUSY = 5
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CANTOPEN = 14
const SQLITE_NOTADB = 26
const SQLITE_CONSTRAINT_PRIMARYKEY = 1555
const SQLITE_CONSTRAINT_UNIQUE = 2067
/** The longest time for the rest of the queries and the log at the end; answered writes are on the disk already. */
const CLOSE_TIMEOUT_MS = 2000

const CAN_NOT_OPEN = 'its file can not be opened; see that its folder is there, and may be written to by the server'
/** The codes of errors while the file or its folder is made. */
const SYSTEM_CODES = ['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR', 'EEXIST', 'EISDIR', 'EROFS', 'ENOSPC', 'EDQUOT']

const AWAY: Readonly<Record<number, string>> = {
  [SQLITE_CANTOPEN]: CAN_NOT_OPEN,
  [SQLITE_NOTADB]: 'its file is no SQLite database; move it away, or name another one in db.dsn',
}
const REFUSED: Readonly<Record<number, string>> = {
  [SQLITE_READONLY]: 'its file can not be written to',
  [SQLITE_BUSY]: 'another process holds its file',
  [SQLITE_IOERR]: 'its file can not be read or written; see whether the disk is full or broken',
  [SQLITE_CORRUPT]: 'its file is damaged; stop the server, and put a backup in its place',
  [SQLITE_FULL]: 'the disk is full',
}

/** An adapter that lets Kysely use the writer and the reader of the thread at the same time. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** A database of SQLite's, in a file or in memory. */
export class SqliteBackend implements Backend {
  readonly kind = 'sqlite'
  readonly shown: string
  readonly dialect: Backend['dialect'] = {
    createAdapter: () => new Adapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
  readonly driver = new SqliteDriver(() => this.#opened())
  readonly #file: string
  readonly #folder: string | undefined
  #client: SqliteClient | undefined
  /** The newest client, which opens the file, and makes it where it is missing. */
  #opening: Promise<SqliteClient> | undefined

  /** @param folder the folder of the file, which is made where it is missing */
  constructor(file: string, folder?: string) {
    this.shown = file
    this.#file = file
    this.#folder = folder
  }

  get exists(): boolean {
    return this.#file !== MEMORY && existsSync(this.#file)
  }

  async open(onLost: (error: unknown) => void): Promise<void> {
    if (this.#folder !== undefined) mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#opening = this.#replace(this.#client)
    const client = await this.#opening
    this.#client = client
    void this.#watch(client, onLost)
  }

  failureOf(error: unknown): Failure {
    if (error instanceof SqliteThreadEnd) return { kind: 'away', reason: 'its thread has ended' }
    if (SYSTEM_CODES.includes(errorCode(error))) return { kind: 'away', reason: CAN_NOT_OPEN }
    if (!(error instanceof SqliteError)) return { kind: 'mistake', error }
    if (error.code === OTHER_PROGRAM) {
      return { kind: 'away', reason: 'its file is of another program; name another one in db.dsn' }
    }
    const code = error.errcode & CODE_MASK
    const away = AWAY[code]
    if (away !== undefined) return { kind: 'away', reason: away }
    const refused = REFUSED[code]
    if (refused !== undefined) return { kind: 'refused', reason: refused }
    const isTaken = [SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE].includes(error.errcode)
    return isTaken ? { kind: 'not-unique' } : { kind: 'mistake', error }
  }

  async beginMigration(): Promise<void> {
    // The transaction of a migration has the file for itself.
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    const close = async () => (await this.#opening?.catch(() => undefined))?.close()
    try {
      await withDeadline(close(), CLOSE_TIMEOUT_MS, () => new Error('the database did not close in time'))
    } finally {
      await client?.terminate()
    }
  }

  async #replace(former: SqliteClient | undefined): Promise<SqliteClient> {
    await former?.terminate()
    return SqliteClient.open(this.#file)
  }

  async #watch(client: SqliteClient, onLost: (error: unknown) => void): Promise<void> {
    await client.ended
    if (this.#client !== client) return
    this.#client = undefined
    onLost(new SqliteThreadEnd('the thread of the database has ended'))
  }

  #opened(): SqliteClient {
    if (this.#client === undefined) throw new SqliteThreadEnd('the thread of the database has ended')
    return this.#client
  }
}
