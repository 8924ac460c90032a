import { NotUnique, StreamNotFound, StreamUnavailable, type Kysely } from 'sluice/sdk'
import { DEFAULT_PLANS, type PlanTables } from './plan-tables.ts'

/** The most plans. */
const MAX_PLANS = 1000
/** The most streams that plans record. */
const MAX_PLAN_STREAMS = 2000

/** A plan for recordings. Times are milliseconds since the Unix epoch. */
export type Plan = {
  readonly id: number
  readonly name: string
  readonly isEnabled: boolean
  /** The hours of the week, in the form of `parsePlan`. */
  readonly hours: string
  readonly createdMs: number
  readonly updatedMs: number
}
export type PlanFields = Omit<Plan, 'id' | 'createdMs' | 'updatedMs'>

/** The key of a stream that a plan records: there is one for each stream and type. */
export type PlanStreamKey = { readonly streamPath: string; readonly recordType: string }

/** A stream that is recorded by a plan. */
export type PlanStream = PlanStreamKey & {
  readonly planId: number
  /** The length of the files: a duration, as it was written. */
  readonly fragment: string
  /** The folder below the root of the storage; empty is the root. */
  readonly filePath: string
  readonly isEnabled: boolean
  readonly createdMs: number
  readonly updatedMs: number
}
export type PlanStreamFields = Omit<PlanStream, 'createdMs' | 'updatedMs'>

/** The plans in the database, and the streams that they record. Each method rejects with `StoreUnavailable` without a database. */
export class PlanStore {
  readonly #db: Kysely<PlanTables>

  constructor(db: Kysely<PlanTables>) {
    this.#db = db
  }

  /** All plans, by their ids. */
  async plans(): Promise<Plan[]> {
    const rows = await this.#db.selectFrom('crontab_plan').selectAll().orderBy('id').execute()
    return rows.map(({ id, name, enabled, hours, created_ms, updated_ms }) => {
      return { id, name, isEnabled: enabled === 1, hours, createdMs: created_ms, updatedMs: updated_ms }
    })
  }

  /** All streams that have a plan, by path and type. */
  async streams(): Promise<PlanStream[]> {
    const query = this.#db.selectFrom('crontab_stream').selectAll()
    const rows = await query.orderBy('stream_path').orderBy('record_type').execute()
    return rows.map((row) => ({
      streamPath: row.stream_path,
      recordType: row.record_type,
      planId: row.plan_id,
      fragment: row.fragment,
      filePath: row.file_path,
      isEnabled: row.enabled === 1,
      createdMs: row.created_ms,
      updatedMs: row.updated_ms,
    }))
  }

  /** Adds the default plans for which no plan has the same hours. */
  async addDefaultPlans(): Promise<void> {
    const plans = await this.plans()
    for (const { id, name, hours } of DEFAULT_PLANS) {
      if (plans.some((plan) => plan.hours === hours)) continue
      const nowMs = Date.now()
      const row = { ...planColumns({ name, hours, isEnabled: true }), created_ms: nowMs, updated_ms: nowMs }
      // A default plan that was removed gets its id again, which no other plan got; the id of one with changed hours is in use.
      const values = plans.some((plan) => plan.id === id) ? row : { id, ...row }
      await this.#db.insertInto('crontab_plan').values(values).execute()
    }
  }

  /**
   * Adds a plan.
   * @returns its id
   * @throws {StreamUnavailable} when there are too many
   */
  async addPlan(fields: PlanFields): Promise<number> {
    if ((await this.plans()).length >= MAX_PLANS) throw new StreamUnavailable(`there are ${MAX_PLANS} plans already`)
    const nowMs = Date.now()
    const row = { ...planColumns(fields), created_ms: nowMs, updated_ms: nowMs }
    const added = this.#db.insertInto('crontab_plan').values(row).returning('id')
    return (await added.executeTakeFirstOrThrow()).id
  }

