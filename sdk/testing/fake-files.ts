import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { lendFiles } from '../host/storage/lent-files.ts'
import { LocalStorage } from '../host/storage/local-storage.ts'
import type { Files } from '../plugin/files.ts'

/** Files in a temporary folder of their own, which is made with the first of them; there is no backup. */
export class FakeFiles extends LocalStorage {
  constructor() {
    super({ root: path.join(tmpdir(), `sluice-files-${randomUUID()}`) })
  }

  /**
   * The files as one generation has them.
   * @param assertLoaded throws when it has ended
   */
  lend(assertLoaded: () => void, onDispose: (dispose: () => void) => void): Files {
    return lendFiles({ local: this, backup: undefined }, { assertLoaded, onDispose })
  }

  /** Takes all of them away. */
  async dispose(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }
}
