import type { Kysely, KyselyPlugin } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The tables of an owner are not those that its code is for; the message has the remedy. */
export class MigrationError extends Error {}

/** The table of the migrations that have run, by owner. */
type Bookkeeping = {
  sluice_migration: { owner: string; name: string; applied_ms: number }
}

type MigrateOptions = {
  readonly db: Kysely<unknown>
  /** The owner of the tables. */
  readonly owner: string
  /** The migrations by name; they run in the order of their names. */
  readonly migrations: Readonly<Record<string, Migration>>
  /** The Kysely plugins that the queries of a migration pass through. */
  readonly plugins: readonly KyselyPlugin[]
  /** Called at the beginning of each transaction. */
  readonly begin?: (transaction: Kysely<unknown>) => Promise<void>
}

/**
 * Runs the migrations that have not run yet, each in a transaction of its own that also notes it.
 * @throws {MigrationError} when the tables are of another version of the code, or a migration fails, which leaves nothing
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  for (let isOpen = true; isOpen;) {
    isOpen = await options.db.transaction().execute((transaction) => runNext(transaction, options))
  }
}

/** @returns whether one was run, so that there may be another */
async function runNext(transaction: Kysely<unknown>, options: MigrateOptions): Promise<boolean> {
  const { owner, migrations, plugins, begin } = options
  await begin?.(transaction)
  const db = transaction as unknown as Kysely<Bookkeeping>
  await db.schema
    .createTable('sluice_migration')
    .ifNotExists()
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('sluice_migration_key', ['owner', 'name'])
    .execute()
  const rows = await db.selectFrom('sluice_migration').select('name').where('owner', '=', owner).execute()
  const name = nextOf(
    owner,
    Object.keys(migrations),
    rows.map((row) => row.name),
  )
  const migration = name === undefined ? undefined : migrations[name]
  if (name === undefined || migration === undefined) return false
  await migration.up(plugins.reduce<Kysely<unknown>>((db, plugin) => db.withPlugin(plugin), transaction))
  await db.insertInto('sluice_migration').values({ owner, name, applied_ms: Date.now() }).execute()
  return true
}

function nextOf(owner: string, names: readonly string[], done: readonly string[]): string | undefined {
  const [latest = ''] = done.toSorted().toReversed()
  if (done.some((name) => !names.includes(name))) {
    throw new MigrationError(
      `the tables of '${owner}' are of a newer version ('${latest}') than its code: run the newer code again, or put ` +
        'back a backup of the database that is as old as this code',
    )
  }
  const [next] = names.filter((name) => !done.includes(name)).toSorted()
  if (next !== undefined && next < latest) {
    throw new MigrationError(
      `the migration '${next}' of '${owner}' comes before '${latest}', which has run: name new ones so that they come last`,
    )
  }
  return next
}
