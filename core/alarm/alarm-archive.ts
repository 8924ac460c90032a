import type { ExpressionBuilder, Kysely } from 'kysely'
import type { Logger } from 'pino'
import { LogLimit, StoreUnavailable } from 'sluice/sdk'
import { RetryTimer } from '../base/retry-timer.ts'
import { insertedIds } from '../store/inserted-ids.ts'
import type { Store } from '../store/store.ts'
import { streamNameOf, type AlarmEvent } from './alarm-event.ts'
import { ALARM_MIGRATIONS, type AlarmRow, type AlarmTables } from './alarm-tables.ts'

/** Most events that wait for the database; beyond it the oldest are dropped. */
export const MAX_UNSTORED = 10_000
/** Most rows that are kept, the newest; a little more until they are trimmed. */
const MAX_ROWS = 100_000
/** Most rows of a statement. */
const BATCH_ROWS = 500
/** After so many new rows the oldest are looked for. */
const TRIM_ROWS = 1000
/** From a failure to the next try, when the database does not say that it is back. */
const FIRST_RETRY_MS = 1000
/** How often the log says at most that events are lost. */
const LOG_INTERVAL_MS = 60_000

/** Which events are asked for; what is left out asks for all. */
export type AlarmFilter = {
  /** Unix milliseconds, both included. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  readonly type?: number | undefined
  readonly streamPath?: string | undefined
  readonly streamName?: string | undefined
}

type AlarmArchiveOptions = {
  readonly log: Logger
  readonly store: Pick<Store, 'tables' | 'onAvailable'>
  /** Injected by tests. */
  readonly maxRows?: number
}

/** The events that are stored: written in batches, kept while the database is away, and the oldest deleted. */
export class AlarmArchive {
  readonly #options: AlarmArchiveOptions
  readonly #db: Kysely<AlarmTables>
  /** Those without a row, the oldest first, and who waits for it. */
  readonly #unstored = new Map<AlarmEvent, () => void>()
  /** Rows of events that were sent since. */
  readonly #sentIds = new Set<number>()
  readonly #retries = new RetryTimer({ firstMs: FIRST_RETRY_MS, retry: () => this.#flush() })
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  readonly #forgetStore: () => void
  #isFlushing = false
  /** The latest flush. */
  #flushed: Promise<void> = Promise.resolve()
  #dropped = 0
  /** New rows since the oldest were looked for. */
  #untrimmed = TRIM_ROWS
  #closed = false

  constructor(options: AlarmArchiveOptions) {
    const { store } = options
    this.#options = options
    this.#db = store.tables<AlarmTables>('alarm', ALARM_MIGRATIONS)
    this.#forgetStore = store.onAvailable(() => this.#flush())
  }

  /** How many events were lost. */
  get dropped(): number {
    return this.#dropped
  }

  /** How many wait for the database. */
  get waiting(): number {
    return this.#unstored.size
  }