  /**
   * Changes the given fields.
   * @throws {StreamNotFound} when there is no such plan
   */
  async updatePlan(id: number, changes: Partial<PlanFields>): Promise<void> {
    const before = (await this.plans()).find((plan) => plan.id === id)
    if (before === undefined) throw new StreamNotFound()
    const row = { ...planColumns({ ...before, ...changes }), updated_ms: Date.now() }
    await this.#db.updateTable('crontab_plan').set(row).where('id', '=', id).execute()
  }

  /**
   * Removes a plan, with the streams that it records.
   * @throws {StreamNotFound} when there is no such plan
   */
  async removePlan(id: number): Promise<void> {
    await this.#db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('crontab_stream').where('plan_id', '=', id).execute()
      const { numDeletedRows } = await transaction
        .deleteFrom('crontab_plan')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      if (Number(numDeletedRows) === 0) throw new StreamNotFound()
    })
  }

  /**
   * @throws {StreamNotFound} when there is no such plan
   * @throws {NotUnique} when the stream has a plan for this type
   * @throws {StreamUnavailable} when there are too many
   */
  async addStream(fields: PlanStreamFields): Promise<void> {
    await this.#assertPlan(fields.planId)
    const streams = await this.streams()
    if (streams.some((stream) => isSame(stream, fields))) throw new NotUnique()
    if (streams.length >= MAX_PLAN_STREAMS) {
      throw new StreamUnavailable(`plans record ${MAX_PLAN_STREAMS} streams already`)
    }
    const nowMs = Date.now()
    const { streamPath: stream_path, recordType: record_type } = fields
    const row = { stream_path, record_type, ...streamColumns(fields), created_ms: nowMs, updated_ms: nowMs }
    await this.#db.insertInto('crontab_stream').values(row).execute()
  }

  /**
   * Changes the given fields.
   * @throws {StreamNotFound} when there is no such plan, or no plan records the stream in this type
   */
  async updateStream(key: PlanStreamKey, changes: Partial<Omit<PlanStreamFields, keyof PlanStreamKey>>): Promise<void> {
    const before = (await this.streams()).find((stream) => isSame(stream, key))
    if (before === undefined) throw new StreamNotFound()
    const fields = { ...before, ...changes }
    await this.#assertPlan(fields.planId)
    const query = this.#db.updateTable('crontab_stream').set({ ...streamColumns(fields), updated_ms: Date.now() })
    await query.where('stream_path', '=', key.streamPath).where('record_type', '=', key.recordType).execute()
  }

  /**
   * Removes a stream from its plan: in one type, or in all types that a plan records it in.
   * @throws {StreamNotFound} when no plan records the stream
   */
  async removeStream(
    streamPath: string,
    by: { readonly planId: number } | { readonly recordType: string },
  ): Promise<void> {
    const query = this.#db.deleteFrom('crontab_stream').where('stream_path', '=', streamPath)
    const narrowed =
      'planId' in by ? query.where('plan_id', '=', by.planId) : query.where('record_type', '=', by.recordType)
    const { numDeletedRows } = await narrowed.executeTakeFirstOrThrow()
    if (Number(numDeletedRows) === 0) throw new StreamNotFound()
  }

  async #assertPlan(id: number): Promise<void> {
    if (!(await this.plans()).some((plan) => plan.id === id)) throw new StreamNotFound()
  }
}

function isSame(one: PlanStreamKey, other: PlanStreamKey): boolean {
  return one.streamPath === other.streamPath && one.recordType === other.recordType
}

function planColumns({ name, isEnabled, hours }: PlanFields) {
  return { name, enabled: isEnabled ? 1 : 0, hours }
}

function streamColumns({ planId, fragment, filePath, isEnabled }: PlanStreamFields) {
  return { plan_id: planId, fragment, file_path: filePath, enabled: isEnabled ? 1 : 0 }
}
