import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Logger } from 'pino'
import { StoreUnavailable } from 'sluice/sdk'
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
  #waiting: Waiting[] = []
  #waitingSubscribers = 0
  #leftOut = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: TaskHistoryOptions) {
    this.#options = options
  }

  begin(): void {
    this.#options.store.onAvailable(() => void this.#write())
  }

  /** Keeps what has ended, where the history is on. */
  add({ kind, node: read, parentId, reason }: Ended): void {
    if (!this.#options.isOn()) return
    const isFull = this.#waiting.length >= MAX_WAITING
    if (isFull || (kind === 'subscriber' && this.#waitingSubscribers >= MAX_WAITING_SUBSCRIBERS)) {
      this.#leftOut += 1
      return
    }
    if (kind === 'subscriber') this.#waitingSubscribers += 1
    const node = read()
    this.#waiting.push({
      task_id: node.id,
      parent_id: parentId,
      kind,
      type: node.type,
      owner: node.owner,
      start_ms: Date.parse(node.startTime),
      end_ms: Date.now(),
      description: JSON.stringify(node.description),
      reason: shownText(reason),
    })
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS).unref()
  }

  /**
   * The tasks of a run that are kept, in the order of their ends; none for a run that is not known.
   * @throws {StoreUnavailable}
   */
  async ofRun(runId: number): Promise<Selectable<TaskRow>[]> {
    await this.#write()
    const { db } = this.#options
    return db.selectFrom('sluice_monitor_task').selectAll().where('session_id', '=', runId).orderBy('id').execute()
  }

  /** Writes what waits; settles when that is done, or could not be. */
  async close(): Promise<void> {
    await this.#write()
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#writeAll())
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    const session_id = await this.#options.runId()
    if (session_id === undefined || this.#waiting.length === 0) return
    try {
      while (this.#waiting.length > 0) {
        const rows = this.#waiting.slice(0, BATCH_ROWS)
        const { db } = this.#options
        await db
          .insertInto('sluice_monitor_task')
          .values(rows.map((row) => ({ ...row, session_id })))
          .execute()
        this.#forget(rows)
      }
      await this.#dropOldest()
      this.#tellLeftOut()
    } catch (err) {
      // What is away comes back, and what waits is written then.
      if (err instanceof StoreUnavailable) return
      this.#options.log.error({ err }, 'ended tasks are not in the history')
      this.#forget([...this.#waiting])
    }
  }

  /** Lets those go that waited longest. */
  #forget(rows: readonly Waiting[]): void {
    this.#waiting.splice(0, rows.length)
    this.#waitingSubscribers -= rows.filter(({ kind }) => kind === 'subscriber').length
  }

  async #dropOldest(): Promise<void> {
    const { db } = this.#options
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

  #tellLeftOut(): void {
    if (this.#leftOut === 0) return
    this.#options.log.warn({ count: this.#leftOut }, 'more tasks ended than the history takes; these are not in it')
    this.#leftOut = 0
  }
}
