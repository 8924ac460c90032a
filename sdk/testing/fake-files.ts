import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { InvalidRequest } from '../errors/stream-errors.ts'
import { checkStoragePath } from '../host/storage-path.ts'
import { FileBytes, type RecordingBytes } from '../playback/recording-bytes.ts'
import type { Files } from '../plugin/files.ts'

/** Files in a temporary folder of their own, which is made with the first of them. */
export class FakeFiles implements Files {
  /** The folder. */
  readonly root = path.join(tmpdir(), `sluice-files-${randomUUID()}`)

  async write(filePath: string, bytes: Uint8Array): Promise<void> {
    const file = this.#absolute(filePath)
    if (file === this.root) throw new InvalidRequest('the path names no file')
    const part = path.join(path.dirname(file), `.${randomUUID()}.part`)
    try {
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(part, bytes)
      await rename(part, file)
    } catch (cause) {
      await rm(part, { force: true }).catch(() => {})
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'failed'
      throw Object.assign(new Error(`the file can't be written: ${code}`, { cause }), { code })
    }
  }

  async read(filePath: string, signal?: AbortSignal): Promise<RecordingBytes> {
    return FileBytes.open(this.#absolute(filePath), signal)
  }

  async remove(filePath: string): Promise<void> {
    await rm(this.#absolute(filePath), { force: true })
    const parts = checkStoragePath(filePath).split('/')
    while (parts.pop() !== undefined && parts.length > 0) {
      try {
        await rmdir(path.join(this.root, ...parts))
      } catch {
        // Others are in it.
        return
      }
    }
  }

  /**
   * The files as one generation has them.
   * @param assertLoaded throws when it has ended
   */
  lend(assertLoaded: () => void): Files {
    const open = () => {
      assertLoaded()
      return this
    }
    return {
      write: async (filePath, bytes) => open().write(filePath, bytes),
      read: async (filePath, signal) => open().read(filePath, signal),
      remove: async (filePath) => open().remove(filePath),
    }
  }

  /** Takes all of them away. */
  async dispose(): Promise<void> {
    await rm(this.root, { recursive: true, force: true })
  }

  #absolute(filePath: string): string {
    return path.join(this.root, ...checkStoragePath(filePath).split('/'))
  }
}
