import { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import type { Logger } from 'pino'
import type { FormerNames } from 'sluice/sdk'
import { AlikeColumns, migrate, OwnTables, type OwnedMetrics } from 'sluice/sdk/host'
import { guard } from '../base/guard.ts'
import type { Backend } from './backend.ts'
import { createBackend } from './create-backend.ts'
import { findDatabase, type DatabaseConfig } from './database.ts'
import { Failures } from './failures.ts'
import { GatedDriver } from './gated-driver.ts'
import { closeBackend, Link } from './link.ts'
import { StoreMeter } from './store-meter.ts'
import { OwnedTables } from './owned-tables.ts'

type StoreOptions = DatabaseConfig & { readonly log: Logger; readonly metrics?: OwnedMetrics }

type Migrations = Readonly<Record<string, Migration>>

/** The tables of a plugin, as one of its generations has them; see {@link OwnedTables}. */
export interface LentTables extends Pick<OwnedTables, 'prepare' | 'assertOpen' | 'close'> {
  readonly db: Kysely<unknown>
}

/**
 * The database: a file of SQLite's, in a thread of its own, or one of PostgreSQL's. The first query opens it, or `open` where
 * it may have contents. Queries fail with `StoreUnavailable` while it is away, and it is reached again by itself.
 */
export class Store {
  readonly #log: Logger
  readonly #backend: Backend
  readonly #link: Link
  readonly #failures: Failures
  readonly #meter: StoreMeter
  /** The database for migrations, without a gate. */
  readonly #root: Kysely<unknown>
  readonly #columns: AlikeColumns
  readonly #owners = new Set<OwnedTables>()
  readonly #listeners = new Set<() => unknown>()
  /** True when the migrations of all owners were tried since the database became reachable. */
  #isMigrated = false

  /** @throws {Error} when the config names no database, or an unsupported one */
  constructor({ log, metrics, ...config }: StoreOptions) {
    this.#log = log
    this.#meter = new StoreMeter(() => this.#link.isUp, metrics)
    this.#backend = createBackend(findDatabase(config))
    const { driver, dialect, kind } = this.#backend
    this.#root = new Kysely({ dialect: { ...dialect, createDriver: () => driver } })
    this.#columns = new AlikeColumns(kind)
    this.#link = new Link({ log, backend: this.#backend, onUp: () => void this.#onUp() })
    this.#failures = new Failures(log, this.#backend, this.#link, this.#meter)
  }

  /** True where the database may have contents. */
  get exists(): boolean {
    return this.#backend.exists
  }

  /** True when the database was tried, and can't be reached now; false also for one that nothing was asked of yet. */
  get isAway(): boolean {
    return this.#link.isAway
  }

  /** Opens the database if it may have contents; otherwise the first query does. */
  open(): void {
    if (this.#backend.exists) this.#link.open()
  }

  /**
   * The tables of a part of the server. Its migrations run in the order of their names, each once; queries wait for them.
   * @param owner the owner of the migrations; its tables should have names that no plugin's have, as `sluice_user`
   */
  tables<Tables>(owner: string, migrations: Migrations): Kysely<Tables> {
    return this.#own<Tables>(owner, migrations, []).db
  }

  /**
   * The tables of a plugin, whose queries can name no others.
   * @param former the names that they had while they were the server's own
   */
  lend(plugin: string, migrations: Migrations, former: FormerNames = {}): LentTables {
    const { migrations: owner = `plugin:${plugin}`, tables } = former
    const { db, owned } = this.#own(owner, migrations, [new OwnTables(plugin, tables)])
    return {
      db,
      prepare: () => owned.prepare(),
      assertOpen: () => owned.assertOpen(),
      close: (reason) => {
        owned.close(reason)
        this.#owners.delete(owned)
      },
    }
  }

  /**
   * Calls `listener` each time the database has become reachable and migrated; at once if it is. A SQLite file that is not
   * there yet becomes so by the first query.
   * @returns a function that stops that
   */
  onAvailable(listener: () => unknown): () => void {
    this.#listeners.add(listener)
    if (this.#isMigrated && this.#link.isUp) this.#notify(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Waits a little for the queries that the database has been given; queries fail from now on, also those that wait for a turn. */
  async close(): Promise<void> {
    this.#link.close()
    this.#listeners.clear()
    await closeBackend(this.#backend, this.#log)
  }

  #own<Tables>(owner: string, migrations: Migrations, restrictions: readonly OwnTables[]) {
    const { driver, dialect } = this.#backend
    const plugins = [...restrictions, this.#columns]
    const owned = new OwnedTables({
      log: this.#log,
      owner,
      link: this.#link,
      failures: this.#failures,
      meter: this.#meter,
      migrate: () =>
        migrate({
          db: this.#root,
          owner,
          migrations,
          plugins,
          begin: (transaction) => this.#backend.beginMigration(transaction),
        }),
    })
    this.#owners.add(owned)
    const db = new Kysely<Tables>({
      dialect: { ...dialect, createDriver: () => new GatedDriver(driver, owned) },
      plugins,
    })
    return { db, owned }
  }

  async #onUp(): Promise<void> {
    this.#isMigrated = false
    for (const owned of this.#owners) owned.renew()
    // A migration that fails is logged, and makes the queries of its owner fail.
    await Promise.allSettled([...this.#owners].map((owned) => owned.prepare()))
    this.#isMigrated = true
    if (this.#link.isUp) for (const listener of this.#listeners) this.#notify(listener)
  }

  #notify(listener: () => unknown): void {
    guard(this.#log, 'listener to the database', listener)
  }
}
