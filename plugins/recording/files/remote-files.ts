import type { Logger } from 'pino'
import { messageOf, type FileStorage, type RecordingBytes, StoreUnavailable, withDeadline } from 'sluice/sdk'
import type { S3Client } from '../bucket/s3/client.ts'
import { MAX_WAITING_FILES, UploadQueue } from '../bucket/upload-queue.ts'
import type { UploadMeters } from '../bucket/upload-meters.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { entryOf, type FileEntry } from '../catalogue/file-entry.ts'

/** The validity of a signed address. */
const URL_EXPIRES_SECONDS = 3600
/** The most rows of a query. */
const BATCH_ROWS = 1000

type RemoteFilesOptions = {
  readonly log: Logger
  readonly client: S3Client
  readonly local: Pick<FileStorage, 'pathOf' | 'remove'>
  readonly catalogue: Pick<Catalogue, 'db' | 'changed' | 'stored'>
  readonly meters: UploadMeters
  /** The most bytes that may wait on this machine for the bucket; 0 for no limit. */
  readonly spoolBytes: number
}

/** The files that go to a bucket when they are finished, and are deleted on this machine once they have arrived. */
export class RemoteFiles {
  readonly #options: RemoteFilesOptions
  readonly #queue: UploadQueue
  /** The files that wait, by key. */
  readonly #waiting = new Map<string, FileEntry>()
  /** The files that have arrived in the bucket, and are being deleted on this machine. */
  readonly #arriving = new Set<Promise<void>>()
  /** True when the queue had no room for some files. */
  #isIncomplete = false

  constructor(options: RemoteFilesOptions) {
    const { log, client, meters } = options
    this.#options = options
    this.#queue = new UploadQueue({
      log,
      target: client,
      meters,
      done: ({ key }) => {
        const arriving = this.#arrived(key).finally(() => this.#arriving.delete(arriving))
        this.#arriving.add(arriving)
      },
      failed: ({ key }) => this.#waiting.delete(key),
    })
  }

  /** The reason for which nothing may be written, since too much waits for the bucket; undefined when there is room. */
  get fullness(): string | undefined {
    const { spoolBytes } = this.#options
    const { waitingBytes, waitingFiles } = this.#queue
    const isFull = waitingFiles >= MAX_WAITING_FILES || (spoolBytes > 0 && waitingBytes >= spoolBytes)
    if (!isFull) return undefined
    return `the spool is full: ${waitingFiles} files wait for the bucket`
  }

  /** Queues a file for the bucket. A file for which the queue has no room is queued later. */
  send(entry: FileEntry): void {
    const key = entry.filePath
    this.#waiting.set(key, entry)
    if (this.#queue.add({ filePath: this.#options.local.pathOf(key), key })) return
    this.#waiting.delete(key)
    this.#isIncomplete = true
  }

  /** Queues all finished files that are not in the bucket. Never rejects. */
  async sendAll(): Promise<void> {
    const { catalogue, log } = this.#options
    try {
      for (let afterId = 0; ;) {
        const rows = await catalogue.db
          .selectFrom('sluice_recording')
          .selectAll()
          .where('storage', '=', 'local')
          .where('is_active', '=', 0)
          .where('id', '>', afterId)
          .orderBy('id')
          .limit(BATCH_ROWS)
          .execute()
        for (const entry of rows.map(entryOf)) if (!this.#waiting.has(entry.filePath)) this.send(entry)
        afterId = rows.at(-1)?.id ?? afterId
        if (rows.length < BATCH_ROWS) return
      }
    } catch (err) {
      if (!(err instanceof StoreUnavailable)) log.error({ err }, 'files that wait for the bucket were not found')
    }
  }

  open({ filePath }: FileEntry, signal?: AbortSignal): Promise<RecordingBytes> {
    return this.#options.client.open(filePath, signal)
  }

  remove({ filePath }: FileEntry): Promise<void> {
    return this.#options.client.delete(filePath)
  }

  /** Cancels the upload of a file, so that the file can be deleted. Never rejects. */
  async recall({ filePath }: FileEntry): Promise<void> {
    this.#waiting.delete(filePath)
    if (!(await this.#queue.remove(filePath))) return
    try {
      await this.#options.client.delete(filePath)
    } catch (error) {
      this.#options.log.warn({ file: filePath, reason: messageOf(error) }, 'a deleted file may have come to the bucket')
    }
  }

  /** Returns a signed address for the download of a file, which is valid for an hour. */
  urlOf({ filePath }: FileEntry): string {
    return this.#options.client.signedUrl(filePath, URL_EXPIRES_SECONDS)
  }

  /**
   * Gives up the uploads under way; the next start, or generation, begins them again.
   * @param timeoutMs the time limit for the bucket to discard incomplete uploads
   */
  async close(timeoutMs: number): Promise<void> {
    await this.#queue.close(0, timeoutMs)
    // A file stays here until its row is stored, and the next start finds it again.
    await withDeadline(Promise.all(this.#arriving), timeoutMs, () => new Error('late')).catch(() => undefined)
  }

  async #arrived(key: string): Promise<void> {
    const entry = this.#waiting.get(key)
    const { local, catalogue, log } = this.#options
    this.#waiting.delete(key)
    if (entry === undefined) return
    if (this.#isIncomplete && this.#queue.waitingFiles < MAX_WAITING_FILES / 2) {
      this.#isIncomplete = false
      void this.sendAll()
    }
    entry.storage = 's3'
    catalogue.changed(entry)
    // Until the row is stored, the next start finds the file on this machine.
    await catalogue.stored(entry)
    try {
      await local.remove(entry.filePath)
    } catch (err) {
      log.warn({ err, file: entry.filePath }, 'a file stays here that is in the bucket')
    }
  }
}
