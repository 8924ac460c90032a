import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, open, rename, rm, rmdir, stat, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../../errors/error-text.ts'
import { SluiceError } from '../../errors/sluice-error.ts'
import { InvalidRequest } from '../../errors/stream-errors.ts'
import { FileBytes, type RecordingBytes } from '../../playback/recording-bytes.ts'
import type { CreatedFile, DiskUsage, FileStorage, WriteFailure } from '../../plugin/files.ts'
import { WorkQueue } from '../../plugin/work-queue.ts'
import { checkStoragePath } from '../storage-path.ts'
import { StoredFileWriter, type WritableFile } from './file-writer.ts'
import { StorageMissing } from './storage-missing.ts'
import type { StorageNotes } from './storage-notes.ts'
import { StorageRoot } from './storage-root.ts'

/**
 * How many writes are under way at a time. The threads that write files also look up names and read files for others, and a disk
 * that hangs is not to have them all.
 */
const CONCURRENT_WRITES = 2
/** A name that is taken gets a number, so many at most. */
const MAX_NUMBER = 10_000
const MAX_TRIES = 3

type LocalStorageOptions = {
  /** The folder, as seen from the working directory. */
  readonly root: string
  /**
   * The record of the roots that were used before, which tells a missing root from a new one; kept in memory for this object
   * alone unless given.
   */
  readonly notes?: StorageNotes
  /** Opens a new file. Injected by tests. */
  readonly openFile?: (file: string, flags: 'wx' | 'r+') => Promise<WritableFile>
}

/**
 * Files in a folder of this machine. Paths are below it, with `/` between the parts; none leads out of it. Where the folder is missing,
 * nothing is made there, and no file counts as gone: all functions throw {@link StorageMissing} then.
 */
export class LocalStorage implements FileStorage {
  readonly root: string
  readonly #folder: StorageRoot
  readonly #writes = new WorkQueue({ working: CONCURRENT_WRITES })
  readonly #openFile: (file: string, flags: 'wx' | 'r+') => Promise<WritableFile>
  readonly #failureListeners = new Set<(failure: WriteFailure) => void>()

  constructor({ root, notes, openFile = (file, flags) => open(file, flags) }: LocalStorageOptions) {
    this.#folder = new StorageRoot(root, notes)
    this.root = this.#folder.folder
    this.#openFile = openFile
  }

  /** Calls `listener` each time a file could not be made, or not be written as a whole. */
  onFailure(listener: (failure: WriteFailure) => void): () => void {
    this.#failureListeners.add(listener)
    return () => void this.#failureListeners.delete(listener)
  }

  /**
   * Looks whether the folder is there, and takes over one that has files of an older version.
   * @throws {StorageMissing}
   */
  async look(): Promise<void> {
    await this.#folder.adopt()
  }

  /**
   * Makes a file in the folder and deletes it, to see whether that can be written.
   * @throws {StorageMissing}
   * @throws {Error} with the system's code
   */
  async probe(): Promise<void> {
    await this.#folder.prepare()
    const file = path.join(this.root, `.${randomUUID()}.part`)
    try {
      await writeFile(file, '', { flag: 'wx' })
    } finally {
      await rm(file, { force: true })
    }
  }

