/** The thread of a SQLite database, so that no query holds up the event loop of the server. */
import { closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { MAX_ROWS, TOO_MANY_ROWS } from '../row-limit.ts'
import {
  MEMORY,
  OTHER_PROGRAM,
  type SqliteOutcome,
  type SqliteReply,
  type SqliteRequest,
  type SqliteThreadData,
} from './messages.ts'

/** The mark of a file of the server's own: "Slui". */
const APPLICATION_ID = 0x536c7569
/** The longest wait of a statement for another process that has the file. */
const BUSY_TIMEOUT_MS = 5000
/** The most prepared statements that are kept. */
const MAX_STATEMENTS = 200
const NOTHING: SqliteOutcome = { rows: [], changes: 0 }

class Connection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(file: string, readOnly: boolean) {
    this.#database = new DatabaseSync(file, { readOnly, timeout: BUSY_TIMEOUT_MS })
  }

  /** Makes a new file the server's own; nothing is written to a file of another program. */
  adopt(): void {
    // The mark is read after the tables: another server that makes the same file now marks it before there is a table in it.
    const [content] = this.#rows('select count(*) as tables from sqlite_schema')
    const [mark] = this.#rows('pragma application_id')
    if (mark?.['application_id'] !== APPLICATION_ID && content?.['tables'] !== 0) {
      throw Object.assign(new Error('the file is of another program'), { code: OTHER_PROGRAM })
    }
    this.#database.exec('pragma journal_mode = wal')
    // A write that was answered is on the disk.
    this.#database.exec('pragma synchronous = full')
    if (mark?.['application_id'] !== APPLICATION_ID) this.#database.exec(`pragma application_id = ${APPLICATION_ID}`)
  }

  /** Makes LIKE case-sensitive, as PostgreSQL's is. */
  makeLikeCaseSensitive(): void {
    this.#database.exec('pragma case_sensitive_like = on')
  }

  run(request: SqliteRequest): SqliteOutcome {
    switch (request.kind) {
      case 'begin':
        this.#database.exec('begin immediate')
        return NOTHING
      case 'commit':
        this.#database.exec('commit')
        return NOTHING
      case 'rollback':
        // Some errors roll the transaction back by themselves.
        if (this.#database.isTransaction) this.#database.exec('rollback')
        return NOTHING
      case 'statement':
        return this.#runStatement(request)
    }
  }

  close(): void {
    this.#database.close()
  }

  #runStatement({ on, sql, parameters, inTransaction }: SqliteRequest): SqliteOutcome {
    if (inTransaction && !this.#database.isTransaction) throw new Error('the transaction has been rolled back')
    const statement = this.#statement(sql)
    const values = parameters.map(valueOf)
    try {
      if (statement.columns().length > 0) return { rows: rowsOf(statement, values), changes: 0 }
      return { rows: [], changes: Number(statement.run(...values).changes) }
    } finally {
      // Reads begin no transaction; where they share the connection of the writer, as in memory, that may be in one.
      if (on === 'writer' && !inTransaction && this.#database.isTransaction) this.#refuseTransaction()
    }
  }

  #rows(sql: string): Record<string, unknown>[] {
    return this.#database.prepare(sql).all()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    const [oldest] = this.#statements.keys()
    if (oldest !== undefined && this.#statements.size >= MAX_STATEMENTS) this.#statements.delete(oldest)
    this.#statements.set(sql, statement)
    return statement
  }

  /** Refuses a transaction that a statement has begun: it would include the writes of other owners. */
  #refuseTransaction(): never {
    this.#database.exec('rollback')
    throw new Error('a transaction is begun by `transaction()`, and not by a statement of its own')
  }
}

function rowsOf(statement: StatementSync, values: readonly SQLInputValue[]): Record<string, unknown>[] {
  const rows: Record<string, unknown>[] = []
  for (const row of statement.iterate(...values)) {
    if (rows.push(row) > MAX_ROWS) throw new Error(TOO_MANY_ROWS)
  }
  return rows
}

/** Whole numbers are bound as such, and not as floating point. */
function valueOf(value: unknown): SQLInputValue {
  return Number.isSafeInteger(value) ? BigInt(value as number) : (value as SQLInputValue)
}

function open(file: string): Readonly<Record<SqliteRequest['on'], Connection>> {
  // The logs of the file get its mode.
  if (file !== MEMORY && !existsSync(file)) closeSync(openSync(file, 'a', 0o600))
  const writer = new Connection(file, false)
  writer.adopt()
  const reader = file === MEMORY ? writer : new Connection(file, true)
  for (const connection of [writer, reader]) connection.makeLikeCaseSensitive()
  return { writer, reader }
}

function failureOf(error: unknown): Extract<SqliteReply, { error: unknown }>['error'] {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number }
  return { message, code: code ?? '', errcode: errcode ?? 0 }
}

function reply(message: SqliteReply): void {
  parentPort?.postMessage(message, [])
}

function serve(): void {
  const { file } = workerData as SqliteThreadData
  const connections = open(file)
  parentPort?.on('message', (request: SqliteRequest | 'close') => {
    if (request === 'close') {
      // The last connection that is closed writes the log back into the file.
      connections.reader.close()
      if (connections.writer !== connections.reader) connections.writer.close()
      parentPort?.close()
      return
    }
    try {
      reply({ id: request.id, ...connections[request.on].run(request) })
    } catch (error) {
      reply({ id: request.id, error: failureOf(error) })
    }
  })
  reply({ id: 0, ...NOTHING })
}

try {
  serve()
} catch (error) {
  reply({ id: 0, error: failureOf(error) })
}
