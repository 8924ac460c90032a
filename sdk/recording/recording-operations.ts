import { Type } from 'typebox'
import { StreamUnavailable } from '../errors/stream-errors.ts'
import type { PluginContext } from '../plugin/context.ts'
import { DurationText, Int64, parseDurationText, StreamPath, StreamPaths } from '../plugin/operation-values.ts'
import {
  RecordCatalog,
  recordCatalogView,
  RecordDeletion,
  recordDeletionFilter,
  recordFilter,
  pagedRecords,
  recordPageOf,
  RecordFile,
  recordFileView,
  RecordQuery,
} from './recording-schemas.ts'
import type { Recordings } from './recordings.ts'

/** The duration of the files of a recording that an operator starts. */
const DEFAULT_FRAGMENT = '1m'

const ONE_STREAM = Type.Object({ streamPath: StreamPath() })
const SOME_STREAMS = Type.Object({ streamPath: Type.Optional(StreamPaths()) })
const OF_STREAM = { stream: 'streamPath' } as const

const StartBody = Type.Object({
  fragment: Type.Optional(DurationText()),
  filePath: Type.Optional(Type.String({ maxLength: 512, description: 'Folder below that of storage' })),
  fileName: Type.Optional(
    Type.String({ maxLength: 200, description: 'Without ending; {stream}, {date}, {time} in it' }),
  ),
  duration: Type.Optional(DurationText()),
})

/**
 * Adds the operations of a plugin that records, below its mount (api.md 6 and 8.1): `api/start/…`, `api/stop/…`, `api/list/…`,
 * `api/catalog` and `api/delete/…`.
 * @param type the type of its recordings
 */
export function addRecordingOperations(
  { operations, services }: Pick<PluginContext<unknown>, 'operations' | 'services'>,
  type: string,
): void {
  const recordings = () => recordingsOf(services.get('recordings'))
  operations.add({
    method: 'POST',
    path: 'api/start/{streamPath}',
    aliases: ['start/{streamPath}'],
    summary: 'Start recording a stream',
    params: ONE_STREAM,
    body: StartBody,
    answer: Int64(),
    reach: OF_STREAM,
    async handle({ params: { streamPath }, body }) {
      const { fragment = DEFAULT_FRAGMENT, duration = 0, filePath, fileName } = body
      const { taskId } = await recordings().start({
        type,
        streamPath,
        ...(filePath !== undefined && { filePath }),
        ...(fileName !== undefined && fileName !== '' && { fileName }),
        fragmentMs: parseDurationText('fragment', fragment),
        durationMs: parseDurationText('duration', duration),
      })
      return taskId
    },
  })

  operations.add({
    method: 'POST',
    path: 'api/stop/{streamPath}',
    aliases: ['stop/{streamPath}'],
    summary: 'Stop recording a stream',
    params: ONE_STREAM,
    answer: Int64(),
    reach: OF_STREAM,
    async handle({ params: { streamPath } }) {
      const [stopped] = await recordings().stop(type, streamPath)
      return stopped?.taskId ?? 0
    },
  })

  operations.add({
    method: 'GET',
    path: 'api/list/{streamPath}',
    aliases: ['GET api/list'],
    summary: 'Query recordings',
    params: SOME_STREAMS,
    query: RecordQuery,
    answer: pagedRecords(RecordFile),
    wire: 'fields',
    async handle({ params: { streamPath }, query }) {
      const { page, ...paging } = recordPageOf(query)
      const { total, files } = await recordings().list(recordFilter(query, type, streamPath), page)
      return { total, ...paging, data: files.map(recordFileView) }
    },
  })

  operations.add({
    method: 'GET',
    path: 'api/catalog',
    summary: 'The streams that have recordings',
    answer: Type.Array(RecordCatalog),
    handle: async () => (await recordings().catalogue(type)).map(recordCatalogView),
  })

  operations.add({
    method: 'POST',
    path: 'api/delete/{streamPath}',
    summary: 'Delete recordings',
    params: ONE_STREAM,
    body: RecordDeletion,
    answer: Type.Array(RecordFile),
    async handle({ params: { streamPath }, body }) {
      return (await recordings().remove(recordDeletionFilter(body, type, streamPath))).map(recordFileView)
    },
  })
}

/** @throws {StreamUnavailable} the server records nothing, as when it is stopping */
function recordingsOf(recordings: Recordings | undefined): Recordings {
  if (recordings === undefined) throw new StreamUnavailable('the server records nothing')
  return recordings
}
