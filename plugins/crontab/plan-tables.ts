import type { Generated, Kysely, Migration } from 'sluice/sdk'

type PlanRow = {
  id: Generated<number>
  name: string
  enabled: number
  /** 168 characters. */
  hours: string
  created_ms: number
  updated_ms: number
}

type PlanStreamRow = {
  stream_path: string
  record_type: string
  plan_id: number
  /** A duration as it was written. */
  fragment: string
  file_path: string
  enabled: number
  created_ms: number
  updated_ms: number
}

/** The tables of the plans, and of the streams that are recorded by them. */
export type PlanTables = { crontab_plan: PlanRow; crontab_stream: PlanStreamRow }

const WORKDAY = '1'.repeat(24)
const DAY_OFF = '0'.repeat(24)

/** The plans that there are after each start (api.md 8.5). */
export const DEFAULT_PLANS = [
  { id: 1, name: 'whole week', hours: '1'.repeat(168) },
  { id: 2, name: 'Monday to Friday', hours: `${DAY_OFF}${WORKDAY.repeat(5)}${DAY_OFF}` },
  { id: 3, name: 'weekend', hours: `${WORKDAY}${DAY_OFF.repeat(5)}${WORKDAY}` },
]

/** How the tables came to be. */
export const PLAN_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-plans': {
    async up(db: Kysely<PlanTables>): Promise<void> {
      await db.schema
        .createTable('crontab_plan')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('enabled', 'integer', (column) => column.notNull())
        .addColumn('hours', 'text', (column) => column.notNull())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .addColumn('updated_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('crontab_stream')
        .addColumn('stream_path', 'text', (column) => column.notNull())
        .addColumn('record_type', 'text', (column) => column.notNull())
        .addColumn('plan_id', 'integer', (column) => column.notNull())
        .addColumn('fragment', 'text', (column) => column.notNull())
        .addColumn('file_path', 'text', (column) => column.notNull())
        .addColumn('enabled', 'integer', (column) => column.notNull())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .addColumn('updated_ms', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('crontab_stream_key', ['stream_path', 'record_type'])
        .execute()
      const nowMs = Date.now()
      // The database continues its count of ids after these.
      for (const { name, hours } of DEFAULT_PLANS) {
        const row = { name, hours, enabled: 1, created_ms: nowMs, updated_ms: nowMs }
        await db.insertInto('crontab_plan').values(row).execute()
      }
    },
  },
}
