import type { ExpressionBuilder } from 'kysely'
import type { Logger } from 'pino'
import { WriteBehind, type Database, type Kysely } from 'sluice/sdk'
import { streamNameOf, type AlarmEvent } from './alarm-event.ts'
import type { AlarmRow, AlarmTables } from './alarm-tables.ts'

/** Most events that wait for the database; beyond it the oldest are dropped. */
export const MAX_UNSTORED = 10_000
/** Most rows that are kept, the newest; a little more until they are trimmed. */
const MAX_ROWS = 100_000
/** Most rows of a statement. */
const BATCH_ROWS = 500
/** After so many new rows the oldest are looked for. */
const TRIM_ROWS = 1000

/** The text of the log when events are lost. */
export const LOSS = 'events were not stored'

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
  readonly tables: Kysely<AlarmTables>
  readonly database: Pick<Database, 'onAvailable'>
  /** Injected by tests. */
  readonly maxRows?: number
}

/** The events that are stored: written in batches, kept while the database is away, and the oldest deleted. */
export class AlarmArchive {
  readonly #options: AlarmArchiveOptions
  readonly #db: Kysely<AlarmTables>
  /** The events without a row, and those that were sent since they have one. */
  readonly #rows: WriteBehind<AlarmEvent>
  /** New rows since the oldest were looked for. */
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

  /** How many events were lost. */
  get dropped(): number {
    return this.#rows.lost
  }

  /** How many wait for the database. */
  get waiting(): number {
    return this.#rows.waiting
  }

  /** Has an event stored, or has its row say that it was sent. */
  add(event: AlarmEvent): void {
    this.#rows.add(event)
  }

  /** Resolves when an event has a row, or has none yet as the database is away; at once for one that is not to be stored. Never rejects. */
  async row(event: AlarmEvent): Promise<void> {
    if (this.#rows.has(event)) await Promise.race([this.#rows.stored(event), this.#rows.settled()])
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

  /**
   * Stores what is left, as long as it may take, and takes nothing more.
   * @returns the events that were not stored
   */
  close(timeoutMs: number): Promise<AlarmEvent[]> {
    return this.#rows.close(timeoutMs)
  }

  async #write(events: readonly AlarmEvent[]): Promise<void> {
    const fresh = events.filter(({ id }) => id === 0)
    const known = events.filter(({ id }) => id > 0)
    const unsent = await this.#insert(fresh)
    // Some may have been sent while they were inserted.
    await this.#mark([...known, ...unsent].filter(({ isSent }) => isSent))
    await this.#trim()
  }

  /** @returns the events whose rows say that they were not sent */
  async #insert(events: readonly AlarmEvent[]): Promise<readonly AlarmEvent[]> {
    if (events.length === 0) return []
    const values = events.map(rowOf)
    const rows = await this.#db.insertInto('sluice_alarm').values(values).returning('id').execute()
    // Ids are counted up in the order of the values, in which they need not be answered.
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

  /** Deletes the oldest rows beyond those that are kept. */
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
