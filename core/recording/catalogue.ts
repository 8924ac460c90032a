import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { LogLimit, StoreUnavailable } from 'sluice/sdk'
import { RetryTimer } from '../base/retry-timer.ts'
import { insertedIds } from '../store/inserted-ids.ts'
import type { Store } from '../store/store.ts'
import { entryOf, rowOf, type RecordingEntry } from './recording-entry.ts'
import { RECORDING_MIGRATIONS, type RecordingTables } from './recording-tables.ts'

/** Most files that wait for their rows while the database is away; the files of those beyond are in no list. */
const MAX_UNSTORED = 10_000
/** Most rows of a statement. */
const BATCH_ROWS = 200
/** From a failure to the next try, when the database does not say that it is back. */
const FIRST_RETRY_MS = 1000
/** How often the log says at most that rows wait. */
const LOG_INTERVAL_MS = 60_000

type CatalogueOptions = {
  readonly log: Logger
  readonly store: Pick<Store, 'exists' | 'tables' | 'onAvailable'>
}

/** What is known of all files: written as they come and end, and kept in memory while the database is away. */
export class Catalogue {
  readonly db: Kysely<RecordingTables>
  readonly #options: CatalogueOptions
  readonly #log: Logger
  /** New ones, and those that have changed, the oldest first. */
  readonly #unstored = new Set<RecordingEntry>()
  readonly #active = new Set<RecordingEntry>()
  /** Who waits until what was told of a file is stored. */
  readonly #waiting = new Map<RecordingEntry, PromiseWithResolvers<void>>()
  readonly #retries = new RetryTimer({ firstMs: FIRST_RETRY_MS, retry: () => this.#flush() })
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  readonly #forgetStore: () => void
  #isFlushing = false
  #flushed: Promise<void> = Promise.resolve()
  #closed = false

  constructor(options: CatalogueOptions) {
    const { log, store } = options
    this.#options = options
    this.#log = log
    this.db = store.tables<RecordingTables>('recording', RECORDING_MIGRATIONS)
    this.#forgetStore = store.onAvailable(() => this.#flush())
  }

  /** Those that are being written, by this process. */
  get active(): ReadonlySet<RecordingEntry> {
    return this.#active
  }

