import type { Config } from './config/config.ts'
import { ModificationTables } from './config/modification-tables.ts'
import { createLogger } from './observe/logger.ts'
import { Store } from './store/store.ts'

/**
 * Lets a command use what was set at run time, as it is in the database of a config; does nothing where there is no database
 * yet.
 * @throws {StoreUnavailable} when it is away
 */
export async function withStoredConfig(
  { global: { db, datadir } }: Config,
  use: (tables: ModificationTables) => Promise<void>,
): Promise<void> {
  const store = new Store({ log: createLogger({ level: 'silent' }), ...db, datadir })
  try {
    const tables = new ModificationTables(store)
    if (store.exists) await use(tables)
  } finally {
    await store.close()
  }
}
