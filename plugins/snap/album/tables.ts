import type { Generated, Migration } from 'sluice/sdk'

/** The plugin's tables. */
export type Tables = {
  snap_picture: {
    id: Generated<number>
    stream_path: string
    /** The time at which it was taken, in milliseconds since the Unix epoch. */
    at_ms: number
    /** The reason for which it was taken: see `PICTURE_MODE`. */
    mode: number
    /** Its path below the root of the storage. */
    file_path: string
  }
}

/** The migrations that create the tables. */
export const TABLES: Readonly<Record<string, Migration>> = {
  '001-picture': {
    async up(db) {
      await db.schema
        .createTable('snap_picture')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('stream_path', 'text', (column) => column.notNull())
        .addColumn('at_ms', 'bigint', (column) => column.notNull())
        .addColumn('mode', 'integer', (column) => column.notNull())
        .addColumn('file_path', 'text', (column) => column.notNull().unique())
        .execute()
      await db.schema.createIndex('snap_picture_time').on('snap_picture').columns(['stream_path', 'at_ms']).execute()
    },
  },
}
