import { StoreUnavailable } from 'sluice/sdk'
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

/**
 * Takes over what was set at run time, before the server has opened its database.
 * @returns why that is not known, where the database is away
 */
export async function restoreStored(config: Config): Promise<string | undefined> {
  try {
    await withStoredConfig(config, async (tables) => config.restore(await tables.load()))
    return undefined
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.message
    throw error
  }
}
