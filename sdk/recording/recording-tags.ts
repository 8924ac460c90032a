import type { ListedPage } from './recorded-file.ts'

/** A mark at a time of a stream. Times are milliseconds since the Unix epoch. */
export type RecordingTag = {
  readonly id: number
  readonly tagName: string
  readonly streamPath: string
  readonly tagMs: number
  readonly createdMs: number
  readonly updatedMs: number
}

/** The fields of a tag that a client sets. */
export type TagInit = Pick<RecordingTag, 'tagName' | 'streamPath' | 'tagMs'>

/** A filter of tags; a field that is not set matches all. */
export type TagFilter = {
  /** A path, in which each `*` stands for any text. */
  readonly streamPath?: string | undefined
  /** A part of the name, or all of it with `*` for any text. */
  readonly tagName?: string | undefined
  readonly startMs?: number | undefined
  readonly endMs?: number | undefined
}

/** The tags of recordings: named marks at times of streams. Its functions reject with {@link StoreUnavailable} without a database. */
export interface RecordingTags {
  /** @throws {InvalidRequest} the path is not valid */
  add(init: TagInit): Promise<RecordingTag>
  /** Changes the given fields. @throws {SluiceError} 404: there is no tag with this id */
  update(id: number, changes: Partial<TagInit>): Promise<RecordingTag>
  /** @throws {SluiceError} 404: there is no tag with this id */
  remove(id: number): Promise<void>
  /** Returns the tags, the newest first, and their total number. */
  list(filter: TagFilter, page: ListedPage): Promise<{ readonly total: number; readonly tags: RecordingTag[] }>
}
