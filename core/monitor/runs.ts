import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import { StoreUnavailable, WriteBehind } from 'sluice/sdk'
import type { Store } from '../store/store.ts'
import type { MonitorTables } from './monitor-tables.ts'
import { shownCommandLine } from './shown-command-line.ts'

/** So many runs are kept, the newest, with the tasks of their history. */
export const MAX_RUNS = 1000

/** A run of the server (spec.md, Session record). */
export type Run = {
  /** Counts the runs of the database; 0 for a run that is not in it. */
  readonly id: number
  readonly pid: number
  readonly args: string
  readonly startTime: Date
  /** Undefined while it runs, and after a crash. */
  readonly endTime: Date | undefined
}

type RunsOptions = {
  readonly log: Logger
  readonly db: Kysely<MonitorTables>
  readonly store: Pick<Store, 'onAvailable'>
  readonly startTime: () => Date
}

/** The runs of the server: this one, and those before as the database has them. */
export class Runs {
  readonly #options: RunsOptions
  readonly #args = shownCommandLine([process.argv0, ...process.execArgv, ...process.argv.slice(1)])
  /** Of this run, once the database has it. */
  #id: number | undefined
  #begun = false
  #endTime: Date | undefined
  /** The row of this run, as it is now. */
  readonly #row: WriteBehind<'this run'>

  constructor(options: RunsOptions) {
    const { log, store } = options
    this.#options = options
    this.#row = new WriteBehind({
      log,
      database: store,
      loss: 'this run is not in the session list',
      write: () => (this.#id === undefined ? this.#insert() : this.#update(this.#id)),
    })
  }

  /** 0 while it runs. */
  get #endMs(): number {
    return this.#endTime?.getTime() ?? 0
  }

  /** The id of this run; undefined while the database does not have it. */
  async id(): Promise<number | undefined> {
    await this.#row.settled()
    return this.#id
  }

  /** Has this run written down, now or when the database is there. */
  begin(): void {
    this.#begun = true
    // The first query makes the database where there is none yet.
    this.#row.add('this run')
  }

  /** Has the end of this run written down. */
  async end(): Promise<void> {
    if (this.#begun && this.#endTime === undefined) {
      this.#endTime = new Date()
      this.#row.add('this run')
    }
    await this.#row.settled()
  }

  /** Gives up what could not be written. */
  async close(): Promise<void> {
    await this.#row.close(0)
  }

  /** All runs that are kept, in the order of their ids; this one alone where there is no database. */
  async list(): Promise<Run[]> {
    await this.#row.settled()
    const kept = await this.#kept()
    const startTime = this.#options.startTime()
    const own = { id: this.#id ?? 0, pid: process.pid, args: this.#args, startTime, endTime: this.#endTime }
    return kept.some(({ id }) => id === own.id) ? kept : [...kept, own]
  }

  async #kept(): Promise<Run[]> {
    try {
      const rows = await this.#options.db.selectFrom('sluice_monitor_run').selectAll().orderBy('id').execute()
      return rows.map(({ id, pid, args, start_ms: startMs, end_ms: endMs }) => ({
        id,
        pid,
        args,
        startTime: new Date(startMs),
        endTime: endMs === 0 ? undefined : new Date(endMs),
      }))
    } catch (error) {
      if (error instanceof StoreUnavailable) return []
      throw error
    }
  }

  async #insert(): Promise<void> {
    const { db, startTime } = this.#options
    const row = { pid: process.pid, args: this.#args, start_ms: startTime().getTime(), end_ms: this.#endMs }
    const { id } = await db.insertInto('sluice_monitor_run').values(row).returning('id').executeTakeFirstOrThrow()
    this.#id = id
    await this.#dropOldest()
  }

  async #update(id: number): Promise<void> {
    await this.#options.db.updateTable('sluice_monitor_run').set({ end_ms: this.#endMs }).where('id', '=', id).execute()
  }

  async #dropOldest(): Promise<void> {
    const { db } = this.#options
    const oldest = await db
      .selectFrom('sluice_monitor_run')
      .select('id')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(MAX_RUNS - 1)
      .executeTakeFirst()
    if (oldest === undefined) return
    await db.deleteFrom('sluice_monitor_run').where('id', '<', oldest.id).execute()
    await db.deleteFrom('sluice_monitor_task').where('session_id', '<', oldest.id).execute()
  }
}
