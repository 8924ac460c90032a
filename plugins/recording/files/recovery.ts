import type { Logger } from 'pino'
import {
  errorCode,
  messageOf,
  type RecordService,
  SluiceError,
  StorageMissing,
  StoreUnavailable,
  StreamUnavailable,
} from 'sluice/sdk'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { findCuts } from '../record/file-cuts.ts'
import { entryOf, type FileEntry } from '../catalogue/file-entry.ts'
import type { StoredFiles } from './stored-files.ts'

/** The largest group of pictures that may be cut off; a file with more bytes and no complete group is damaged. */
const MAX_GROUP_BYTES = 16 * 1024 * 1024
/** The most rows of a query. */
const BATCH_ROWS = 500

type RecoveryOptions = {
  readonly log: Logger
  readonly catalogue: Pick<Catalogue, 'active' | 'changed' | 'db'>
  readonly files: Pick<StoredFiles, 'cut' | 'delete' | 'openBytes' | 'sizeOf'>
  readonly service: (type: string) => RecordService | undefined
}

/** Mends the files, and their rows, that were being written when the server crashed. */
export class Recovery {
  readonly #options: RecoveryOptions

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  /**
   * Mends the files of a type that were being written before the server started. Never rejects.
   * @returns false when the database or the storage is not there, so that it must be called again
   */
  async recover(type: string, beforeMs: number): Promise<boolean> {
    const { log } = this.#options
    try {
      const { length } = await this.#recoverAll(type, beforeMs)
      if (length > 0) log.info({ type, files: length }, 'files were mended that were not finished')
    } catch (err) {
      if (err instanceof StoreUnavailable || err instanceof StorageMissing) return false
      log.error({ err, type }, 'unfinished files were not looked at')
    }
    return true
  }

  async #recoverAll(type: string, beforeMs: number): Promise<FileEntry[]> {
    const { catalogue } = this.#options
    const mended: FileEntry[] = []
    for (let afterId = 0; ;) {
      const rows = await catalogue.db
        .selectFrom('sluice_recording')
        .selectAll()
        .where('is_active', '=', 1)
        .where('type', '=', type)
        // A date in the future is of a clock that was set back since.
        .where((builder) => builder.or([builder('created_ms', '<', beforeMs), builder('created_ms', '>', Date.now())]))
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(BATCH_ROWS)
        .execute()
      for (const entry of rows.map(entryOf)) {
        // Autorecovery may be turned on while files are written.
        const isWritten = catalogue.active.values().some(({ id }) => id === entry.id)
        if (!isWritten && (await this.#mend(entry))) mended.push(entry)
      }
      afterId = rows.at(-1)?.id ?? afterId
      if (rows.length < BATCH_ROWS) return mended
    }
  }

  /**
   * Cuts off the incomplete end of a file. A file without media is deleted with its row; a file that is damaged or can't be read stays as
   * it is, with its row.
   * @returns true when the file can be played
   */
  async #mend(entry: FileEntry): Promise<boolean> {
    const { files, catalogue, log } = this.#options
    try {
      const wholeBytes = await this.#cut(entry)
      if (wholeBytes <= entry.headBytes) {
        log.warn({ file: entry.filePath }, 'a file that was not finished is gone, or has no media')
        await files.delete(entry)
        return false
      }
      entry.sizeBytes = wholeBytes
      entry.endMs = entry.startMs + (await this.#lookThrough(entry))
    } catch (error) {
      // Nothing is known of a file while its storage is missing.
      if (error instanceof StoreUnavailable || error instanceof StorageMissing) throw error
      log.warn({ file: entry.filePath, reason: messageOf(error) }, 'a file that was not finished cannot be mended')
      // A file that may be readable later is tried again at the next start; a damaged one is left to the operator.
      if (error instanceof SluiceError || errorCode(error) !== '') return false
      entry.isActive = false
      catalogue.changed(entry)
      return false
    }
    entry.isActive = false
    catalogue.changed(entry)
    return true
  }

  /** Cuts off the incomplete end of a file; returns the size of the rest, in bytes. */
  async #cut(entry: FileEntry): Promise<number> {
    const { files } = this.#options
    const sizeBytes = (await files.sizeOf(entry)) ?? 0
    const format = this.#options.service(entry.type)
    if (format === undefined) throw new StreamUnavailable(`nothing reads ${entry.type} at present`)
    if (sizeBytes <= entry.headBytes || format.wholeSizeBytes === undefined) return sizeBytes
    const bytes = await files.openBytes(entry)
    let wholeBytes: number
    try {
      wholeBytes = await format.wholeSizeBytes(bytes)
    } finally {
      await bytes.close()
    }
    if (wholeBytes > entry.headBytes) {
      if (wholeBytes < sizeBytes) await files.cut(entry, wholeBytes)
    } else if (sizeBytes - entry.headBytes > MAX_GROUP_BYTES) {
      throw new Error('it is damaged where it begins')
    }
    return wholeBytes
  }

  /** Finds the cuts of a file; returns its duration in milliseconds. */
  async #lookThrough(entry: FileEntry): Promise<number> {
    const { files, service } = this.#options
    const bytes = await files.openBytes(entry)
    try {
      const recording = await service(entry.type)?.open(bytes)
      if (recording === undefined) throw new StreamUnavailable(`nothing reads ${entry.type} at present`)
      entry.cutsMs = await findCuts(recording)
      return Math.round(recording.durationMs)
    } finally {
      await bytes.close()
    }
  }
}
