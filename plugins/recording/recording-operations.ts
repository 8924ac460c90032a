import {
  Int64,
  pagedRecords,
  RecordCatalog,
  recordCatalogView,
  RecordDeletion,
  recordDeletionFilter,
  RecordFile,
  recordFileView,
  recordFilter,
  recordPageOf,
  RecordQuery,
  recordType,
  StreamPath,
  StreamPaths,
  Type,
  type OperationRegistry,
  type RecordedEvent,
  type Recordings,
  type Static,
} from 'sluice/sdk'

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

const { id, filePath, streamPath, startTime, endTime } = RecordFile.properties

/** `EventRecordFile` of the API. */
const EventRecordFile = Type.Object({
  id,
  filePath,
  streamPath,
  startTime,
  endTime,
  eventId: Type.String(),
  eventLevel: Type.String({ description: 'high: it stays until somebody deletes it; low' }),
  eventName: Type.String(),
  eventDesc: Type.String(),
})

/** The operations of recordings of any type (api.md 3.1 and 3.2). */
export function addRecordingOperations(operations: OperationRegistry, recordings: Recordings): void {
  operations.add({
    method: 'GET',
    path: '/api/record/list',
    summary: 'List of active recordings',
    answer: Type.Array(Recording),
    paged: true,
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
    params: Type.Object({
      type: Type.String({ description: 'mp4, flv, hls (ts), hlsv7 (fmp4), or any for those of all' }),
    }),
    query: Type.Object({
      search: Type.Optional(Type.String({ description: 'Streams alone whose path has this text in it, in any case' })),
    }),
    answer: Type.Array(RecordCatalog),
    paged: true,
    async handle({ params: { type }, query: { search = '' } }) {
      const entries = await recordings.catalogue(type === 'any' ? undefined : recordType(type))
      const text = search.toLowerCase()
      return entries.filter(({ streamPath }) => streamPath.toLowerCase().includes(text)).map(recordCatalogView)
    },
  })

  operations.add({
    method: 'GET',
    path: '/api/record/{type}/list/{streamPath}',
    aliases: ['GET /api/record/{type}/list'],
    summary: 'Query recordings',
    params: SOME_STREAMS,
    query: RecordQuery,
    answer: pagedRecords(RecordFile),
    wire: 'fields',
    async handle({ params: { type, streamPath }, query }) {
      const { page, ...paging } = recordPageOf(query)
      const { total, files } = await recordings.list(recordFilter(query, type, streamPath), page)
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
    answer: pagedRecords(EventRecordFile),
    wire: 'fields',
    async handle({ params: { type, streamPath }, query }) {
      const { page, ...paging } = recordPageOf(query)
      const { total, events } = await recordings.listEvents(recordFilter(query, type, streamPath), page)
      return { total, ...paging, data: events.map(eventRecordFileView) }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/record/{type}/delete/{streamPath}',
    summary: 'Delete recording',
    params: ONE_STREAM,
    body: RecordDeletion,
    answer: Type.Array(RecordFile),
    async handle({ params: { type, streamPath }, body }) {
      const deleted = await recordings.remove(recordDeletionFilter(body, type, streamPath))
      return deleted.map(recordFileView)
    },
  })
}

/** An event as the API shows it. */
function eventRecordFileView(event: RecordedEvent): Static<typeof EventRecordFile> {
  return {
    id: event.id,
    filePath: event.filePath,
    streamPath: event.streamPath,
    startTime: new Date(event.startMs).toISOString(),
    endTime: new Date(event.endMs).toISOString(),
    eventId: event.eventId,
    eventLevel: event.eventLevel,
    eventName: event.eventName,
    eventDesc: event.eventDesc,
  }
}
