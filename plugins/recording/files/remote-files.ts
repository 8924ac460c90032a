import type { Logger } from 'pino'
import { messageOf, type FileStorage, type RecordingBytes, StoreUnavailable, withDeadline } from 'sluice/sdk'
import type { S3Client } from '../bucket/s3/client.ts'
import { MAX_WAITING_FILES, UploadQueue } from '../bucket/upload-queue.ts'
import type { UploadMeters } from '../bucket/upload-meters.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { entryOf, type FileEntry } from '../catalogue/file-entry.ts'

/** How long an address is good for by which others get a file. */
const URL_EXPIRES_SECONDS = 3600
/** Most rows of a query. */
const BATCH_ROWS = 1000

type RemoteFilesOptions = {
  readonly log: Logger
  readonly client: S3Client
  readonly local: Pick<FileStorage, 'pathOf' | 'remove'>
  readonly catalogue: Pick<Catalogue, 'db' | 'changed' | 'stored'>
  readonly meters: UploadMeters
  /** Most bytes that may wait here for the bucket; 0 is no limit. */
  readonly spoolBytes: number
}

/** Files that go to a bucket when they are whole, and are deleted here once they are there. */
export class RemoteFiles {
  readonly #options: RemoteFilesOptions
  readonly #queue: UploadQueue
  /** Those that wait, by their keys. */
  readonly #waiting = new Map<string, FileEntry>()
  /** Those that have come to the bucket, and are deleted here. */
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

  /** Why nothing more may be written, if so: too much waits here for the bucket. */
  get fullness(): string | undefined {
    const { spoolBytes } = this.#options
    const { waitingBytes, waitingFiles } = this.#queue
    const isFull = waitingFiles >= MAX_WAITING_FILES || (spoolBytes > 0 && waitingBytes >= spoolBytes)
    if (!isFull) return undefined
    return `the spool is full: ${waitingFiles} files wait for the bucket`
  }

  /** Has a file go to the bucket. One that the queue has no room for goes when it has. */
  send(entry: FileEntry): void {
    const key = entry.filePath
    this.#waiting.set(key, entry)
    if (this.#queue.add({ filePath: this.#options.local.pathOf(key), key })) return
    this.#waiting.delete(key)
    this.#isIncomplete = true
  }

  /** Has all files go to the bucket that are whole and not there. Never rejects. */
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

  /** Has a file stay here that is on its way, so that it can be deleted. Never rejects. */
  async recall({ filePath }: FileEntry): Promise<void> {
    this.#waiting.delete(filePath)
    if (!(await this.#queue.remove(filePath))) return
    try {
      await this.#options.client.delete(filePath)
    } catch (error) {
      this.#options.log.warn({ file: filePath, reason: messageOf(error) }, 'a deleted file may have come to the bucket')
    }
  }

  /** An address by which anybody gets a file for an hour. */
  urlOf({ filePath }: FileEntry): string {
    return this.#options.client.signedUrl(filePath, URL_EXPIRES_SECONDS)
  }

  /**
   * Gives up what is under way; the next start, or generation, goes on.
   * @param timeoutMs for the bucket to throw away what has come of it
   */
  async close(timeoutMs: number): Promise<void> {
    await this.#queue.close(0, timeoutMs)
    // A file whose row is not stored stays, and is found again.
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
    // Until that is known for good, the file here is the one that is found again.
    await catalogue.stored(entry)
    try {
      await local.remove(entry.filePath)
    } catch (err) {
      log.warn({ err, file: entry.filePath }, 'a file stays here that is in the bucket')
    }
  }
}
