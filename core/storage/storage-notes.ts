import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A file with more folders than this is not one of this server. */
const MAX_BYTES = 64 * 1024

/**
 * The ids of the storages that the server has used, by their folders. They lie apart from the storages, in the folder of what
 * must survive, so that one which is missing can be told from one that is new.
 */
export class StorageNotes {
  readonly #file: string | undefined
  #ids: Promise<Map<string, string>> | undefined

  /** @param file where they are kept; without one they last as long as the process */
  constructor(file?: string) {
    this.#file = file
  }

  /** Undefined for a folder in which no storage has been used. */
  async idOf(folder: string): Promise<string | undefined> {
    return (await this.#known()).get(folder)
  }

  /**
   * Notes the storage of a folder.
   * @throws {Error} with the system's code when it can't be kept; it is known to the process all the same
   */
  async note(folder: string, id: string): Promise<void> {
    const ids = await this.#known()
    if (ids.get(folder) === id) return
    ids.set(folder, id)
    if (this.#file === undefined) return
    await mkdir(path.dirname(this.#file), { recursive: true })
    const part = `${this.#file}.part`
    await writeFile(part, `${JSON.stringify(Object.fromEntries(ids), null, 2)}\n`)
    await rename(part, this.#file)
  }

  #known(): Promise<Map<string, string>> {
    return (this.#ids ??= this.#read())
  }

  /** A file that can't be read, or is no such file, counts as an empty one. */
  async #read(): Promise<Map<string, string>> {
    if (this.#file === undefined) return new Map()
    try {
      const text = await readFile(this.#file, 'utf8')
      const parsed: unknown = text.length > MAX_BYTES ? {} : JSON.parse(text)
      const entries = Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {})
      return new Map(entries.flatMap(([folder, id]) => (typeof id === 'string' ? [[folder, id] as const] : [])))
    } catch {
      return new Map()
    }
  }
}
