import {
  StreamNotFound,
  StreamPath,
  Type,
  type AnswerList,
  type OperationAnswer,
  type OperationRegistry,
  type Static,
  viewedList,
} from 'sluice/sdk'
import type { StreamRegistry } from '../../stream/registry.ts'
import type { Stream } from '../../stream/stream.ts'
import type { StreamSubscriber } from '../../stream/stream-subscriber.ts'
import { subscriberInfo } from '../../stream/subscriber-info.ts'
import { STOPPED } from './stream-operations.ts'
import { streamsFound, StreamSearch } from './stream-search.ts'
import { streamView } from './stream-views.ts'

const ONE_STREAM = Type.Object({ streamPath: StreamPath() })
const PAGE = Type.Object({
  page: Type.Integer({ default: 1, minimum: 1, maximum: 1e9 }),
  per_page: Type.Integer({ default: 20, minimum: 1, maximum: 1000 }),
})
const Meta = Type.Object({ page: Type.Integer(), per_page: Type.Integer(), total: Type.Integer() })

const TRACK = { codec: Type.String(), bps: Type.Integer(), fps: Type.Number() }
const V6Stream = Type.Object({
  path: Type.String(),
  state: Type.Integer({ description: 'As `state` of /api/stream/list' }),
  subscribers: Type.Integer(),
  start_time_ms: Type.Integer({ description: 'Unix milliseconds' }),
  plugin_name: Type.String(),
  stream_type: Type.String(),
  video_track: Type.Union([Type.Object({ ...TRACK, width: Type.Integer(), height: Type.Integer() }), Type.Null()]),
  audio_track: Type.Union([
    Type.Object({ ...TRACK, sample_rate: Type.Integer(), channels: Type.Integer() }),
    Type.Null(),
  ]),
})

const V6Subscriber = Type.Object({
  id: Type.Integer(),
  stream_path: Type.String(),
  subscriber_type: Type.String(),
  plugin_name: Type.String(),
  remote_addr: Type.String(),
  start_time_ms: Type.Integer({ description: 'Unix milliseconds' }),
})

/** The operations of streams for clients of version 6 (api.md 10): bare, in snake_case, with problem details as errors. */
export function addV6Operations(operations: OperationRegistry, streams: StreamRegistry): void {
  const wire = { wire: 'bare', errors: 'problem' } as const
  /** @throws {StreamNotFound} */
  const published = (streamPath: string): Stream => {
    const stream = streams.get(streamPath)
    if (stream === undefined) throw new StreamNotFound(`there is no stream ${streamPath}`)
    return stream
  }
  const viewOf = (stream: Stream) => v6Stream(stream, streams)

  operations.add({
    method: 'GET',
    path: '/v6/api/streams',
    summary: 'Streams, page by page',
    query: Type.Object({ ...PAGE.properties, ...StreamSearch.properties }),
    answer: Type.Object({ data: Type.Array(V6Stream), meta: Meta }),
    ...wire,
    reach: { all: joinedPages },
    handle: ({ query: { search, ...page } }) =>
      pageOf(viewedList(streamsFound(streams.index.published, search), viewOf), page),
  })

  operations.add({
    method: 'GET',
    path: '/v6/api/streams/{streamPath}',
    summary: 'One stream',
    params: ONE_STREAM,
    answer: V6Stream,
    ...wire,
    reach: { stream: 'streamPath' },
    handle: ({ params: { streamPath } }) => viewOf(published(streamPath)),
  })

  operations.add({
    method: 'DELETE',
    path: '/v6/api/streams/{streamPath}',
    summary: 'Stop a stream',
    params: ONE_STREAM,
    errors: 'problem',
    wire: 'empty',
    reach: { stream: 'streamPath' },
    handle: ({ params: { streamPath } }) => published(streamPath).publisher?.close(STOPPED),
  })

  operations.add({
    method: 'GET',
    path: '/v6/api/streams/{streamPath}/subscribers',
    summary: 'Subscribers of a stream, page by page; the path is percent-encoded',
    params: ONE_STREAM,
    query: PAGE,
    answer: Type.Object({ data: Type.Array(V6Subscriber), meta: Meta }),
    ...wire,
    reach: { all: joinedPages },
    handle: ({ params: { streamPath }, query }) =>
      pageOf(viewedList(published(streamPath).subscribers, v6Subscriber), query),
  })
}

type Page = Static<typeof PAGE>
type Paged<Item> = { readonly data: readonly Item[]; readonly meta: Page & { readonly total: number } }

function pageOf<Item>(list: AnswerList<Item>, { page, per_page }: Page) {
  const data = list.slice((page - 1) * per_page, page * per_page)
  return { data, meta: { page, per_page, total: list.length } }
}

/** Joins the pages of all processes: a page has a part of each process's list, so that every item is on one of them. */
function joinedPages<Item>(pages: readonly OperationAnswer<Paged<Item>>[]): OperationAnswer<Paged<Item>> {
  const total = pages.reduce((sum, { meta }) => sum + (meta?.total ?? 0), 0)
  return { data: pages.flatMap(({ data = [] }) => data), meta: { ...pages[0]?.meta, total } }
}

function v6Stream(stream: Stream, { mergeWindow }: StreamRegistry): Static<typeof V6Stream> {
  const { path, state, subscribers, startTime, pluginName, type, videoTrack, audioTrack } = streamView(
    stream,
    mergeWindow,
  )
  return {
    path,
    state,
    subscribers,
    start_time_ms: Date.parse(startTime),
    plugin_name: pluginName,
    stream_type: type,
    video_track: videoTrack,
    audio_track: audioTrack && {
      ...audioTrack,
      sample_rate: audioTrack.sampleRate,
    },
  }
}

function v6Subscriber(subscriber: StreamSubscriber): Static<typeof V6Subscriber> {
  const { id, streamPath, type, pluginName, remoteAddr, startTime } = subscriberInfo(subscriber)
  return {
    id,
    stream_path: streamPath,
    subscriber_type: type,
    plugin_name: pluginName,
    remote_addr: remoteAddr,
    start_time_ms: startTime.getTime(),
  }
}
