import type { Backend } from './backend.ts'
import type { Database } from './database.ts'
import { PostgresBackend } from './postgres/postgres-backend.ts'
import { SqliteBackend } from './sqlite/sqlite-backend.ts'

/** Creates the backend of a database; opens nothing yet. */
export function createBackend(database: Database): Backend {
  switch (database.kind) {
    case 'sqlite':
      return new SqliteBackend(database.file, database.folder)
    case 'postgres':
      return new PostgresBackend(database.url, database.shown)
  }
}
