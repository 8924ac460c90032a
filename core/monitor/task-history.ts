import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Logger } from 'pino'
import { StoreUnavailable, WriteBehind } from 'sluice/sdk'
import { shownText, type TaskNode } from '../observe/task-node.ts'
import type { Store } from '../store/store.ts'
import type { MonitorTables, TaskKind, TaskRow } from './monitor-tables.ts'

/** So many rows of each kind are kept, the newest. */
export const MAX_ROWS_OF_A_KIND = 10_000
/** So many ended tasks wait to be written; more are counted and left out. */
export const MAX_WAITING = 1000
/** Of those, so many subscribers: viewers come and go by the thousand, and must not push the others out. */
export const MAX_WAITING_SUBSCRIBERS = 200
/** How long ended tasks are gathered until they are written together. */
const GATHER_MS = 1000
/** The rows of one insert. */
const BATCH_ROWS = 200

/** Something that has ended. */
export type Ended = {
  readonly kind: TaskKind
  /** As it was last; asked only where the history is on. */
  readonly node: () => Pick<TaskNode, 'id' | 'type' | 'owner' | 'startTime' | 'description'>
  readonly parentId: number
  readonly reason: string
}

type TaskHistoryOptions = {
  readonly log: Logger
  readonly db: Kysely<MonitorTables>
  readonly store: Pick<Store, 'onAvailable'>
  /** The id of the run; undefined while the database does not have it. */
  readonly runId: () => Promise<number | undefined>
  /** Whether ended tasks are to be kept at present. */
  readonly isOn: () => boolean
}

type Waiting = Omit<Insertable<TaskRow>, 'session_id'>

/**
 * The tasks that have ended (api.md 4, TaskHistory), in the database. They are gathered and written together; while the
 * database is away, a bounded number waits.
 */
export class TaskHistory {
  readonly #options: TaskHistoryOptions
  readonly #rows: WriteBehind<Waiting>
  #waitingSubscribers = 0
  #leftOut = 0

  constructor(options: TaskHistoryOptions) {
    const { log, store } = options
    this.#options = options
    this.#rows = new WriteBehind({
      log,
      database: store,
      loss: 'ended tasks are not in the history',
      maxWaiting: MAX_WAITING,
      batchSize: BATCH_ROWS,
      gatherMs: GATHER_MS,
      write: (rows) => this.#write(rows),
    })
  }

  /** Keeps what has ended, where the history is on. */
  add({ kind, node: read, parentId, reason }: Ended): void {
    if (!this.#options.isOn()) return
    const isFull = this.#rows.waiting >= MAX_WAITING
    if (isFull || (kind === 'subscriber' && this.#waitingSubscribers >= MAX_WAITING_SUBSCRIBERS)) {
      this.#leftOut += 1
      return
    }
    const node = read()
    const row: Waiting = {
      task_id: node.id,
      parent_id: parentId,
      kind,
      type: node.type,
      owner: node.owner,
      start_ms: Date.parse(node.startTime),
      end_ms: Date.now(),
      description: JSON.stringify(node.description),
      reason: shownText(reason),
    }
    this.#rows.add(row)
    if (kind !== 'subscriber') return
    this.#waitingSubscribers += 1
    void this.#rows.stored(row).then(() => (this.#waitingSubscribers -= 1))
  }

  /**
   * The tasks of a run that are kept, in the order of their ends; none for a run that is not known.
   * @throws {StoreUnavailable}
   */
  async ofRun(runId: number): Promise<Selectable<TaskRow>[]> {
    await this.#rows.settled()
    const { db } = this.#options
    return db.selectFrom('sluice_monitor_task').selectAll().where('session_id', '=', runId).orderBy('id').execute()
  }

  /** Writes what waits, so long at most. */
  async close(timeoutMs: number): Promise<void> {
    await this.#rows.close(timeoutMs)
  }

  async #write(rows: readonly Waiting[]): Promise<void> {
    const { db, runId } = this.#options
    const session_id = await runId()
    if (session_id === undefined) throw new StoreUnavailable('this run is not in it')
    const values = rows.map((row) => ({ ...row, session_id }))
    // Both or none: a batch that fails is written again.
    await db.transaction().execute(async (transaction) => {
      await transaction.insertInto('sluice_monitor_task').values(values).execute()
      await dropOldest(transaction)
    })
    this.#tellLeftOut()
  }

  #tellLeftOut(): void {
    if (this.#leftOut === 0) return
    this.#options.log.warn({ count: this.#leftOut }, 'more tasks ended than the history takes; these are not in it')
    this.#leftOut = 0
  }
}

async function dropOldest(db: Kysely<MonitorTables>): Promise<void> {
  for (const kind of ['task', 'publisher', 'subscriber'] as const) {
    const newest = db
      .selectFrom('sluice_monitor_task')
      .select('id')
      .where('kind', '=', kind)
      .orderBy('id', 'desc')
      .limit(1)
      .offset(MAX_ROWS_OF_A_KIND)
    await db.deleteFrom('sluice_monitor_task').where('kind', '=', kind).where('id', '<=', newest).execute()
  }
}
