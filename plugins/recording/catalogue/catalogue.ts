import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { StoreUnavailable, WriteBehind, type Database } from 'sluice/sdk'
import { entryOf, rowOf, type FileEntry } from './file-entry.ts'
import type { RecordingTables } from './recording-tables.ts'

/** The log text for files with lost rows. */
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
  /** The files that were moved, and have no stored row of their new place yet. */
  readonly #moved = new Set<FileEntry>()

  constructor(options: CatalogueOptions) {
    const { log, db, database, active = new Set() } = options
    this.#options = options
    this.#active = active
    this.db = db
    this.#rows = new WriteBehind({ log, database, loss: LOSS, write: (entries) => this.#write(entries) })
  }

  /** The files that this process is writing. */
  get active(): ReadonlySet<FileEntry> {
    return this.#active
  }

  /** Returns the latest finished file of a path in the storage's folder; undefined when there is none, or the database is away. */
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

  /** Returns true when a file of a path is in the bucket or the backup, as far as that is known while the database is away. */
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

  /** Adds the row of a file that was begun, or is continued. */
  begin(entry: FileEntry): void {
    this.#active.add(entry)
    this.#rows.add(entry)
  }

  /** Updates the row of a file that has ended, or was moved. */
  changed(entry: FileEntry): void {
    if (!entry.isActive) this.#active.delete(entry)
    this.#rows.add(entry)
    if (entry.storage === 'local') return
    this.#moved.add(entry)
    void this.#rows.stored(entry).then(() => this.#moved.delete(entry))
  }

  /** Removes the row of a file that was not created, or is empty. */
  drop(entry: FileEntry): void {
    this.#active.delete(entry)
    this.#rows.remove(entry)
    entry.isActive = false
    if (entry.id > 0) this.#tryToForget(entry)
  }

  /** Deletes the row of a file. @throws {StoreUnavailable} */
  async forget({ id }: Pick<FileEntry, 'id'>): Promise<void> {
    await this.db.deleteFrom('sluice_recording').where('id', '=', id).execute()
  }

  /** Resolves when the latest change of a file's row is stored, and at once when there is no database. Never rejects. */
  async stored(entry: FileEntry): Promise<void> {
    if (this.#options.database.exists) await this.#rows.stored(entry)
  }

  /** Resolves when all changes so far are stored, or the database is away. Never rejects. */
  settled(): Promise<void> {
    return this.#rows.settled()
  }

  /** Takes over entries that are not stored in the database yet. */
  adopt(entries: readonly FileEntry[]): void {
    for (const entry of entries) this.#rows.add(entry)
  }

  /**
   * Waits up to `timeoutMs` until the changes are stored.
   * @param newest returns the function that takes over the entries that are not stored then; without one, their changes are lost
   */
  async close(timeoutMs: number, newest: () => ((entries: readonly FileEntry[]) => void) | undefined): Promise<void> {
    const unstored = await this.#rows.close(timeoutMs)
    if (unstored.length === 0) return
    const handOn = newest()
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
    // Ids count up in the order of the values, but need not be returned in that order.
    const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other)
    for (const [index, entry] of entries.entries()) {
      const id = ids[index] ?? 0
      if (this.#rows.has(entry)) entry.id = id
      // The file was dropped meanwhile, or another generation stores it.
      else this.#tryToForget({ id })
    }
  }

  #tryToForget(row: Pick<FileEntry, 'id'>): void {
    this.forget(row).catch((err: unknown) => {
      if (!(err instanceof StoreUnavailable)) this.#options.log.error({ err }, 'the row of a file was not deleted')
    })
  }
}
