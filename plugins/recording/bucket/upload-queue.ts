import { backoffMs, LogLimit, messageOf, withDeadline } from 'sluice/sdk'
import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { S3Error } from './s3/s3-error.ts'
import { StorageError } from './storage-error.ts'
import type { UploadMeters } from './upload-meters.ts'

/** The most files that wait, those under way included; more are refused. */
export const MAX_WAITING_FILES = 10_000
/** The number of files that are uploaded at the same time. */
export const PARALLEL_UPLOADS = 2
/** The pause after the first failure. */
const FIRST_WAIT_MS = 1000
/** The longest pause after failures. */
const MAX_WAIT_MS = 5 * 60_000
/** The time limit for the storage to discard an upload that is given up. */
const ABANDON_TIMEOUT_MS = 5000
/** The least interval of log lines about failed uploads. */
const LOG_INTERVAL_MS = 60_000

/** A file that is to be uploaded. */
export type UploadFile = {
  readonly filePath: string
  /** Its name in the storage. */
  readonly key: string
}

/** The upload of one file: a run that fails can be followed by another one, which continues where the first one was. */
export interface PendingUpload {
  /** @throws {StorageError} when it fails; or the signal's reason */
  run(options: { readonly signal: AbortSignal }): Promise<void>
  /** Makes the storage discard the incomplete upload. */
  abandon(): Promise<void>
}

/** A storage that files are uploaded to, such as a client of S3. */
export interface UploadTarget {
  prepareUpload(key: string, filePath: string): PendingUpload
}

type UploadQueueOptions = {
  readonly log: Logger
  readonly target: UploadTarget
  readonly meters: UploadMeters
  /** Called when a file is in the storage. */
  readonly done: (file: UploadFile) => void
  /** Called when an upload has failed for good. The message is one line for an operator, with nothing secret in it. */
  readonly failed: (file: UploadFile, error: Error) => void
}

type Entry = UploadFile & {
  readonly upload: PendingUpload
  /** Aborts when the upload is given up. */
  readonly ending: AbortController
  /** Resolves when no run is under way. */
  running: Promise<unknown>
  sizeBytes: number
  /** Resolves when the size is known. */
  measured: Promise<void>
}

/**
 * Files that wait to be uploaded, in order. An upload fails for a while when the storage is away, or refuses it until an operator mends
 * the config: it then goes behind the others and is tried again without end, with pauses of up to five minutes. The queue is in memory
 * only: its owner adds files again that were not uploaded.
 */
export class UploadQueue {
  readonly #options: UploadQueueOptions
  readonly #meters: UploadMeters
  /** The uploads that are neither done nor failed, by key. */
  readonly #entries = new Map<string, Entry>()
  /** The uploads that are not under way, in the order of their turns. */
  readonly #line = new Set<Entry>()
  readonly #workers = new Set<Promise<void>>()
  readonly #failures = new LogLimit(LOG_INTERVAL_MS)
  readonly #unwatch: () => void
  /** Aborts to end the pauses between attempts. */
  #pausing = new AbortController()
  #working = 0
  #waitingBytes = 0
  #isClosed = false
  #closing: Promise<void> | undefined

  constructor(options: UploadQueueOptions) {
    this.#options = options
    this.#meters = options.meters
    this.#unwatch = this.#meters.watch(() => ({ files: this.waitingFiles, bytes: this.waitingBytes }))
  }

  /** The number of files that are neither done nor failed. */
  get waitingFiles(): number {
    return this.#entries.size
  }

