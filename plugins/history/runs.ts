import type { Logger } from 'pino'
import { StoreUnavailable, WriteBehind, type Database, type Kysely } from 'sluice/sdk'
import type { HistoryTables } from './history-tables.ts'
import { writeInTurn, type KeptHistory } from './kept-history.ts'
import { shownCommandLine } from './shown-command-line.ts'

/** The number of runs that are kept, the newest, with the tasks of their history. */
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
  readonly kept: KeptHistory
  readonly tables: Kysely<HistoryTables>
  readonly database: Pick<Database, 'onAvailable'>
  /** The start of this run. */
  readonly startTime: Date
}

/** The runs of the server: this one, and those before as the database has them. */
export class Runs {
  readonly #options: RunsOptions
  readonly #args = shownCommandLine([process.argv0, ...process.execArgv, ...process.argv.slice(1)])
  /** The row of this run, to be written as the run is then. */
  readonly #row: WriteBehind<'this run'>

  constructor(options: RunsOptions) {
    const { log, kept, database } = options
    this.#options = options
    this.#row = new WriteBehind({
      log,
      database,
      loss: 'this run is not in the session list',
      write: () => writeInTurn(kept, () => this.#write()),
    })
  }

  /** The id of this run; undefined while the database does not have it. */
  async id(): Promise<number | undefined> {
    await this.#row.settled()
    return this.#options.kept.runId
  }

  /** Has the row of this run written, without an end, now or when the database is there. */
  begin(): void {
    const { kept } = this.#options
    if (kept.runId !== undefined && kept.endTime === undefined) return
    kept.endTime = undefined
    this.#row.add('this run')
  }

  /** Has the end of this run written into its row. */
  end(): void {
    this.#options.kept.endTime = new Date()
    this.#row.add('this run')
  }

  /**
   * Writes the row if it waits, and nothing later.
   * @param timeoutMs the time that it may take
   */
  async close(timeoutMs: number): Promise<void> {
    await this.#row.close(timeoutMs)
  }

  /** Returns all runs that are kept, in the order of their ids; this one alone while there is no database. */
  async list(): Promise<Run[]> {
    await this.#row.settled()
    const { kept, startTime } = this.#options
    const rows = await this.#stored()
    const own = { id: kept.runId ?? 0, pid: process.pid, args: this.#args, startTime, endTime: kept.endTime }
    return rows.some(({ id }) => id === own.id) ? rows : [...rows, own]
  }

  async #stored(): Promise<Run[]> {
    try {
      const rows = await this.#options.tables.selectFrom('sluice_monitor_run').selectAll().orderBy('id').execute()
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

  async #write(): Promise<void> {
    const { kept, tables } = this.#options
    kept.runId ??= await this.#find()
    const end_ms = kept.endTime?.getTime() ?? 0
    if (kept.runId === undefined) {
      kept.runId = await this.#insert(end_ms)
      await this.#dropOldest()
    } else await tables.updateTable('sluice_monitor_run').set({ end_ms }).where('id', '=', kept.runId).execute()
  }

  /** Returns the id of the row that this run has already, if the plugin was removed and put back. */
  async #find(): Promise<number | undefined> {
    const { tables, startTime } = this.#options
    const row = await tables
      .selectFrom('sluice_monitor_run')
      .select('id')
      .where('pid', '=', process.pid)
      .where('start_ms', '=', startTime.getTime())
      .executeTakeFirst()
    return row?.id
  }

  async #insert(end_ms: number): Promise<number> {
    const { tables, startTime } = this.#options
    const row = { pid: process.pid, args: this.#args, start_ms: startTime.getTime(), end_ms }
    const { id } = await tables.insertInto('sluice_monitor_run').values(row).returning('id').executeTakeFirstOrThrow()
    return id
  }

  async #dropOldest(): Promise<void> {
    const { tables } = this.#options
    const oldest = await tables
      .selectFrom('sluice_monitor_run')
      .select('id')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(MAX_RUNS - 1)
      .executeTakeFirst()
    if (oldest === undefined) return
    await tables.deleteFrom('sluice_monitor_run').where('id', '<', oldest.id).execute()
    await tables.deleteFrom('sluice_monitor_task').where('session_id', '<', oldest.id).execute()
  }
}
