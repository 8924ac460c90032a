import { Type, type Static } from 'typebox'
import { Int64 } from '../plugin/operation-values.ts'
import { parseTimeRange, TIME_RANGE } from '../plugin/time-range.ts'
import type { EventLevel, ListedPage, RecordedFile } from './recorded-file.ts'
import type { CatalogueEntry, RecordedFilter } from './recordings.ts'

/** The most files of an answer. */
const MAX_PAGE_SIZE = 10_000
const DEFAULT_PAGE_SIZE = 10

const Time = () => Type.String({ format: 'date-time' })

/** `RecordFile` of the API (api.md 3.3). */
export const RecordFile = Type.Object({
  id: Type.Integer(),
  filePath: Type.String(),
  streamPath: Type.String(),
  startTime: Time(),
  endTime: Time(),
  filename: Type.String({ description: 'The last part of filePath' }),
  type: Type.String(),
  duration: Type.Integer({ description: 'In milliseconds' }),
  audioCodec: Type.String(),
  videoCodec: Type.String(),
  createdAt: Time(),
  size: Int64(),
  isActive: Type.Boolean({ description: 'It is being written' }),
})

/** `Catalog` of the API. */
export const RecordCatalog = Type.Object({
  streamPath: Type.String(),
  type: Type.String(),
  count: Type.Integer(),
  size: Int64(),
  startTime: Time(),
  endTime: Time(),
})

const Page = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9, description }))

/** The query of lists of recordings. */
export const RecordQuery = Type.Object({
  ...TIME_RANGE,
  pageNum: Page('From 1'),
  pageSize: Page(`${DEFAULT_PAGE_SIZE} unless given, at most ${MAX_PAGE_SIZE}`),
  mode: Type.Optional(Type.String({ description: 'auto or event' })),
  recordMode: Type.Optional(Type.String({ description: 'As mode, by number: 0 auto, 1 event' })),
  eventLevel: Type.Optional(Type.String({ description: 'high (0) or low (1)' })),
})
export type RecordQuery = Static<typeof RecordQuery>

/** The body of a request that deletes recordings: by ids, or by a time. */
export const RecordDeletion = Type.Object({
  ids: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), { maxItems: MAX_PAGE_SIZE })),
  startTime: Type.Optional(Type.String()),
  endTime: Type.Optional(Type.String()),
  range: Type.Optional(Type.String()),
})
export type RecordDeletion = Static<typeof RecordDeletion>

/** Returns the schema of a list's answer: a page of its items, with the total number of items. */
export function pagedRecords<Item extends ReturnType<typeof Type.Object>>(item: Item) {
  return Type.Object({
    total: Type.Integer(),
    pageNum: Type.Integer(),
    pageSize: Type.Integer(),
    data: Type.Array(item),
  })
}

/** Returns the page of a list that a query asks for: its number and size for the answer, and `page` for `Recordings`. */
export function recordPageOf({ pageNum, pageSize }: Pick<RecordQuery, 'pageNum' | 'pageSize'>) {
  const number = pageNum || 1
  const size = Math.min(pageSize || DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE)
  const page: ListedPage = { limit: size, offset: (number - 1) * size }
  return { pageNum: number, pageSize: size, page }
}

/**
 * Returns the filter of the recordings that a query asks for.
 * @param type the type as clients call it; see {@link recordType}
 * @throws {InvalidRequest} for a malformed time
 */
export function recordFilter(query: RecordQuery, type: string, streamPath: string | undefined): RecordedFilter {
  const { mode, recordMode, eventLevel, ...range } = query
  const isRange = [range.range, range.start, range.end].some((text) => text !== undefined && text !== '')
  const { startMs, endMs } = parseTimeRange(range, Date.now())
  const asked = mode ?? (recordMode === undefined ? undefined : recordMode === '1' ? 'event' : 'auto')
  return {
    type: recordType(type),
    ...(streamPath !== undefined && { streamPath }),
    ...(isRange && { startMs, endMs }),
    ...((asked === 'auto' || asked === 'event') && { mode: asked }),
    ...(eventLevel !== undefined && { eventLevel: eventLevelOf(eventLevel) }),
  }
}

/**
 * Returns the filter of the recordings that a body asks to delete.
 * @throws {InvalidRequest} for a malformed time
 */
export function recordDeletionFilter(body: RecordDeletion, type: string, streamPath: string): RecordedFilter {
  const { ids, startTime = '', endTime = '', range = '' } = body
  const isRange = startTime !== '' || endTime !== '' || range !== ''
  const { startMs, endMs } = parseTimeRange({ start: startTime, end: endTime, range }, Date.now())
  return { type: recordType(type), streamPath, ...(ids !== undefined && { ids }), ...(isRange && { startMs, endMs }) }
}

/** Returns the type of recordings that a client names: older clients call that of MPEG-TS `ts`, and that of fragmented MP4 `fmp4`. */
export function recordType(type: string): string {
  if (type === 'ts') return 'hls'
  return type === 'fmp4' ? 'hlsv7' : type
}

/** Returns `high` for `0` and `high`, `low` for everything else (api.md 6). */
function eventLevelOf(text: string): EventLevel {
  return text === '0' || text.toLowerCase() === 'high' ? 'high' : 'low'
}

/** A file of a recording as the API shows it. */
export function recordFileView(file: RecordedFile): Static<typeof RecordFile> {
  const { id, filePath, streamPath, type, startMs, endMs, createdMs, audioCodec, videoCodec, isActive } = file
  return {
    id,
    filePath,
    streamPath,
    startTime: isoTime(startMs),
    endTime: isoTime(endMs),
    filename: filePath.slice(filePath.lastIndexOf('/') + 1),
    type,
    duration: endMs - startMs,
    audioCodec,
    videoCodec,
    createdAt: isoTime(createdMs),
    size: file.sizeBytes,
    isActive,
  }
}

/** A stream with recordings as the API shows it. */
export function recordCatalogView(entry: CatalogueEntry): Static<typeof RecordCatalog> {
  const { streamPath, type, count, sizeBytes, startMs, endMs } = entry
  return { streamPath, type, count, size: sizeBytes, startTime: isoTime(startMs), endTime: isoTime(endMs) }
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}
