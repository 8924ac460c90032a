import type { ExpressionBuilder, Kysely } from 'kysely'
import { entryOf, type FileEntry, type StoragePlace } from './file-entry.ts'
import type { RecordingTables } from './recording-tables.ts'

type DeletableFilter = {
  /** All unless given. */
  readonly types?: readonly string[] | undefined
  /** Those that ended before this. */
  readonly beforeMs?: number
  readonly storage: StoragePlace
  /** But those of these ids. */
  readonly except: readonly number[]
  readonly limit: number
}

/** The files that may go by themselves: the oldest first, without those of events of a high level. */
export class DeletableFiles {
  readonly #db: Kysely<RecordingTables>

  constructor(db: Kysely<RecordingTables>) {
    this.#db = db
  }

  async find({ types, beforeMs, storage, except, limit }: DeletableFilter): Promise<FileEntry[]> {
    if (types?.length === 0) return []
    const rows = await this.#db
      .selectFrom('sluice_recording')
      .selectAll()
      .where('is_active', '=', 0)
      .where('event_level', '<>', 'high')
      .$if(types !== undefined, (query) => query.where('type', 'in', types ?? []))
      // A file that was gone on with is as old as its last part.
      .$if(beforeMs !== undefined, (query) =>
        query.where('end_ms', '<', beforeMs ?? 0).where('created_ms', '<', beforeMs ?? 0),
      )
      .$if(except.length > 0, (query) => query.where('id', 'not in', except))
      .where('storage', '=', storage)
      .where((builder) => builder.not(builder.exists(importantEvents(builder))))
      .orderBy('start_ms')
      .limit(limit)
      .execute()
    return rows.map(entryOf)
  }

  /** Forgets the events of a low level that ended before a time. */
  async forgetEvents(types: readonly string[], beforeMs: number): Promise<void> {
    if (types.length === 0) return
    await this.#db
      .deleteFrom('sluice_recording_event')
      .where('type', 'in', types)
      .where('event_level', '<>', 'high')
      .where('end_ms', '<', beforeMs)
      .execute()
  }
}

/** The events of a high level that a file has something of. */
function importantEvents(builder: ExpressionBuilder<RecordingTables, 'sluice_recording'>) {
  return builder
    .selectFrom('sluice_recording_event as event')
    .select('event.id')
    .whereRef('event.type', '=', 'sluice_recording.type')
    .whereRef('event.stream_path', '=', 'sluice_recording.stream_path')
    .whereRef('event.start_ms', '<=', 'sluice_recording.end_ms')
    .whereRef('event.end_ms', '>=', 'sluice_recording.start_ms')
    .where('event.event_level', '=', 'high')
}
