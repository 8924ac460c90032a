import type { ExpressionBuilder } from 'kysely'
import type { Logger } from 'pino'
import { WriteBehind, type Database, type Kysely } from 'sluice/sdk'
import { streamNameOf, type AlarmEvent } from './alarm-event.ts'
import type { AlarmRow, AlarmTables } from './alarm-tables.ts'

/** The most events that wait for the database; beyond that, the oldest are dropped. */
export const MAX_UNSTORED = 10_000
/** The most rows that are kept, the newest ones; there are a few more until the next trim. */
const MAX_ROWS = 100_000
/** The most rows of one statement. */
const BATCH_ROWS = 500
/** The number of new rows after which the oldest rows are trimmed. */
const TRIM_ROWS = 1000

/** The text that is logged when events are lost. */
export const LOSS = 'events were not stored'

/** A filter of events; a field that is left out matches all. */
export type AlarmFilter = {
  /** The range of creation times in Unix milliseconds, from `fromMs` to `toMs`, both included. */
  readonly fromMs?: number | undefined
  readonly toMs?: number | undefined
  readonly type?: number | undefined
  readonly name?: string | undefined
  readonly streamPath?: string | undefined
  readonly streamName?: string | undefined
}

type AlarmArchiveOptions = {
  readonly log: Logger
  readonly tables: Kysely<AlarmTables>
  readonly database: Pick<Database, 'onAvailable'>
  /** The most rows that are kept; injected by tests. */
  readonly maxRows?: number
}

/** The stored events: they are written in batches, kept in memory while the database is away, and the oldest are deleted. */
export class AlarmArchive {
  readonly #options: AlarmArchiveOptions
  readonly #db: Kysely<AlarmTables>
  /** The events that wait for their row, or for the note in it that they were sent. */
  readonly #rows: WriteBehind<AlarmEvent>
  /** The number of new rows since the last trim. */
  #untrimmed = TRIM_ROWS

  constructor(options: AlarmArchiveOptions) {
    const { log, tables, database } = options
    this.#options = options
    this.#db = tables
    this.#rows = new WriteBehind({
      log,
      database,
      loss: LOSS,
      maxWaiting: MAX_UNSTORED,
      batchSize: BATCH_ROWS,
      write: (events) => this.#write(events),
    })
  }

  /** The number of events that were lost. */
  get dropped(): number {
    return this.#rows.lost
  }

  /** The number of events that wait for the database. */
  get waiting(): number {
    return this.#rows.waiting
  }

  /** Stores an event, or marks its row as sent when it has one. */
  add(event: AlarmEvent): void {
    this.#rows.add(event)
  }

  /**
   * Resolves when an event has a row, or when it has none yet because the database is away; at once for an event that does not wait to be
   * stored. Never rejects.
   */
  async row(event: AlarmEvent): Promise<void> {
    if (this.#rows.has(event)) await Promise.race([this.#rows.stored(event), this.#rows.settled()])
  }

  /**
   * Returns a page of the stored events that match, the newest first, and the number of all that match.
   * @throws {StoreUnavailable} when there is no database
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

  /**
   * Stores the waiting events, for `timeoutMs` at most, and accepts no more.
   * @returns the events that were not stored
   */
  close(timeoutMs: number): Promise<AlarmEvent[]> {
    return this.#rows.close(timeoutMs)
  }

  async #write(events: readonly AlarmEvent[]): Promise<void> {
    const fresh = events.filter(({ id }) => id === 0)
    const known = events.filter(({ id }) => id > 0)
    const unsent = await this.#insert(fresh)
    // Some events may have been sent while they were inserted.
    await this.#mark([...known, ...unsent].filter(({ isSent }) => isSent))
    await this.#trim()
  }

  /** @returns the events that were inserted as not sent */
  async #insert(events: readonly AlarmEvent[]): Promise<readonly AlarmEvent[]> {
    if (events.length === 0) return []
    const values = events.map(rowOf)
    const rows = await this.#db.insertInto('sluice_alarm').values(values).returning('id').execute()
    // The database numbers the rows in the order of the values, but may return the ids in another order.
    const ids = rows.map(({ id }) => id).toSorted((one, other) => one - other)
    for (const [index, event] of events.entries()) event.id = ids[index] ?? 0
    this.#untrimmed += events.length
    return events.filter((_, index) => values[index]?.is_sent === 0)
  }

  async #mark(events: readonly AlarmEvent[]): Promise<void> {
    if (events.length === 0) return
    const ids = events.map(({ id }) => id)
    await this.#db
      .updateTable('sluice_alarm')
      .set({ is_sent: 1, updated_ms: Date.now() })
      .where('id', 'in', ids)
      .execute()
  }

  /** Deletes the oldest rows beyond `maxRows`. */
  async #trim(): Promise<void> {
    const { maxRows = MAX_ROWS } = this.#options
    if (this.#untrimmed < Math.min(TRIM_ROWS, maxRows / 2)) return
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
}

function conditions(builder: ExpressionBuilder<AlarmTables, 'sluice_alarm'>, filter: AlarmFilter) {
  const { fromMs, toMs, type, name, streamPath, streamName } = filter
  return [
    ...(fromMs === undefined ? [] : [builder('created_ms', '>=', fromMs)]),
    ...(toMs === undefined ? [] : [builder('created_ms', '<=', toMs)]),
    ...(type === undefined ? [] : [builder('type', '=', type)]),
    ...(name === undefined ? [] : [builder('name', '=', name)]),
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
