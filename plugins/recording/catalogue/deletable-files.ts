import type { ExpressionBuilder, Kysely } from 'kysely'
import { entryOf, type FileEntry, type StoragePlace } from './file-entry.ts'
import type { RecordingTables } from './recording-tables.ts'

type DeletableFilter = {
  /** The types of the files; all types unless given. */
  readonly types?: readonly string[] | undefined
  /** Finds only files that ended before this time, in Unix milliseconds. */
  readonly beforeMs?: number
  readonly storage: StoragePlace
  /** The ids of files that are left out. */
  readonly except: readonly number[]
  readonly limit: number
}

/** Finds the files that may be deleted automatically: the oldest first, without those of events of a high level. */
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
      // A file that was continued is as old as its last part.
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

  /** Deletes the rows of events of a low level that ended before a time. */
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

/** Selects the events of a high level that overlap a file in time. */
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
