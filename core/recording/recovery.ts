import type { Logger } from 'pino'
import { StoreUnavailable, type RecordService } from 'sluice/sdk'
import { messageOf } from '../base/message-of.ts'
import type { Catalogue } from './catalogue.ts'
import { findCuts } from './file-cuts.ts'
import { entryOf, type RecordingEntry } from './recording-entry.ts'
import type { RecordingFiles } from './recording-files.ts'

/** So many rows are looked at in a query. */
const BATCH_ROWS = 500

type RecoveryOptions = {
  readonly log: Logger
  readonly catalogue: Pick<Catalogue, 'db' | 'changed' | 'active'>
  readonly files: Pick<RecordingFiles, 'openBytes' | 'sizeOf' | 'cut' | 'remove'>
  readonly service: (type: string) => RecordService | undefined
}

/** Mends what a crash has left of files that were being written, and of what is known of them. */
export class Recovery {
  readonly #options: RecoveryOptions

  constructor(options: RecoveryOptions) {
    this.#options = options
  }

  /** Looks at the files of a type that were being written before the server started. Never rejects. */
  async recover(type: string, beforeMs: number): Promise<void> {
    const { log } = this.#options
    try {
      const { length } = await this.#recoverAll(type, beforeMs)
      if (length > 0) log.info({ type, files: length }, 'files were mended that were not finished')
    } catch (err) {
      if (!(err instanceof StoreUnavailable)) log.error({ err, type }, 'unfinished files were not looked at')
    }
  }

  async #recoverAll(type: string, beforeMs: number): Promise<RecordingEntry[]> {
    const mended: RecordingEntry[] = []
    for (let afterId = 0; ;) {
      const rows = await this.#options.catalogue.db
        .selectFrom('sluice_recording')
        .selectAll()
        .where('is_active', '=', 1)
        .where('type', '=', type)
        .where('created_ms', '<', beforeMs)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(BATCH_ROWS)
        .execute()
      for (const entry of rows.map(entryOf)) if (await this.#mend(entry)) mended.push(entry)
      afterId = rows.at(-1)?.id ?? afterId
      if (rows.length < BATCH_ROWS) return mended
    }
  }

  /** Returns whether there is a file that can be played. */
  async #mend(entry: RecordingEntry): Promise<boolean> {
    const { files, catalogue, log } = this.#options
    const sizeBytes = await files.sizeOf(entry)
    const durationMs = sizeBytes === undefined ? undefined : await this.#wholeMs(entry)
    if (durationMs === undefined) {
      log.warn({ file: entry.filePath }, 'a file is gone that was not finished, or nothing in it can be played')
      if (sizeBytes !== undefined) await files.remove(entry)
      await catalogue.db.deleteFrom('sluice_recording').where('id', '=', entry.id).execute()
      return false
    }
    entry.endMs = entry.startMs + durationMs
    entry.sizeBytes = (await files.sizeOf(entry)) ?? 0
    entry.isActive = false
    catalogue.changed(entry)
    return true
  }

  /** Cuts off what is not whole; returns how long the rest is, in milliseconds. */
  async #wholeMs(entry: RecordingEntry): Promise<number | undefined> {
    const { files, service, log } = this.#options
    const format = service(entry.type)
    let bytes = await files.openBytes(entry)
    try {
      const wholeBytes = await format?.wholeSizeBytes?.(bytes)
      if (wholeBytes !== undefined && wholeBytes < bytes.sizeBytes) {
        await bytes.close()
        await files.cut(entry, wholeBytes)
        bytes = await files.openBytes(entry)
      }
      const recording = await format?.open(bytes)
      if (recording === undefined) return undefined
      entry.cutsMs = await findCuts(recording)
      return Math.round(recording.durationMs)
    } catch (error) {
      log.warn({ file: entry.filePath, reason: messageOf(error) }, 'the file cannot be mended')
      return undefined
    } finally {
      await bytes.close()
    }
  }
}
