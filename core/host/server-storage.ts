import path from 'node:path'
import { LocalStorage, StorageNotes, type ServerStorage } from 'sluice/sdk/host'

/** The file in `global.datadir` that tells which storages were used. */
const NOTES_FILE = 'storage.json'

/**
 * @param config `global.storage.local`
 * @param datadir `global.datadir`
 */
export function createStorage(
  config: { readonly path: string; readonly backuppath: string },
  datadir: string,
): ServerStorage {
  const { path: root, backuppath } = config
  const notes = new StorageNotes(path.resolve(datadir, NOTES_FILE))
  return {
    local: new LocalStorage({ root, notes }),
    backup: backuppath === '' ? undefined : new LocalStorage({ root: backuppath, notes }),
  }
}