  /**
   * Stores an event.
   * @returns resolves when it has a row, or has none yet as the database is away; never rejects
   */
  add(event: AlarmEvent): Promise<void> {
    if (this.#closed) return Promise.resolve()
    if (this.#unstored.size >= MAX_UNSTORED) this.#drop(this.#unstored.keys().take(1).toArray())
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#unstored.set(event, resolve)
    this.#flush()
    return promise
  }

  /** Notes that an event was sent. */
  sent(event: AlarmEvent): void {
    if (event.id === 0) return
    const [oldest] = this.#sentIds
    if (oldest !== undefined && this.#sentIds.size >= MAX_UNSTORED) this.#sentIds.delete(oldest)
    this.#sentIds.add(event.id)
    this.#flush()
  }

  /**
   * The events that were stored, the newest first.
   * @throws {StoreUnavailable}
   */
  async list(filter: AlarmFilter, page: { readonly limit: number; readonly offset: number }) {
    const where = (builder: ExpressionBuilder<AlarmTables, 'sluice_alarm'>) => builder.and(conditions(builder, filter))
    const counted = await this.#db
      .selectFrom('sluice_alarm')
      .select(({ fn }) => fn.countAll().as('total'))
      .where(where)
      .executeTakeFirst()
    const rows = await this.#db
      .selectFrom('sluice_alarm')
      .selectAll()
      .where(where)
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute()
    return { total: Number(counted?.total ?? 0), events: rows.map(eventOf) }
  }

  /** Waits for what is being stored, so long at most. */
  async close(timeoutMs: number): Promise<void> {
    this.#forgetStore()
    this.#retries.reset()
    this.#closed = true
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, timeoutMs)
    await Promise.race([this.#flushed, late])
    clearTimeout(timer)
    this.#drop([...this.#unstored.keys()])
  }

  #flush(): void {
    if (!this.#isFlushing) this.#flushed = this.#work()
  }

  async #work(): Promise<void> {
    this.#isFlushing = true
    try {
      while (this.#unstored.size > 0 || this.#sentIds.size > 0) {
        await this.#insert(this.#unstored.keys().take(BATCH_ROWS).toArray())
        await this.#mark(this.#sentIds.values().take(BATCH_ROWS).toArray())
        await this.#trim()
      }
      this.#retries.reset()
    } catch (err) {
      for (const tried of this.#unstored.values()) tried()
      // The store itself says that it is away.
      if (!(err instanceof StoreUnavailable)) this.#options.log.error({ err }, 'events were not stored')
      if (!this.#closed) this.#retries.schedule()
    } finally {
      this.#isFlushing = false
    }
  }

  async #insert(events: readonly AlarmEvent[]): Promise<void> {
    if (events.length === 0) return
    const values = events.map(rowOf)
    try {
      const rows = await this.#db.insertInto('sluice_alarm').values(values).returning('id').execute()
      const ids = insertedIds(rows)
      for (const [index, event] of events.entries()) {
        event.id = ids[index] ?? 0
        if (event.isSent && values[index]?.is_sent === 0) this.#sentIds.add(event.id)
      }
    } catch (error) {
      // What can not be stored now or ever must not keep out those that follow.
      if (!(error instanceof StoreUnavailable)) this.#drop(events)
      throw error
    }
    for (const event of events) this.#forget(event)
    this.#untrimmed += events.length
  }

  async #mark(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    await this.#db
      .updateTable('sluice_alarm')
      .set({ is_sent: 1, updated_ms: Date.now() })
      .where('id', 'in', ids)
      .execute()
    for (const id of ids) this.#sentIds.delete(id)
  }

  /** Deletes the oldest rows beyond those that are kept. */
  async #trim(): Promise<void> {
    const { maxRows = MAX_ROWS } = this.#options
    if (this.#untrimmed < Math.min(TRIM_ROWS, maxRows)) return
    this.#untrimmed = 0
    const newest = this.#db.selectFrom('sluice_alarm').select('id').orderBy('id', 'desc')
    const last = await newest.limit(1).offset(maxRows).executeTakeFirst()
    if (last === undefined) return
    for (let deleted = BATCH_ROWS; deleted === BATCH_ROWS;) {
      const oldest = this.#db.selectFrom('sluice_alarm').select('id').where('id', '<=', last.id).limit(BATCH_ROWS)
      const { numDeletedRows } = await this.#db
        .deleteFrom('sluice_alarm')
        .where('id', 'in', oldest.orderBy('id'))
        .executeTakeFirstOrThrow()
      deleted = Number(numDeletedRows)
    }
  }

  #drop(events: readonly AlarmEvent[]): void {
    for (const event of events) this.#forget(event)
    this.#dropped += events.length
    const isTold = events.length > 0 && this.#limit.pass() !== undefined
    if (isTold) this.#options.log.warn({ dropped: this.#dropped }, 'events were not stored: the database takes none')
  }

  #forget(event: AlarmEvent): void {
    this.#unstored.get(event)?.()
    this.#unstored.delete(event)
  }
}

function conditions(builder: ExpressionBuilder<AlarmTables, 'sluice_alarm'>, filter: AlarmFilter) {
  const { fromMs, toMs, type, streamPath, streamName } = filter
  return [
    ...(fromMs === undefined ? [] : [builder('created_ms', '>=', fromMs)]),
    ...(toMs === undefined ? [] : [builder('created_ms', '<=', toMs)]),
    ...(type === undefined ? [] : [builder('type', '=', type)]),
    ...(streamPath === undefined ? [] : [builder('stream_path', '=', streamPath)]),
    ...(streamName === undefined ? [] : [builder('stream_name', '=', streamName)]),
  ]
}

function rowOf(event: AlarmEvent): Omit<AlarmRow, 'id'> {
  const { serverInfo, name, type, description, streamPath, filePath, createdMs, updatedMs, isSent } = event
  return {
    server_info: serverInfo,
    stream_name: streamNameOf(streamPath),
    stream_path: streamPath,
    name,
    type,
    description,
    file_path: filePath,
    is_sent: isSent ? 1 : 0,
    created_ms: createdMs,
    updated_ms: updatedMs,
  }
}

function eventOf({
  server_info,
  stream_path,
  file_path,
  is_sent,
  created_ms,
  updated_ms,
  ...row
}: StoredRow): AlarmEvent {
  const { id, name, type, description } = row
  return {
    id,
    serverInfo: server_info,
    name,
    type,
    description,
    streamPath: stream_path,
    filePath: file_path,
    createdMs: created_ms,
    updatedMs: updated_ms,
    isSent: is_sent === 1,
  }
}

type StoredRow = Omit<AlarmRow, 'id'> & { readonly id: number }
