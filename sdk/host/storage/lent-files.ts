import type { Files, FileStorage } from '../../plugin/files.ts'
import type { LocalStorage } from './local-storage.ts'

/** The files of the server: those of recordings and plugins, and where they go when the disk is full. */
export type ServerStorage = { readonly local: LocalStorage; readonly backup: LocalStorage | undefined }

/** The generation of a plugin that files are lent to. */
type Borrower = {
  /** @throws {Error} when the generation has ended */
  assertLoaded(): void
  /** Calls back when it ends. */
  onDispose(dispose: () => void): void
}

/** The files as one generation of a plugin has them. */
export function lendFiles({ local, backup }: ServerStorage, borrower: Borrower): Files {
  const lentBackup = backup && lendStorage(backup, borrower)
  return Object.assign(lendStorage(local, borrower), {
    backup: lentBackup,
    async moveToBackup(path: string): Promise<void> {
      borrower.assertLoaded()
      if (backup === undefined) throw new Error('there is no backup')
      await local.moveTo(backup, path)
    },
  })
}

function lendStorage(storage: LocalStorage, borrower: Borrower): FileStorage {
  const open = () => {
    borrower.assertLoaded()
    return storage
  }
  return {
    root: storage.root,
    write: async (path, bytes) => open().write(path, bytes),
    read: async (path, signal) => open().read(path, signal),
    remove: async (path) => open().remove(path),
    create: async (path, ending, claim) => open().create(path, ending, claim),
    pathOf: (path) => open().pathOf(path),
    extend: async (path, sizeBytes) => open().extend(path, sizeBytes),
    sizeOf: async (path) => open().sizeOf(path),
    usage: async () => open().usage(),
    look: async () => open().look(),
    probe: async () => open().probe(),
    onFailure(listener) {
      const stop = open().onFailure(listener)
      borrower.onDispose(stop)
      return stop
    },
  }
}
