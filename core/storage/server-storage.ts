import { LocalStorage } from './local-storage.ts'

/** Where the files of the server lie: those of recordings and plugins, and where they go when the disk is full. */
export type ServerStorage = { readonly local: LocalStorage; readonly backup: LocalStorage | undefined }

/** @param config `global.storage.local` */
export function createStorage(config: { readonly path: string; readonly backuppath: string }): ServerStorage {
  const { path, backuppath } = config
  return {
    local: new LocalStorage({ root: path }),
    backup: backuppath === '' ? undefined : new LocalStorage({ root: backuppath }),
  }
}