  /** The latest file of that path which has ended and lies here; undefined where there is none, or the database is away. */
  async find(type: string, filePath: string): Promise<RecordingEntry | undefined> {
    if ([...this.#active].some((entry) => entry.type === type && entry.filePath === filePath)) return undefined
    try {
      const row = await this.db
        .selectFrom('sluice_recording')
        .selectAll()
        .where((builder) => builder.and({ type, file_path: filePath, is_active: 0, storage: 'local' }))
        .orderBy('id', 'desc')
        .executeTakeFirst()
      return row && entryOf(row)
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined
      throw error
    }
  }

  /** Whether a file of that path lies in the bucket or the backup, as far as that can be told while the database is away. */
  async isElsewhere(filePath: string): Promise<boolean> {
    const isIt = (entry: RecordingEntry) => entry.storage !== 'local' && entry.filePath === filePath
    if (this.#unstored.values().some(isIt)) return true
    try {
      const row = await this.db
        .selectFrom('sluice_recording')
        .select('id')
        .where('file_path', '=', filePath)
        .where('storage', '!=', 'local')
        .executeTakeFirst()
      return row !== undefined
    } catch (error) {
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }

  /** A file was begun, or is gone on with. */
  begin(entry: RecordingEntry): void {
    this.#active.add(entry)
    this.#store(entry)
  }

  /** A file has ended, or lies elsewhere. */
  changed(entry: RecordingEntry): void {
    if (!entry.isActive) this.#active.delete(entry)
    this.#store(entry)
  }

  /** A file came to nothing. */
  drop(entry: RecordingEntry): void {
    this.#active.delete(entry)
    this.#unstored.delete(entry)
    this.#waiting.delete(entry)
    entry.isActive = false
    if (entry.id === 0) return
    this.forget(entry).catch((err: unknown) => {
      if (!(err instanceof StoreUnavailable)) this.#log.error({ err }, 'the row of a file was not deleted')
    })
  }

  /** Deletes the row of a file. @throws {StoreUnavailable} */
  async forget({ id }: Pick<RecordingEntry, 'id'>): Promise<void> {
    await this.db.deleteFrom('sluice_recording').where('id', '=', id).execute()
  }

  /** Resolves when what was told just now of a file is stored, and at once where there is no database. Never rejects. */
  stored(entry: RecordingEntry): Promise<void> {
    if (!this.#options.store.exists || !this.#unstored.has(entry)) return Promise.resolve()
    const waiting = this.#waiting.get(entry) ?? Promise.withResolvers<void>()
    this.#waiting.set(entry, waiting)
    return waiting.promise
  }

  /** Resolves when all that was told so far is stored, or the database is away. Never rejects. */
  settled(): Promise<void> {
    return this.#flushed
  }

  /** Waits for what is being stored, so long at most. */
  async close(timeoutMs: number): Promise<void> {
    this.#forgetStore()
    this.#retries.reset()
    this.#closed = true
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, timeoutMs)
    await Promise.race([this.#flushed, late])
    clearTimeout(timer)
    const unstored = this.#unstored.size
    if (unstored > 0)
      this.#log.warn({ unstored }, 'recordings were not stored in the database: their files stay, and are in no list')
  }

  #store(entry: RecordingEntry): void {
    this.#unstored.add(entry)
    const [oldest] = this.#unstored
    if (this.#unstored.size > MAX_UNSTORED && oldest !== undefined) {
      this.#unstored.delete(oldest)
      if (this.#limit.pass() !== undefined) this.#log.warn('the database takes no rows of recordings')
    }
    this.#flush()
  }

  #flush(): void {
    if (!this.#isFlushing) this.#flushed = this.#work()
  }

  async #work(): Promise<void> {
    this.#isFlushing = true
    try {
      while (this.#unstored.size > 0) {
        const entries = this.#unstored.values().take(BATCH_ROWS).toArray()
        await this.#insert(entries.filter(({ id }) => id === 0))
        for (const entry of entries.filter(({ id }) => id > 0)) await this.#update(entry)
      }
      this.#retries.reset()
    } catch (err) {
      // The store itself says that it is away.
      if (!(err instanceof StoreUnavailable)) this.#log.error({ err }, 'rows of recordings were not stored')
      if (!this.#closed) this.#retries.schedule()
    } finally {
      this.#isFlushing = false
    }
  }

  async #insert(entries: readonly RecordingEntry[]): Promise<void> {
    if (entries.length === 0) return
    const values = entries.map(rowOf)
    const rows = await this.db.insertInto('sluice_recording').values(values).returning('id').execute()
    const ids = insertedIds(rows)
    for (const [index, entry] of entries.entries()) {
      entry.id = ids[index] ?? 0
      // It may have changed, or come to nothing, meanwhile.
      if (!this.#unstored.has(entry)) this.drop(entry)
      else if (isDeepStrictEqual(values[index], rowOf(entry))) this.#isStored(entry)
    }
  }

  #isStored(entry: RecordingEntry): void {
    this.#unstored.delete(entry)
    this.#waiting.get(entry)?.resolve()
    this.#waiting.delete(entry)
  }

  async #update(entry: RecordingEntry): Promise<void> {
    const row = rowOf(entry)
    this.#unstored.delete(entry)
    try {
      await this.db.updateTable('sluice_recording').set(row).where('id', '=', entry.id).execute()
    } catch (error) {
      this.#unstored.add(entry)
      throw error
    }
    // It may have changed meanwhile.
    if (!this.#unstored.has(entry)) this.#isStored(entry)
  }
}
