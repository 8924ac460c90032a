import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Kysely, SqliteDialect, type KyselyPlugin } from 'kysely'
import type { Migration } from 'kysely/migration'
import { NotUnique, StoreUnavailable } from '../errors/store-errors.ts'
import { AlikeColumns } from '../host/column-types.ts'
import { keptValue } from '../host/kept-value.ts'
import { migrate } from '../host/migrate.ts'
import { OwnTables } from '../host/own-tables.ts'
import type { FormerNames } from '../plugin/define-plugin.ts'

/** SQLite's extended codes of rows that are there already. */
const NOT_UNIQUE: readonly unknown[] = [1555, 2067]

/** The tables of a plugin: a database of SQLite's in memory, which goes with the test. */
export class FakeStore {
  readonly #listeners = new Set<() => unknown>()
  #isAway = false
  readonly #database = new DatabaseSync(':memory:')

  constructor() {
    this.#database.exec('pragma case_sensitive_like = on')
  }

  /** While it is true, queries fail as if the database were not there. */
  get isAway(): boolean {
    return this.#isAway
  }

  set isAway(isAway: boolean) {
    const isBack = this.#isAway && !isAway
    this.#isAway = isAway
    if (isBack) for (const listener of this.#listeners) void listener()
  }

  /** Calls `listener` when it is back, and soon where it is there. @returns a function that stops that */
  onAvailable(listener: () => unknown): () => void {
    this.#listeners.add(listener)
    if (!this.#isAway) queueMicrotask(() => this.#listeners.has(listener) && listener())
    return () => void this.#listeners.delete(listener)
  }

  /**
   * Runs the migrations that have not run.
   * @param assertLoaded throws once the plugin is unloaded
   */
  async lend(
    plugin: string,
    migrations: Readonly<Record<string, Migration>>,
    assertLoaded: () => void,
    { migrations: owner = `plugin:${plugin}`, tables }: FormerNames = {},
  ): Promise<Kysely<unknown>> {
    const db = new Kysely<unknown>({
      dialect: new SqliteDialect({ database: { prepare: (sql) => this.#prepare(sql), close: () => {} } }),
    })
    const plugins = [new OwnTables(plugin, tables), new AlikeColumns('sqlite')]
    await migrate({ db, owner, migrations, plugins })
    const assert = () => {
      assertLoaded()
      if (this.isAway) throw new StoreUnavailable('it is away in this test')
    }
    return [gate(assert), ...plugins].reduce((db, plugin) => db.withPlugin(plugin), db)
  }

  #prepare(sql: string) {
    const statement = told(() => this.#database.prepare(sql))
    const values = (parameters: readonly unknown[]) => parameters.map(boundValue)
    return {
      reader: statement.columns().length > 0,
      all: (parameters: readonly unknown[]) => told(() => rowsOf(statement, values(parameters))),
      run: (parameters: readonly unknown[]) => told(() => statement.run(...values(parameters))),
      iterate: (): never => {
        throw new Error('rows can not be streamed: ask for them page by page')
      },
    }
  }
}

function gate(assert: () => void): KyselyPlugin {
  return {
    transformQuery: ({ node }) => {
      assert()
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

function rowsOf(statement: StatementSync, values: readonly (string | number | bigint | null)[]) {
  return statement.all(...values).map((row) => ({ ...row }))
}

/** Whole numbers are bound as such, and not as floating point. */
function boundValue(value: unknown): string | number | bigint | null {
  const kept = keptValue(value)
  return Number.isSafeInteger(kept) ? BigInt(kept as number) : kept
}

function told<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw error instanceof Error && 'errcode' in error && NOT_UNIQUE.includes(error.errcode) ? new NotUnique() : error
  }
}
