import { NotUnique, SluiceError, type Files, type Kysely } from 'sluice/sdk'
import { pictureName } from './file-name.ts'
import type { Tables } from './tables.ts'

/** The reasons for which a picture was taken, as stored (api.md 8.7). */
export const PICTURE_MODE = { byTime: 0, byKeyframe: 1, manual: 2, batch: 3 } as const
export type PictureMode = (typeof PICTURE_MODE)[keyof typeof PICTURE_MODE]

/** The largest number that is added to a name that is in use. */
const MAX_NUMBER = 100
/** The most pictures without a file that are skipped for one request. */
const MAX_GONE = 100

/** A picture to keep. */
export type NewPicture = {
  readonly streamPath: string
  /** The time at which it was taken, in milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly mode: PictureMode
  /** Its folder below the root of the storage. */
  readonly folder: string
  readonly jpeg: Uint8Array
}

/** A picture as it is kept. */
export type KeptPicture = { readonly streamPath: string; readonly filePath: string; readonly atMs: number }

/** The pictures that are kept: files, and rows by which they are found. Its functions reject with `StoreUnavailable` without a database. */
export class Album {
  readonly #files: Files
  readonly #db: Kysely<Tables>
  /** The pictures that are being written, by their paths: their rows come before their files. A promise is fulfilled by the end of that. */
  readonly #writing = new Map<string, PromiseWithResolvers<void>>()

  constructor(files: Files, db: Kysely<Tables>) {
    this.#files = files
    this.#db = db
  }

  /**
   * Keeps a picture.
   * @returns its path below the root of the storage
   * @throws {InvalidRequest} when the folder leads out of the storage
   * @throws {SluiceError} when the storage is missing, or can't be written
   */
  async keep({ streamPath, atMs, mode, folder, jpeg }: NewPicture): Promise<string> {
    const row = { stream_path: streamPath, at_ms: Math.round(atMs), mode }
    // Other streams may have the same name with `_` for `/`: a picture never replaces another.
    const filePath = await this.#note(row, `${folderOf(folder)}${pictureName(streamPath, atMs)}`)
    try {
      await this.#files.write(filePath, jpeg)
    } catch (error) {
      await this.#forget(filePath)
      if (error instanceof SluiceError) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new SluiceError('PICTURE_NOT_KEPT', 503, `the picture could not be kept: ${reason}`, { cause: error })
    } finally {
      this.#endWriting(filePath)
    }
    return filePath
  }

  /** The newest picture of a stream in a time range, both ends included; undefined when there is none. */
  async newest(streamPath: string, fromMs: number, toMs: number): Promise<Buffer | undefined> {
    for (let gone = 0; gone < MAX_GONE; gone++) {
      const row = await this.#db
        .selectFrom('snap_picture')
        .select('file_path as filePath')
        .$if(this.#writing.size > 0, (query) => query.where('file_path', 'not in', [...this.#writing.keys()]))
        .where('stream_path', '=', streamPath)
        .where('at_ms', '>=', Math.ceil(fromMs))
        .where('at_ms', '<=', Math.floor(toMs))
        .orderBy('at_ms', 'desc')
        .orderBy('id', 'desc')
        .executeTakeFirst()
      if (row === undefined) return undefined
      const bytes = await this.read(row.filePath)
      if (bytes !== undefined) return bytes
    }
    return undefined
  }

  /** The row of a picture; undefined when there is none. */
  async find(filePath: string): Promise<KeptPicture | undefined> {
    // Databases do not store NUL characters.
    if (filePath.includes('\0')) return undefined
    return this.#db
      .selectFrom('snap_picture')
      .select(['stream_path as streamPath', 'file_path as filePath', 'at_ms as atMs'])
      .where('file_path', '=', filePath)
      .executeTakeFirst()
  }

  /** The bytes of a picture with a row; one that is being written is waited for. The row of a deleted file is removed. */
  async read(filePath: string): Promise<Buffer | undefined> {
    await this.#writing.get(filePath)?.promise
    try {
      const bytes = await this.#files.read(filePath)
      try {
        return await bytes.read(0, bytes.sizeBytes)
      } finally {
        await bytes.close()
      }
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      if (!this.#writing.has(filePath)) await this.#forget(filePath)
      return undefined
    }
  }

  /** Deletes a picture: its file, then its row. */
  async remove(filePath: string): Promise<void> {
    await this.#writing.get(filePath)?.promise
    await this.#files.remove(filePath)
    await this.#forget(filePath)
  }

  async #forget(filePath: string): Promise<void> {
    await this.#db.deleteFrom('snap_picture').where('file_path', '=', filePath).execute()
  }

  #endWriting(filePath: string): void {
    this.#writing.get(filePath)?.resolve()
    this.#writing.delete(filePath)
  }

  /** Reserves a path for a picture that is written next: it is in `#writing` from then on. */
  async #note(row: Omit<Tables['snap_picture'], 'id' | 'file_path'>, stem: string): Promise<string> {
    for (let number = 1; number <= MAX_NUMBER; number++) {
      const filePath = `${stem}${number === 1 ? '' : `-${number}`}.jpg`
      if (this.#writing.has(filePath)) continue
      this.#writing.set(filePath, Promise.withResolvers())
      try {
        await this.#db
          .insertInto('snap_picture')
          .values({ ...row, file_path: filePath })
          .execute()
        return filePath
      } catch (error) {
        this.#endWriting(filePath)
        if (!(error instanceof NotUnique)) throw error
      }
    }
    throw new SluiceError('PICTURES_EXIST', 409, 'there are too many pictures of this name')
  }
}

/** A folder with a slash after it, in the form of the storage; empty for the root. The storage refuses folders that lead out of it. */
function folderOf(folder: string): string {
  if (folder.startsWith('/')) return `${folder}/`
  return folder
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .map((part) => `${part}/`)
    .join('')
}
