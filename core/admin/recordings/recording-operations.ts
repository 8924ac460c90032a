import { Int64, StreamPath, StreamPaths, Type, type OperationRegistry, type Recordings } from 'sluice/sdk'
import {
  Catalog,
  catalogView,
  DeleteBody,
  deletionFilter,
  EventRecordFile,
  eventRecordFileView,
  filterOf,
  pagedAnswer,
  pageOf,
  RecordFile,
  recordFileView,
  RecordQuery,
  recordType,
} from 'sluice/sdk/host'

const ONE_TYPE = { type: Type.String({ description: 'mp4, flv, hls (ts) or hlsv7 (fmp4)' }) }
const ONE_STREAM = Type.Object({ ...ONE_TYPE, streamPath: StreamPath() })
const SOME_STREAMS = Type.Object({ ...ONE_TYPE, streamPath: Type.Optional(StreamPaths()) })

/** `Recording` of the API (api.md 3.3). */
const Recording = Type.Object({
  streamPath: Type.String(),
  startTime: Type.String({ format: 'date-time' }),
  type: Type.String(),
  pointer: Int64(),
})

/** The operations of recordings of any type (api.md 3.1 and 3.2). */
export function addRecordingOperations(operations: OperationRegistry, recordings: Recordings): void {
  operations.add({
    method: 'GET',
    path: '/api/record/list',
    summary: 'List of active recordings',
    answer: Type.Array(Recording),
    reach: 'all',
    handle: () =>
      recordings.active().map(({ streamPath, startMs, type, taskId }) => ({
        streamPath,
        startTime: new Date(startMs).toISOString(),
        type,
        pointer: taskId,
      })),
  })

  operations.add({
    method: 'GET',
    path: '/api/record/{type}/catalog',
    summary: 'Get recording directory',
    params: Type.Object(ONE_TYPE),
    answer: Type.Array(Catalog),
    handle: async ({ params: { type } }) => (await recordings.catalogue(recordType(type))).map(catalogView),
  })

  operations.add({
    method: 'GET',
    path: '/api/record/{type}/list/{streamPath}',
    aliases: ['GET /api/record/{type}/list'],
    summary: 'Query recordings',
    params: SOME_STREAMS,
    query: RecordQuery,
    answer: pagedAnswer(RecordFile),
    wire: 'fields',
    async handle({ params: { type, streamPath }, query }) {
      const { page, ...paging } = pageOf(query)
      const { total, files } = await recordings.list(filterOf(query, type, streamPath), page)
      return { total, ...paging, data: files.map(recordFileView) }
    },
  })

  operations.add({
    method: 'GET',
    path: '/api/record/{type}/event/list/{streamPath}',
    aliases: ['GET /api/record/{type}/event/list'],
    summary: 'List event recordings',
    params: SOME_STREAMS,
    query: RecordQuery,
    answer: pagedAnswer(EventRecordFile),
    wire: 'fields',
    async handle({ params: { type, streamPath }, query }) {
      const { page, ...paging } = pageOf(query)
      const { total, events } = await recordings.listEvents(filterOf(query, type, streamPath), page)
      return { total, ...paging, data: events.map(eventRecordFileView) }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/record/{type}/delete/{streamPath}',
    summary: 'Delete recording',
    params: ONE_STREAM,
    body: DeleteBody,
    answer: Type.Array(RecordFile),
    async handle({ params: { type, streamPath }, body }) {
      const deleted = await recordings.remove(deletionFilter(body, type, streamPath))
      return deleted.map(recordFileView)
    },
  })
}
