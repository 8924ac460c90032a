import type { Backend } from './backend.ts'
import type { Database } from './database.ts'
import { SqliteBackend } from './sqlite/sqlite-backend.ts'

export function createBackend(database: Database): Backend {
  if (database.kind === 'sqlite') return new SqliteBackend(database.file, database.folder)
  throw new Error('PostgreSQL comes next')
}
