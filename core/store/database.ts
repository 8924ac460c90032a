import path from 'node:path'
import { maskUrl } from 'sluice/sdk'
import { MEMORY } from './sqlite/messages.ts'

/** The name of the default file in the data folder. */
const DEFAULT_FILE = 'sluice.db'
const SCHEME = /^([a-z][a-z\d+.-]*):/iu
/** The form `host=db user=…` of libpq. */
const KEYWORDS = /^\s*(?:host|hostaddr|port|dbname|user|password)\s*=/iu

/** The keys of the config that name a database. */
export type DatabaseConfig = {
  /** `db.dsn`; it may have a password in it. */
  readonly dsn: string
  /** `db.dbtype` */
  readonly dbtype: string
  /** The folder of data that must survive. */
  readonly datadir: string
}

/** The kind and address of a database. */
export type Database =
  /** `folder` is to be made where it is missing. */
  | { readonly kind: 'sqlite'; readonly file: string; readonly folder: string | undefined }
  | { readonly kind: 'postgres'; readonly url: string; readonly shown: string }

/** @throws {Error} when the config contradicts itself, or names an unsupported database; never quotes the dsn */
export function findDatabase({ dsn, dbtype, datadir }: DatabaseConfig): Database {
  const database = databaseOf(dsn, datadir)
  if (dbtype === '' || dbtype === database.kind) return database
  const hint =
    dbtype === 'postgres'
      ? 'write postgres://user:password@host/database'
      : 'write the path of a file, or leave dbtype empty'
  throw new Error(`names no ${dbtype} database, as dbtype says: ${hint}`)
}

/**
 * The name of a database, without a password.
 * @throws {Error} as {@link findDatabase}
 */
export function databaseName(config: DatabaseConfig): string {
  const database = findDatabase(config)
  return database.kind === 'sqlite' ? database.file : database.shown
}

function databaseOf(dsn: string, datadir: string): Database {
  if (dsn === '') {
    const folder = path.resolve(datadir)
    return { kind: 'sqlite', file: path.join(folder, DEFAULT_FILE), folder }
  }
  if (KEYWORDS.test(dsn)) throw new Error('is not understood: write postgres://user:password@host/database')
  const scheme = SCHEME.exec(dsn)?.[1]?.toLowerCase()
  // A single letter is a drive of Windows.
  if (scheme === undefined || scheme.length === 1 || dsn === MEMORY) return sqliteOf(dsn)
  if (scheme === 'sqlite' || scheme === 'file')
    return sqliteOf(dsn.slice(scheme.length + 1).replace(/^\/\/(?=\/|$)/u, ''))
  if (scheme !== 'postgres' && scheme !== 'postgresql') {
    throw new Error(`names a database of type '${scheme}', and there are sqlite (the path of a file) and postgres`)
  }
  if (!URL.canParse(dsn)) throw new Error('is no URL: write postgres://user:password@host/database')
  return { kind: 'postgres', url: dsn, shown: maskUrl(dsn) }
}

function sqliteOf(file: string): Database {
  if (file === '') throw new Error('names no file after sqlite:')
  return { kind: 'sqlite', file: file === MEMORY ? MEMORY : path.resolve(file), folder: undefined }
}
