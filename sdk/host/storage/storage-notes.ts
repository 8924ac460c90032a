import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A file with more folders than this is not one of this server. */
const MAX_BYTES = 64 * 1024

/** A storage as it is known: the id in its marker, and the device that its folder was on. */
export type StorageNote = { readonly id: string; readonly device: number }

/**
 * Notes of the storages that the server has used, by their folders. They lie apart from the storages, in a folder that must
 * survive, and so tell a missing storage from a new one.
 */
export class StorageNotes {
  readonly #file: string | undefined
  #notes: Promise<Map<string, StorageNote>> | undefined

  /** @param file where they are kept; without one they last as long as the process */
  constructor(file?: string) {
    this.#file = file
  }

  /** Undefined for a folder in which no storage has been used. */
  async of(folder: string): Promise<StorageNote | undefined> {
    return (await this.#known()).get(folder)
  }

  /**
   * Notes the storage of a folder.
   * @throws {Error} with the system's code when it can't be kept; it is known to the process all the same
   */
  async note(folder: string, note: StorageNote): Promise<void> {
    const notes = await this.#known()
    notes.set(folder, note)
    if (this.#file === undefined) return
    await mkdir(path.dirname(this.#file), { recursive: true })
    const part = `${this.#file}.part`
    await writeFile(part, `${JSON.stringify(Object.fromEntries(notes), null, 2)}\n`)
    await rename(part, this.#file)
  }

  #known(): Promise<Map<string, StorageNote>> {
    return (this.#notes ??= this.#read())
  }

  /** A file that can't be read, or is no such file, counts as an empty one. */
  async #read(): Promise<Map<string, StorageNote>> {
    if (this.#file === undefined) return new Map()
    try {
      const text = await readFile(this.#file, 'utf8')
      const parsed: unknown = text.length > MAX_BYTES ? {} : JSON.parse(text)
      const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {})
      return new Map(entries.flatMap(([folder, note]) => (isNote(note) ? [[folder, note] as const] : [])))
    } catch {
      return new Map()
    }
  }
}

function isNote(value: unknown): value is StorageNote {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('device' in value)) return false
  return typeof value.id === 'string' && typeof value.device === 'number'
}