  /** The size of these files, in bytes. */
  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /**
   * Adds a file, unless one waits under its key already.
   * @returns true when a file waits under the key now; false when too many wait, or the queue is closed
   */
  add({ filePath, key }: UploadFile): boolean {
    if (this.#isClosed) return false
    if (this.#entries.has(key)) return true
    if (this.#entries.size >= MAX_WAITING_FILES) {
      this.#meters.ended('refused')
      return false
    }
    const upload = this.#options.target.prepareUpload(key, filePath)
    const none = Promise.resolve()
    const entry: Entry = {
      filePath,
      key,
      upload,
      sizeBytes: 0,
      ending: new AbortController(),
      measured: none,
      running: none,
    }
    entry.measured = this.#measure(entry)
    this.#entries.set(key, entry)
    this.#line.add(entry)
    if (this.#working < PARALLEL_UPLOADS) this.#begin()
    return true
  }

  /**
   * Gives up the upload of a key, if there is one; resolves when it has ended. Neither `done` nor `failed` is called. The file may have
   * arrived all the same.
   * @returns true when there was one
   */
  async remove(key: string): Promise<boolean> {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#forget(entry)
    this.#line.delete(entry)
    entry.ending.abort(givenUp())
    await entry.running
    await this.#abandon([entry], ABANDON_TIMEOUT_MS)
    return true
  }

  /**
   * Takes no more files, and gives up the uploads that are not done in time, for which neither `done` nor `failed` is called. Idempotent.
   * @param timeoutMs the time limit for the uploads that are under way; no other is begun
   * @param abandonMs the time limit for the storage to discard the uploads that are given up
   */
  close(timeoutMs: number, abandonMs = ABANDON_TIMEOUT_MS): Promise<void> {
    this.#isClosed = true
    return (this.#closing ??= this.#close(timeoutMs, abandonMs))
  }

  #begin(): void {
    const worker = this.#work().finally(() => this.#workers.delete(worker))
    this.#workers.add(worker)
  }

  async #work(): Promise<void> {
    this.#working += 1
    let failures = 0
    for (let [entry] = this.#line; entry !== undefined && !this.#isClosed; [entry] = this.#line) {
      this.#line.delete(entry)
      const attempt = this.#try(entry)
      entry.running = attempt
      if (await attempt) {
        failures = 0
        continue
      }
      failures += 1
      if (this.#isWaiting(entry)) this.#line.add(entry)
      await this.#pause(failures)
    }
    this.#working -= 1
  }

  /** @returns false when it is to be tried again */
  async #try(entry: Entry): Promise<boolean> {
    await entry.measured
    try {
      await entry.upload.run({ signal: entry.ending.signal })
    } catch (error) {
      if (entry.ending.signal.aborted) return true
      if (error instanceof S3Error || (error instanceof StorageError && error.passes)) return this.#delay(entry, error)
      await this.#fail(entry, error)
      return true
    }
    if (!this.#isWaiting(entry)) return true
    this.#forget(entry)
    this.#meters.ended('done')
    this.#meters.bytes.add(entry.sizeBytes)
    // The storage answers: uploads that pause are tried again.
    this.#wake()
    this.#tell(() => this.#options.done(fileOf(entry)))
    return true
  }

  #delay({ key }: Entry, error: StorageError): false {
    this.#meters.retries.add()
    const withheld = this.#failures.pass()
    if (withheld !== undefined) {
      const { waitingFiles, waitingBytes } = this
      const fields = { key, reason: error.message, waitingFiles, waitingBytes, ...(withheld > 0 && { withheld }) }
      this.#options.log.warn(fields, 'an upload failed and is tried again')
    }
    return false
  }

  async #fail(entry: Entry, error: unknown): Promise<void> {
    const { log, failed } = this.#options
    this.#forget(entry)
    this.#meters.ended('failed')
    // An error of the storage is one line; of a mistake in the code, the stack is logged.
    const cause = error instanceof StorageError ? { reason: error.message } : { err: error }
    log.error({ key: entry.key, ...cause }, 'an upload failed')
    this.#tell(() => failed(fileOf(entry), error instanceof Error ? error : new Error('failed')))
    await this.#abandon([entry], ABANDON_TIMEOUT_MS)
  }

  /** Calls the owner; an error of the owner must not stop the queue. */
  #tell(call: () => void): void {
    try {
      call()
    } catch (err) {
      this.#options.log.error({ err }, 'telling of an upload failed')
    }
  }

  #isWaiting(entry: Entry): boolean {
    return this.#entries.get(entry.key) === entry
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.key)
    this.#waitingBytes -= entry.sizeBytes
  }

  async #measure(entry: Entry): Promise<void> {
    // A file that can't be read fails when it is uploaded.
    const { size } = await stat(entry.filePath).catch(() => ({ size: 0 }))
    entry.sizeBytes = size
    if (this.#isWaiting(entry)) this.#waitingBytes += size
  }

  async #pause(failures: number): Promise<void> {
    const { signal } = this.#pausing
    if (this.#isClosed) return
    const timeMs = backoffMs(failures, FIRST_WAIT_MS, Math.random(), MAX_WAIT_MS)
    await delay(timeMs, undefined, { signal }).catch(() => undefined)
  }

  #wake(): void {
    this.#pausing.abort()
    this.#pausing = new AbortController()
  }

  async #close(timeoutMs: number, abandonMs: number): Promise<void> {
    this.#wake()
    const working = Promise.all(this.#workers)
    await withDeadline(working, timeoutMs, () => new Error('late')).catch(() => undefined)
    for (const { ending } of this.#entries.values()) ending.abort(givenUp())
    await working
    await this.#abandon([...this.#entries.values()], abandonMs)
    this.#line.clear()
    this.#unwatch()
  }

  async #abandon(entries: readonly Entry[], timeoutMs: number): Promise<void> {
    const abandoned = Promise.all(entries.map(({ upload }) => upload.abandon()))
    try {
      await withDeadline(abandoned, timeoutMs, () => new Error('no answer in time'))
    } catch (error) {
      const text = 'the storage may have kept parts of uploads that were given up'
      this.#options.log.warn({ reason: messageOf(error) }, text)
    }
  }
}

function givenUp(): StorageError {
  return new StorageError('the upload is given up', { passes: false })
}

function fileOf({ filePath, key }: Entry): UploadFile {
  return { filePath, key }
}
