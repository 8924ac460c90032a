import type { Logger } from 'pino'
import type { Database, EndedTask, Kysely } from 'sluice/sdk'
import type { HistoryTables } from './history-tables.ts'
import type { EndedRow, KeptHistory } from './kept-history.ts'
import { Runs } from './runs.ts'
import { TaskHistory } from './task-history.ts'

type HistoryOptions = {
  readonly log: Logger
  readonly kept: KeptHistory
  readonly tables: Kysely<HistoryTables>
  readonly database: Pick<Database, 'onAvailable'>
  readonly startTime: Date
  /** `global.taskhistory` as it is now. */
  readonly isOn: () => boolean
}

/** The runs of the server and the tasks that have ended in them, as one generation of the plugin keeps them. */
export class History {
  readonly runs: Runs
  readonly tasks: TaskHistory
  readonly #kept: KeptHistory
  readonly #takeIn = (rows: readonly EndedRow[]) => this.tasks.takeIn(rows)

  constructor({ log, kept, tables, database, startTime, isOn }: HistoryOptions) {
    this.#kept = kept
    this.runs = new Runs({ log, kept, tables, database, startTime })
    this.tasks = new TaskHistory({ log, kept, tables, database, runId: () => this.runs.id(), isOn })
  }

  /** Makes this generation the newest, which goes on with the run. Idempotent. */
  takeOver(): void {
    if (this.#kept.takeIn === this.#takeIn) return
    this.#kept.takeIn = this.#takeIn
    this.runs.begin()
  }

  add(ended: EndedTask): void {
    this.tasks.add(ended)
  }

  /**
   * Writes the rows that wait. The newest generation ends the run; another one hands to it the rows that it could not write.
   * @param timeoutMs the time that it may take
   */
  async close(timeoutMs: number): Promise<void> {
    if (this.#kept.takeIn === this.#takeIn) {
      this.#kept.takeIn = undefined
      this.runs.end()
    }
    const [rows] = await Promise.all([this.tasks.close(timeoutMs), this.runs.close(timeoutMs)])
    this.#kept.takeIn?.(rows)
  }
}
