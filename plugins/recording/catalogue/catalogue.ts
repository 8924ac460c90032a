import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { StoreUnavailable, WriteBehind, type Database } from 'sluice/sdk'
import { entryOf, rowOf, type FileEntry } from './file-entry.ts'
import type { RecordingTables } from './recording-tables.ts'

/** The log text for files whose rows are lost. */
const LOSS = 'recordings were not stored in the database: their files stay, and are in no list'

type CatalogueOptions = {
  readonly log: Logger
  readonly db: Kysely<RecordingTables>
  readonly database: Database
  /** The files that are being written, by all generations. */
  readonly active?: Set<FileEntry>
}

/** The rows of all files: written as files begin and end, and kept in memory while the database is away. */
export class Catalogue {
  readonly db: Kysely<RecordingTables>
  readonly #options: CatalogueOptions
  readonly #active: Set<FileEntry>
  readonly #rows: WriteBehind<FileEntry>
  /** The files that lie elsewhere than the database knows. */
  readonly #moved = new Set<FileEntry>()

  constructor(options: CatalogueOptions) {
    const { log, db, database, active = new Set() } = options
    this.#options = options
    this.#active = active
    this.db = db
    this.#rows = new WriteBehind({ log, database, loss: LOSS, write: (entries) => this.#write(entries) })
  }

  /** Those that are being written, by this process. */
  get active(): ReadonlySet<FileEntry> {
    return this.#active
  }

  /** The latest file of that path which has ended and lies here; undefined where there is none, or the database is away. */
  async find(type: string, filePath: string): Promise<FileEntry | undefined> {
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

  /** True when a file of that path lies in the bucket or the backup, as far as that is known while the database is away. */
  async isElsewhere(filePath: string): Promise<boolean> {
    if ([...this.#moved].some((entry) => entry.filePath === filePath)) return true
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
  begin(entry: FileEntry): void {
    this.#active.add(entry)
    this.#rows.add(entry)
  }

  /** A file has ended, or lies elsewhere. */
  changed(entry: FileEntry): void {
    if (!entry.isActive) this.#active.delete(entry)
    this.#rows.add(entry)
    if (entry.storage === 'local') return
    this.#moved.add(entry)
    void this.#rows.stored(entry).then(() => this.#moved.delete(entry))
  }

  /** A file came to nothing. */
  drop(entry: FileEntry): void {
    this.#active.delete(entry)
    this.#rows.remove(entry)
    entry.isActive = false
    if (entry.id === 0) return
    this.forget(entry).catch((err: unknown) => {
      if (!(err instanceof StoreUnavailable)) this.#options.log.error({ err }, 'the row of a file was not deleted')
    })
  }

  /** Deletes the row of a file. @throws {StoreUnavailable} */
  async forget({ id }: Pick<FileEntry, 'id'>): Promise<void> {
    await this.db.deleteFrom('sluice_recording').where('id', '=', id).execute()
  }

  /** Resolves when what was told just now of a file is stored, and at once where there is no database. Never rejects. */
  async stored(entry: FileEntry): Promise<void> {
    if (this.#options.database.exists) await this.#rows.stored(entry)
  }

  /** Resolves when all that was told so far is stored, or the database is away. Never rejects. */
  settled(): Promise<void> {
    return this.#rows.settled()
  }

  /** Takes over files of which the database has yet to be told. */
  adopt(entries: readonly FileEntry[]): void {
    for (const entry of entries) this.#rows.add(entry)
  }

  /**
   * Waits for what is being stored, so long at most.
   * @param handOn takes what is not stored then; it is lost where nobody does
   */
  async close(timeoutMs: number, handOn?: (entries: readonly FileEntry[]) => void): Promise<void> {
    const unstored = await this.#rows.close(timeoutMs)
    if (unstored.length === 0) return
    if (handOn === undefined) this.#options.log.warn({ unstored: unstored.length }, LOSS)
    else handOn(unstored)
  }

  async #write(entries: readonly FileEntry[]): Promise<void> {
    const known = entries.filter(({ id }) => id > 0)
    await this.#insert(entries.filter(({ id }) => id === 0))
    for (const entry of known) {
      await this.db.updateTable('sluice_recording').set(rowOf(entry)).where('id', '=', entry.id).execute()
    }
  }

  async #insert(entries: readonly FileEntry[]): Promise<void> {
    if (entries.length === 0) return
    const rows = await this.db.insertInto('sluice_recording').values(entries.map(rowOf)).returning('id').execute()
    // They are counted up in the order of the values, in which they need not be answered.
    const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other)
    for (const [index, entry] of entries.entries()) {
      entry.id = ids[index] ?? 0
      // It may have come to nothing meanwhile.
      if (!this.#rows.has(entry)) this.drop(entry)
    }
  }
}
