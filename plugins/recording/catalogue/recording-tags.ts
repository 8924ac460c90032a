import type { Kysely } from 'kysely'
import {
  checkStreamPath,
  SluiceError,
  type ListedPage,
  type RecordingTag,
  type RecordingTags as Tags,
  type TagFilter,
  type TagInit,
} from 'sluice/sdk'
import { pathCondition } from './recording-filter.ts'
import type { RecordingTables, RecordingTagRow } from './recording-tables.ts'

class TagNotFound extends SluiceError {
  constructor() {
    super('TAG_NOT_FOUND', 404, 'not found')
  }
}

/** The tags: named marks at times of streams. Its functions reject with `StoreUnavailable`. */
export class RecordingTags implements Tags {
  readonly #db: Kysely<RecordingTables>

  constructor(db: Kysely<RecordingTables>) {
    this.#db = db
  }

  /** @throws {InvalidRequest} the path is no stream path */
  async add({ tagName, streamPath, tagMs }: TagInit): Promise<RecordingTag> {
    const nowMs = Date.now()
    const path = checkStreamPath(streamPath)
    const values = { name: tagName, stream_path: path, time_ms: tagMs, created_ms: nowMs, updated_ms: nowMs }
    const inserted = await this.#db.insertInto('sluice_recording_tag').values(values).returningAll().execute()
    return tagOf(inserted[0]!)
  }

  /** Changes the given properties of a tag. @throws {TagNotFound} */
  async update(id: number, { tagName, streamPath, tagMs }: Partial<TagInit>): Promise<RecordingTag> {
    const updated = await this.#db
      .updateTable('sluice_recording_tag')
      .set({
        updated_ms: Date.now(),
        ...(tagName !== undefined && { name: tagName }),
        ...(streamPath !== undefined && { stream_path: checkStreamPath(streamPath) }),
        ...(tagMs !== undefined && { time_ms: tagMs }),
      })
      .where('id', '=', id)
      .returningAll()
      .execute()
    const [row] = updated
    if (row === undefined) throw new TagNotFound()
    return tagOf(row)
  }

  /** @throws {TagNotFound} */
  async remove(id: number): Promise<void> {
    const deleted = await this.#db.deleteFrom('sluice_recording_tag').where('id', '=', id).returning('id').execute()
    if (deleted.length === 0) throw new TagNotFound()
  }

  /** Returns a page of the matching tags, the newest first. */
  async list(filter: TagFilter, page: ListedPage): Promise<{ total: number; tags: RecordingTag[] }> {
    const { streamPath, tagName, startMs, endMs } = filter
    const named = tagName === undefined || tagName.includes('*') ? tagName : `*${tagName}*`
    const matching = this.#db
      .selectFrom('sluice_recording_tag')
      .where((builder) =>
        builder.and([
          ...(streamPath === undefined ? [] : [pathCondition(builder, 'stream_path', streamPath)]),
          ...(named === undefined ? [] : [pathCondition(builder, 'name', named)]),
          ...(startMs === undefined ? [] : [builder('time_ms', '>=', startMs)]),
          ...(endMs === undefined ? [] : [builder('time_ms', '<=', endMs)]),
        ]),
      )
    const counted = await matching.select(({ fn }) => fn.countAll().as('total')).executeTakeFirst()
    const rows = await matching
      .selectAll()
      .orderBy('time_ms', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute()
    return { total: Number(counted?.total ?? 0), tags: rows.map(tagOf) }
  }
}

type StoredTag = Omit<RecordingTagRow, 'id'> & { readonly id: number }

function tagOf({ id, name, stream_path, time_ms, created_ms, updated_ms }: StoredTag): RecordingTag {
  return {
    id,
    tagName: name,
    streamPath: stream_path,
    tagMs: time_ms,
    createdMs: created_ms,
    updatedMs: updated_ms,
  }
}
