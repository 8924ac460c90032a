import type { EndedTask, Generated, Migration } from 'sluice/sdk'

/** A run of the server. */
type RunRow = {
  readonly id: Generated<number>
  readonly pid: number
  readonly args: string
  readonly start_ms: number
  /** The end of the run; 0 while it goes on, and after a crash. */
  readonly end_ms: number
}

/** A task that has ended. */
export type TaskRow = {
  /** The number of the row. */
  readonly id: Generated<number>
  /** The id of the run. */
  readonly session_id: number
  /** The id that the task had in its run. */
  readonly task_id: number
  readonly parent_id: number
  /** The kind; the rows of each kind have a bound of their own. */
  readonly kind: EndedTask['kind']
  readonly type: number
  readonly owner: string
  readonly start_ms: number
  readonly end_ms: number
  /** A JSON object of texts. */
  readonly description: string
  readonly reason: string
}

export type HistoryTables = { sluice_monitor_run: RunRow; sluice_monitor_task: TaskRow }

export const HISTORY_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-monitor': {
    async up(db) {
      await db.schema
        .createTable('sluice_monitor_run')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('pid', 'integer', (column) => column.notNull())
        .addColumn('args', 'text', (column) => column.notNull())
        .addColumn('start_ms', 'bigint', (column) => column.notNull())
        .addColumn('end_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('sluice_monitor_task')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('session_id', 'bigint', (column) => column.notNull())
        .addColumn('task_id', 'bigint', (column) => column.notNull())
        .addColumn('parent_id', 'bigint', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('type', 'integer', (column) => column.notNull())
        .addColumn('owner', 'text', (column) => column.notNull())
        .addColumn('start_ms', 'bigint', (column) => column.notNull())
        .addColumn('end_ms', 'bigint', (column) => column.notNull())
        .addColumn('description', 'text', (column) => column.notNull())
        .addColumn('reason', 'text', (column) => column.notNull())
        .execute()
      for (const column of ['session_id', 'kind'] as const) {
        await db.schema
          .createIndex(`sluice_monitor_task_${column}`)
          .on('sluice_monitor_task')
          .columns([column, 'id'])
          .execute()
      }
    },
  },
}
