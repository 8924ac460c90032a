import type { Generated, Migration } from 'sluice/sdk'

/** The row of a stored event. */
export type AlarmRow = {
  readonly id: Generated<number>
  readonly server_info: string
  readonly stream_name: string
  readonly stream_path: string
  readonly name: string
  readonly type: number
  readonly description: string
  readonly file_path: string
  /** 1 when the event's web service has accepted it, else 0. */
  readonly is_sent: number
  readonly created_ms: number
  readonly updated_ms: number
}

export type AlarmTables = { sluice_alarm: AlarmRow }

export const ALARM_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-alarms': {
    async up(db) {
      await db.schema
        .createTable('sluice_alarm')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('server_info', 'text', (column) => column.notNull())
        .addColumn('stream_name', 'text', (column) => column.notNull())
        .addColumn('stream_path', 'text', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('type', 'integer', (column) => column.notNull())
        .addColumn('description', 'text', (column) => column.notNull())
        .addColumn('file_path', 'text', (column) => column.notNull())
        .addColumn('is_sent', 'integer', (column) => column.notNull())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .addColumn('updated_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('sluice_alarm_created').on('sluice_alarm').column('created_ms').execute()
    },
  },
}
