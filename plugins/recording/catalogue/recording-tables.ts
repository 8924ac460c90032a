import type { Migration } from 'kysely/migration'
import type { Generated } from 'sluice/sdk'

/** A file, finished or not. Times are Unix milliseconds. */
export type RecordingRow = {
  readonly id: Generated<number>
  readonly type: string
  readonly stream_path: string
  readonly file_path: string
  /** The place of the file: see `StoragePlace`. */
  readonly storage: string
  /** 1 while it is being written. */
  readonly is_active: number
  readonly start_ms: number
  readonly end_ms: number
  readonly size_bytes: number
  readonly head_bytes: number
  /** The cuts, in milliseconds of the file, ascending and separated by commas. */
  readonly cuts: string
  /** See `RecordedFile.clockMs`. */
  readonly clock_ms: number
  readonly video_codec: string
  readonly audio_codec: string
  readonly mode: string
  readonly event_id: string
  readonly event_name: string
  readonly event_desc: string
  readonly event_level: string
  readonly created_ms: number
}

/** An event: a part of the recordings of a stream. */
export type RecordingEventRow = {
  readonly id: Generated<number>
  readonly type: string
  readonly stream_path: string
  readonly file_path: string
  readonly start_ms: number
  readonly end_ms: number
  readonly event_id: string
  readonly event_name: string
  readonly event_desc: string
  readonly event_level: string
}

/** A mark at a time of a stream. */
export type RecordingTagRow = {
  readonly id: Generated<number>
  readonly name: string
  readonly stream_path: string
  readonly time_ms: number
  readonly created_ms: number
  readonly updated_ms: number
}

export type RecordingTables = {
  sluice_recording: RecordingRow
  sluice_recording_event: RecordingEventRow
  sluice_recording_tag: RecordingTagRow
}

export const RECORDING_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-recordings': {
    async up(db) {
      await db.schema
        .createTable('sluice_recording')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('stream_path', 'text', (column) => column.notNull())
        .addColumn('file_path', 'text', (column) => column.notNull())
        .addColumn('storage', 'text', (column) => column.notNull())
        .addColumn('is_active', 'integer', (column) => column.notNull())
        .addColumn('start_ms', 'bigint', (column) => column.notNull())
        .addColumn('end_ms', 'bigint', (column) => column.notNull())
        .addColumn('size_bytes', 'bigint', (column) => column.notNull())
        .addColumn('head_bytes', 'integer', (column) => column.notNull())
        .addColumn('cuts', 'text', (column) => column.notNull())
        .addColumn('video_codec', 'text', (column) => column.notNull())
        .addColumn('audio_codec', 'text', (column) => column.notNull())
        .addColumn('mode', 'text', (column) => column.notNull())
        .addColumn('event_id', 'text', (column) => column.notNull())
        .addColumn('event_name', 'text', (column) => column.notNull())
        .addColumn('event_desc', 'text', (column) => column.notNull())
        .addColumn('event_level', 'text', (column) => column.notNull())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .execute()
      const ofStream = ['type', 'stream_path', 'start_ms', 'end_ms']
      await db.schema.createIndex('sluice_recording_stream').on('sluice_recording').columns(ofStream).execute()
      await db.schema.createIndex('sluice_recording_start').on('sluice_recording').column('start_ms').execute()
      await db.schema.createIndex('sluice_recording_file').on('sluice_recording').column('file_path').execute()
      await db.schema.createIndex('sluice_recording_active').on('sluice_recording').column('is_active').execute()
      await db.schema
        .createTable('sluice_recording_event')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('type', 'text', (column) => column.notNull())
        .addColumn('stream_path', 'text', (column) => column.notNull())
        .addColumn('file_path', 'text', (column) => column.notNull())
        .addColumn('start_ms', 'bigint', (column) => column.notNull())
        .addColumn('end_ms', 'bigint', (column) => column.notNull())
        .addColumn('event_id', 'text', (column) => column.notNull())
        .addColumn('event_name', 'text', (column) => column.notNull())
        .addColumn('event_desc', 'text', (column) => column.notNull())
        .addColumn('event_level', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('sluice_recording_event_stream')
        .on('sluice_recording_event')
        .columns(ofStream)
        .execute()
      await db.schema
        .createTable('sluice_recording_tag')
        .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('stream_path', 'text', (column) => column.notNull())
        .addColumn('time_ms', 'bigint', (column) => column.notNull())
        .addColumn('created_ms', 'bigint', (column) => column.notNull())
        .addColumn('updated_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('sluice_recording_tag_stream')
        .on('sluice_recording_tag')
        .columns(['stream_path', 'time_ms'])
        .execute()
    },
  },
  '002-clock': {
    async up(db) {
      await db.schema
        .alterTable('sluice_recording')
        .addColumn('clock_ms', 'bigint', (column) => column.notNull().defaultTo(0))
        .execute()
    },
  },
}
