import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errorCode } from '../../errors/error-text.ts'
import { StorageMissing } from './storage-missing.ts'
import { StorageNotes } from './storage-notes.ts'

/** The file in the folder of a storage by which it is known again; its text is the id of the storage. */
export const STORAGE_MARKER = '.sluice-storage'

const MAX_ID_BYTES = 256
/** Errors of a path that leads nowhere. */
const NOWHERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR'])

/**
 * The folder of a storage. It has a marker since it was first used; a folder without it, of which that is known, is the mount point of
 * a disk that is not there. Only a folder that is gone altogether, from the disk that it was on, was removed: it begins anew.
 */
export class StorageRoot {
  readonly folder: string
  readonly #marker: string
  readonly #notes: StorageNotes
  #preparing: Promise<void> | undefined

  constructor(folder: string, notes = new StorageNotes()) {
    this.folder = path.resolve(folder)
    this.#marker = path.join(this.folder, STORAGE_MARKER)
    this.#notes = notes
  }

  /**
   * Looks whether the storage is there, as one is that was never used.
   * @throws {StorageMissing}
   */
  async assertThere(): Promise<void> {
    const found = await this.#readMarker()
    const noted = (await this.#notes.of(this.folder))?.id
    if (found === undefined) {
      if (noted === undefined || (await this.#wasRemoved())) return
      throw new StorageMissing(
        `${this.folder} has no file ${STORAGE_MARKER} any more, and so is not the storage that it was: mount its disk; where it was ` +
          `emptied on purpose, or the disk is a new one, make an empty file ${STORAGE_MARKER} in it`,
      )
    }
    if (found === noted) return
    // The operator emptied the marker, as the advice below says.
    if (found === '') await this.#mark(noted ?? randomUUID(), 'w')
    else if (noted === undefined) await this.#note(found)
    else {
      throw new StorageMissing(
        `${this.folder} is another storage than before, as its file ${STORAGE_MARKER} says: mount the right disk there; to use this one, ` +
          `empty that file`,
      )
    }
  }

  /**
   * Makes the folder and its marker, where they are to be made.
   * @throws {StorageMissing}
   * @throws {Error} with the system's code when the folder can't be made
   */
  prepare(): Promise<void> {
    return (this.#preparing ??= this.#prepare().finally(() => (this.#preparing = undefined)))
  }

  /**
   * Marks a folder that has files and no marker, as one of an older version has.
   * @throws {StorageMissing}
   */
  async adopt(): Promise<void> {
    await this.assertThere()
    if ((await this.#notes.of(this.folder)) !== undefined) return
    const names = await readdir(this.folder).catch(() => [])
    if (names.length > 0) await this.prepare()
  }

  async #prepare(): Promise<void> {
    await this.assertThere()
    if ((await this.#notes.of(this.folder)) !== undefined && !(await this.#wasRemoved())) return
    await mkdir(this.folder, { recursive: true })
    await this.#mark(randomUUID(), 'wx')
  }

  /** A disk that takes no marker may be used all the same. */
  async #mark(id: string, flag: 'w' | 'wx'): Promise<void> {
    try {
      await writeFile(this.#marker, id, { flag })
    } catch {
      return
    }
    await this.#note(id)
  }

  /** A storage of which that can't be kept is known while the process runs. */
  async #note(id: string): Promise<void> {
    try {
      const { dev: device } = await stat(this.folder)
      await this.#notes.note(this.folder, { id, device })
    } catch {
      // The storage is then known while the process runs.
    }
  }

  /**
   * Returns true when the folder is gone from the disk that it was on. A mount point is there without its disk, or above it
   * is another one.
   */
  async #wasRemoved(): Promise<boolean> {
    const noted = await this.#notes.of(this.folder)
    if ((await deviceOf(this.folder)) !== undefined) return false
    for (let above = path.dirname(this.folder); ; above = path.dirname(above)) {
      const device = await deviceOf(above)
      if (device !== undefined) return device === noted?.device
      if (above === path.dirname(above)) return false
    }
  }

  /** Undefined where there is none. @throws {StorageMissing} when the disk can't be read */
  async #readMarker(): Promise<string | undefined> {
    try {
      const file = await open(this.#marker, 'r')
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_ID_BYTES), 0, MAX_ID_BYTES, 0)
        return buffer.toString('utf8', 0, bytesRead).trim()
      } finally {
        await file.close()
      }
    } catch (cause) {
      const code = errorCode(cause)
      if (NOWHERE.has(code)) return undefined
      throw new StorageMissing(
        `${this.folder} cannot be read (${code}): see to its disk, and to what its folders permit`,
        {
          cause,
        },
      )
    }
  }
}

/** The device that a folder is on; undefined where there is none. */
async function deviceOf(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).dev
  } catch {
    return undefined
  }
}