  /**
   * Makes a file that is not there yet, with its folders.
   * @param ending the ending; for a path that is taken, a number goes before it: `a.mp4`, `a-2.mp4`
   * @param claim called with a path before the file is made; false where the path is taken although no such file is here
   * @throws {InvalidRequest} for a path that leads out of the storage
   * @throws {StorageMissing}
   * @throws {Error} with the system's code
   */
  async create(
    wantedPath: string,
    ending: string,
    claim: (filePath: string) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<CreatedFile> {
    const stem = checkStoragePath(wantedPath)
    try {
      await this.#folder.prepare()
      return await this.#createFree(stem, ending, claim)
    } catch (error) {
      this.#tell(`${stem}${ending}`, error)
      throw error
    }
  }

  async #createFree(stem: string, ending: string, claim: (filePath: string) => Promise<boolean>): Promise<CreatedFile> {
    for (let number = 1; number <= MAX_NUMBER; number++) {
      const filePath = `${stem}${number === 1 ? '' : `-${number}`}${ending}`
      const isFree = (await this.sizeOf(filePath)) === undefined && (await claim(filePath))
      // The disk may have gone since: claims wait for the database.
      if (isFree) await this.#folder.assertThere()
      const file = isFree ? await this.#create(filePath) : undefined
      if (file !== undefined) return { filePath, writer: new StoredFileWriter(file, this.#writes) }
    }
    throw new Error(`there are ${MAX_NUMBER} files of this name`)
  }

  /** Opens a file that is there to write on from `sizeBytes`; bytes beyond that are cut away. */
  async extend(filePath: string, sizeBytes: number): Promise<StoredFileWriter> {
    const file = await this.#openFile(this.#absolute(filePath), 'r+')
    await file.truncate(sizeBytes)
    return new StoredFileWriter(file, this.#writes, sizeBytes)
  }

  /**
   * Writes a whole file, with its folders, in place of one that is there. It is never there in part.
   * @throws {InvalidRequest} for a path that leads out of the storage
   * @throws {StorageMissing}
   * @throws {Error} with the system's code in its message and its `code`, and no path
   */
  async write(filePath: string, bytes: Uint8Array): Promise<void> {
    const file = this.#absolute(filePath)
    if (file === this.root) throw new InvalidRequest('the path names no file')
    // Its own name, with this ending, may be too long for the system.
    const part = path.join(path.dirname(file), `.${randomUUID()}.part`)
    try {
      await this.#folder.prepare()
      await this.#writes.run(() => writeRenamed(part, file, bytes))
    } catch (cause) {
      this.#tell(filePath, cause)
      if (cause instanceof StorageMissing) throw cause
      await rm(part, { force: true }).catch(() => {})
      await this.#removeEmptyFolders(filePath)
      const code = errorCode(cause) || 'failed'
      throw Object.assign(new Error(`the file can't be written: ${code}`, { cause }), { code })
    }
  }

  /** @throws {StorageMissing} @throws {Error} as `FileBytes.open` */
  async read(filePath: string, signal?: AbortSignal): Promise<RecordingBytes> {
    try {
      return await FileBytes.open(this.#absolute(filePath), signal)
    } catch (error) {
      if (errorCode(error) === 'ENOENT') await this.#folder.assertThere()
      throw error
    }
  }

  /** The path of a file for other programs and rooms of the server. */
  pathOf(filePath: string): string {
    return this.#absolute(filePath)
  }

  /** The size of a file; undefined where there is none. @throws {StorageMissing} */
  async sizeOf(filePath: string): Promise<number | undefined> {
    try {
      return (await stat(this.#absolute(filePath))).size
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      await this.#folder.assertThere()
      return undefined
    }
  }

  /** Deletes a file, and the folders that are empty then. One that is gone already is no error. @throws {StorageMissing} */
  async remove(filePath: string): Promise<void> {
    try {
      await rm(this.#absolute(filePath))
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error
      await this.#folder.assertThere()
    }
    await this.#removeEmptyFolders(filePath)
  }

  /**
   * Moves a file to another storage, which may be on another disk.
   * @throws {StorageMissing}
   * @throws {Error} with the system's code; it is then where it was
   */
  async moveTo(other: LocalStorage, filePath: string): Promise<void> {
    const from = this.#absolute(filePath)
    const to = other.#absolute(filePath)
    await other.#folder.prepare()
    await mkdir(path.dirname(to), { recursive: true })
    try {
      await rename(from, to)
    } catch (error) {
      if (errorCode(error) !== 'EXDEV') throw error
      await copyAcross(from, to)
    }
    await this.#removeEmptyFolders(filePath)
  }

  /** The usage of its disk. A root that is not there yet counts as the folder in which it will be. */
  async usage(): Promise<DiskUsage> {
    for (let folder = this.root; ; folder = path.dirname(folder)) {
      try {
        const { blocks, bavail, bsize, bfree } = await statfs(folder)
        const usable = blocks - bfree + bavail
        return { usedPercent: usable === 0 ? 0 : (100 * (blocks - bfree)) / usable, freeBytes: bavail * bsize }
      } catch (error) {
        if (errorCode(error) !== 'ENOENT' || folder === path.dirname(folder)) throw error
      }
    }
  }

  /** Calls the listeners for a failure of the system. A path that is not valid is a mistake of the caller, and no failure. */
  #tell(filePath: string, error: unknown): void {
    const isSystem = !(error instanceof SluiceError) && errorCode(error) !== ''
    if (error instanceof StorageMissing || isSystem) {
      for (const listener of this.#failureListeners)
        listener({ file: this.#absolute(filePath), code: errorCode(error) })
    }
  }

  async #create(filePath: string): Promise<WritableFile | undefined> {
    const file = this.#absolute(filePath)
    for (let tries = 1; ; tries++) {
      await mkdir(path.dirname(file), { recursive: true })
      try {
        return await this.#openFile(file, 'wx')
      } catch (error) {
        if (errorCode(error) === 'EEXIST') return undefined
        // The folder was empty, and has been taken away in the meantime.
        if (errorCode(error) !== 'ENOENT' || tries === MAX_TRIES) throw error
      }
    }
  }

  async #removeEmptyFolders(filePath: string): Promise<void> {
    const parts = checkStoragePath(filePath).split('/')
    for (let length = parts.length - 1; length > 0; length--) {
      try {
        await rmdir(path.join(this.root, ...parts.slice(0, length)))
      } catch {
        // Others are in it, or have taken it away.
        return
      }
    }
  }

  #absolute(filePath: string): string {
    return path.join(this.root, ...checkStoragePath(filePath).split('/'))
  }
}

/** Writes a file under another name first, so that there is never half a file under its own. */
async function writeRenamed(part: string, file: string, bytes: Uint8Array): Promise<void> {
  for (let tries = 1; ; tries++) {
    await mkdir(path.dirname(file), { recursive: true })
    try {
      await writeFile(part, bytes, { flag: 'wx' })
      return await rename(part, file)
    } catch (error) {
      // The folder was empty, and has been taken away in the meantime.
      if (errorCode(error) !== 'ENOENT' || tries === MAX_TRIES) throw error
    }
  }
}

/** Copies a file under another name first, so that there is never half a file under its own. */
async function copyAcross(from: string, to: string): Promise<void> {
  const part = `${to}.part`
  try {
    await copyFile(from, part)
    await rename(part, to)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await rm(from)
}
