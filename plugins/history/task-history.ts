import type { Selectable } from 'kysely'
import type { Logger } from 'pino'
import { StoreUnavailable, WriteBehind, type Database, type EndedTask, type Kysely } from 'sluice/sdk'
import type { HistoryTables, TaskRow } from './history-tables.ts'
import { writeInTurn, type EndedRow, type KeptHistory } from './kept-history.ts'

/** The number of rows of each kind that are kept, the newest. */
export const MAX_ROWS_OF_A_KIND = 10_000
/** The most ended tasks that wait to be written; further ones are counted and left out. */
export const MAX_WAITING = 1000
/** The most subscribers among those that wait: viewers come and go by the thousand, and must not push the others out. */
export const MAX_WAITING_SUBSCRIBERS = 200
/** The time in which ended tasks are gathered to be written together. */
const GATHER_MS = 1000
/** The rows of one insert. */
const BATCH_ROWS = 200

type TaskHistoryOptions = {
  readonly log: Logger
  readonly kept: KeptHistory
  readonly tables: Kysely<HistoryTables>
  readonly database: Pick<Database, 'onAvailable'>
  /** Returns the id of the run; undefined while the database does not have it. */
  readonly runId: () => Promise<number | undefined>
  /** Returns true while ended tasks are to be kept. */
  readonly isOn: () => boolean
}

/**
 * The tasks that have ended (api.md 4, TaskHistory), in the database. They are gathered and written together; while the
 * database is away, a bounded number waits.
 */
export class TaskHistory {
  readonly #options: TaskHistoryOptions
  readonly #rows: WriteBehind<EndedRow>
  #waitingSubscribers = 0
  #leftOut = 0

  constructor(options: TaskHistoryOptions) {
    const { log, database } = options
    this.#options = options
    this.#rows = new WriteBehind({
      log,
      database,
      loss: 'ended tasks are not in the history',
      maxWaiting: MAX_WAITING,
      batchSize: BATCH_ROWS,
      gatherMs: GATHER_MS,
      write: (rows) => this.#write(rows),
    })
  }

  /** Keeps an ended task, if the history is on. */
  add(ended: EndedTask): void {
    if (!this.#options.isOn()) return
    const isFull = this.#rows.waiting >= MAX_WAITING
    if (isFull || (ended.kind === 'subscriber' && this.#waitingSubscribers >= MAX_WAITING_SUBSCRIBERS)) {
      this.#leftOut += 1
      return
    }
    this.#enqueue(rowOf(ended))
  }

  /** Takes rows that another generation could not write. */
  takeIn(rows: readonly EndedRow[]): void {
    for (const row of rows) this.#enqueue(row)
  }

  /**
   * The tasks of a run that are kept, in the order of their ends; none for a run that is not known.
   * @throws {StoreUnavailable}
   */
  async ofRun(runId: number): Promise<Selectable<TaskRow>[]> {
    await this.#rows.settled()
    const rows = this.#options.tables.selectFrom('sluice_monitor_task').selectAll().where('session_id', '=', runId)
    // Rows that a former generation hands on are written after newer ones.
    return rows.orderBy('end_ms').orderBy('id').execute()
  }

  /**
   * Writes the rows that wait, and takes no further ones.
   * @param timeoutMs the time that it may take
   * @returns the rows that were not written by then
   */
  close(timeoutMs: number): Promise<EndedRow[]> {
    return this.#rows.close(timeoutMs)
  }

  #enqueue(row: EndedRow): void {
    this.#rows.add(row)
    if (row.kind !== 'subscriber') return
    this.#waitingSubscribers += 1
    void this.#rows.stored(row).then(() => (this.#waitingSubscribers -= 1))
  }

  async #write(rows: readonly EndedRow[]): Promise<void> {
    const { kept, runId } = this.#options
    const session_id = await runId()
    if (session_id === undefined) throw new StoreUnavailable('this run is not in it')
    await writeInTurn(kept, () => this.#insert(rows, session_id))
    this.#tellLeftOut()
  }

  async #insert(rows: readonly EndedRow[], session_id: number): Promise<void> {
    const { kept, tables } = this.#options
    const values = rows.filter((row) => !kept.written.has(row)).map((row) => ({ ...row, session_id }))
    if (values.length === 0) return
    // Both or none: a batch that fails is written again.
    await tables.transaction().execute(async (transaction) => {
      await transaction.insertInto('sluice_monitor_task').values(values).execute()
      await dropOldest(transaction)
    })
    for (const row of rows) kept.written.add(row)
  }

  #tellLeftOut(): void {
    if (this.#leftOut === 0) return
    this.#options.log.warn({ count: this.#leftOut }, 'more tasks ended than the history takes; these are not in it')
    this.#leftOut = 0
  }
}

function rowOf({ id, parentId, kind, type, owner, startTime, endTime, reason, description }: EndedTask): EndedRow {
  return {
    task_id: id,
    parent_id: parentId,
    kind,
    type,
    owner,
    start_ms: startTime.getTime(),
    end_ms: endTime.getTime(),
    description: JSON.stringify(description()),
    reason,
  }
}

async function dropOldest(tables: Kysely<HistoryTables>): Promise<void> {
  for (const kind of ['task', 'publisher', 'subscriber'] as const) {
    const newest = tables
      .selectFrom('sluice_monitor_task')
      .select('id')
      .where('kind', '=', kind)
      .orderBy('id', 'desc')
      .limit(1)
      .offset(MAX_ROWS_OF_A_KIND)
    await tables.deleteFrom('sluice_monitor_task').where('kind', '=', kind).where('id', '<=', newest).execute()
  }
}
