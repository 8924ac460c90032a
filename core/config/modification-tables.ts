import type { Kysely, Transaction } from 'kysely'
import type { Migration } from 'kysely/migration'
import { NotUnique, SluiceError } from 'sluice/sdk'
import type { Store } from '../store/store.ts'
import { normalizeKey } from './key-name.ts'
import { Modifications } from './modifications.ts'

type Tables = {
  sluice_config: {
    section: string
    path: string
    /** The value as JSON; it may contain secrets. */
    value: string
    changed_by: string
    changed_ms: number
  }
  sluice_config_section: { section: string; revision: number }
}

const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-config': {
    async up(db) {
      await db.schema
        .createTable('sluice_config')
        .addColumn('section', 'text', (column) => column.notNull())
        .addColumn('path', 'text', (column) => column.notNull())
        .addColumn('value', 'text', (column) => column.notNull())
        .addColumn('changed_by', 'text', (column) => column.notNull())
        .addColumn('changed_ms', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('sluice_config_key', ['section', 'path'])
        .execute()
      await db.schema
        .createTable('sluice_config_section')
        .addColumn('section', 'text', (column) => column.primaryKey())
        .addColumn('revision', 'bigint', (column) => column.notNull())
        .execute()
    },
  },
}

/** The section was changed by another edit meanwhile (`CONFIG_CHANGED`, 409). */
export class ConfigChanged extends SluiceError {
  constructor() {
    super('CONFIG_CHANGED', 409, 'the config was changed by somebody else meanwhile: read it again')
  }
}

/** The database table of the values that were set at run time. */
export class ModificationTables {
  readonly #db: Kysely<Tables>

  constructor(store: Pick<Store, 'tables'>) {
    this.#db = store.tables<Tables>('config', MIGRATIONS)
  }

  /** @throws {StoreUnavailable} */
  async load(): Promise<Modifications> {
    const rows = await this.#db.selectFrom('sluice_config').selectAll().execute()
    const sections = await this.#db.selectFrom('sluice_config_section').selectAll().execute()
    return new Modifications(
      rows.map(({ value, changed_by: by, changed_ms: atMs, ...key }) => {
        return { ...key, value: JSON.parse(value) as unknown, by, atMs, isStored: true }
      }),
      new Map(sections.map(({ section, revision }) => [section, revision])),
    )
  }

  /**
   * Replaces the rows of a section with those of `modified`; resolves when they are on the disk.
   * @throws {ConfigChanged} when the section's revision is not the one before that of `modified`
   * @throws {StoreUnavailable}
   */
  async save(name: string, modified: Modifications): Promise<void> {
    const section = normalizeKey(name)
    const revision = modified.revisionOf(section)
    const rows = modified.of(section).flatMap(({ path, value, by, atMs, isStored }) => {
      const row = { section, path, value: JSON.stringify(value), changed_by: by, changed_ms: atMs }
      return isStored ? [row] : []
    })
    await this.#db.transaction().execute(async (db) => {
      await advance(db, section, revision)
      await db.deleteFrom('sluice_config').where('section', '=', section).execute()
      if (rows.length > 0) await db.insertInto('sluice_config').values(rows).execute()
    })
  }
}

async function advance(db: Transaction<Tables>, section: string, revision: number): Promise<void> {
  if (revision === 1) {
    const first = db.insertInto('sluice_config_section').values({ section, revision }).execute()
    await first.catch((error: unknown) => {
      throw error instanceof NotUnique ? new ConfigChanged() : error
    })
    return
  }
  const { numUpdatedRows } = await db
    .updateTable('sluice_config_section')
    .set({ revision })
    .where('section', '=', section)
    .where('revision', '=', revision - 1)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new ConfigChanged()
}
