import {
  InvalidRequest,
  StreamNotFound,
  StreamPath,
  Type,
  type ActiveRecording,
  type CloseReason,
  type OperationAnswer,
  type OperationRegistry,
  viewedList,
} from 'sluice/sdk'
import type { StreamRegistry } from '../../stream/registry.ts'
import type { StreamSubscriber } from '../../stream/stream-subscriber.ts'
import { StreamInfo, SubscriberInfo } from './stream-schemas.ts'
import { streamsFound, StreamSearch, subscribersFound, SubscriberSearch } from './stream-search.ts'
import { recordingView, streamView, subscriberView } from './stream-views.ts'

/** The reason with which sessions end that an operator stops. */
export const STOPPED: CloseReason = { code: 'stopped', text: 'stop by user' }
const SUBSCRIBER_ID = Type.Integer({ minimum: 0, maximum: 0xffff_ffff })
const ONE_STREAM = Type.Object({ streamPath: StreamPath() })

/** Streams and subscribers: lists, details and stopping (api.md 3.1, 3.2). */
export function addStreamOperations(
  operations: OperationRegistry,
  streams: StreamRegistry,
  recordings: () => readonly ActiveRecording[],
): void {
  operations.add({
    method: 'GET',
    path: '/api/stream/list',
    summary: 'Stream list',
    query: StreamSearch,
    answer: Type.Array(StreamInfo),
    paged: true,
    reach: { all: joinedStreams },
    handle({ query: { search } }) {
      const active = Map.groupBy(recordings(), ({ streamPath }) => streamPath)
      return viewedList(streamsFound(streams.index.published, search), (stream) => ({
        ...streamView(stream, streams.mergeWindow),
        recording: (active.get(stream.path) ?? []).map(recordingView),
      }))
    },
  })

  operations.add({
    method: 'GET',
    path: '/api/stream/info/{streamPath}',
    summary: 'Stream detail',
    params: ONE_STREAM,
    answer: StreamInfo,
    reach: { stream: 'streamPath' },
    handle({ params: { streamPath } }) {
      const stream = streams.get(streamPath)
      if (stream === undefined) throw new StreamNotFound()
      const active = recordings().filter((recording) => recording.streamPath === streamPath)
      return { ...streamView(stream, streams.mergeWindow), recording: active.map(recordingView) }
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/stream/stop/{streamPath}',
    summary: 'Stop publishing',
    params: ONE_STREAM,
    reach: { stream: 'streamPath' },
    // A stream that is not published counts as stopped (api.md 1.1).
    handle: ({ params: { streamPath } }) => streams.get(streamPath)?.publisher?.close(STOPPED),
  })
}

/** The operations of the subscribers that play a stream, and of those that wait for one. */
export function addSubscriberOperations(operations: OperationRegistry, streams: StreamRegistry): void {
  operations.add({
    method: 'GET',
    path: '/api/subscribers/{streamPath}',
    aliases: ['/api/subscribers'],
    summary: 'Subscriber list',
    params: Type.Object({ streamPath: Type.Optional(StreamPath()) }),
    query: SubscriberSearch,
    answer: Type.Array(SubscriberInfo),
    paged: true,
    reach: 'all',
    handle: ({ params: { streamPath }, query: { search } }) =>
      viewedList(subscribersFound(streams.subscribers(streamPath), search), subscriberView),
  })

  operations.add({
    method: 'POST',
    path: '/api/subscribe/stop/{id}',
    aliases: ['/api/stop/subscribe/{id}'],
    summary: 'Stop subscribing',
    params: Type.Object({ id: SUBSCRIBER_ID }),
    body: Type.Object({ streamPath: Type.Optional(StreamPath()) }),
    reach: { session: 'id' },
    handle({ params: { id }, body: { streamPath } }) {
      const subscriber = subscriberOf(streams, id)
      const { sourcePath, streamPath: requestedPath } = subscriber
      if (streamPath !== undefined && streamPath !== sourcePath && streamPath !== requestedPath) {
        throw new StreamNotFound(`subscriber ${id} is none of ${streamPath}`)
      }
      subscriber.close(STOPPED)
    },
  })

  operations.add({
    method: 'POST',
    path: '/api/subscribe/change/{id}/{streamPath}',
    summary: 'Director switch: a viewer gets another stream',
    params: Type.Object({ id: SUBSCRIBER_ID, streamPath: StreamPath() }),
    reach: { session: 'id' },
    handle({ params: { id, streamPath } }) {
      const subscriber = subscriberOf(streams, id)
      // The server's own subscribers pass the stream on to others, and can't be switched.
      if (subscriber.request.type !== 'server') throw new InvalidRequest('only viewers can be switched')
      streams.move([id], streamPath)
    },
  })

  operations.add({
    method: 'GET',
    path: '/api/stream/waitlist',
    summary: 'Subscribers that wait, by stream path',
    answer: WaitList,
    wire: 'bare',
    reach: { all: (lists) => ({ list: counted(lists.flatMap(({ list }) => Object.entries(list ?? {}))) }) },
    handle: () => ({
      list: counted(streams.waitedFor().map(({ path, subscribers }) => [path, waitingIn(subscribers)])),
    }),
  })
}

function subscriberOf(streams: StreamRegistry, id: number): StreamSubscriber {
  const subscriber = streams.subscriber(id)
  if (subscriber === undefined) throw new StreamNotFound()
  return subscriber
}

/** The number of subscribers that wait for a stream, without the passive ones. */
function waitingIn(subscribers: ReadonlySet<StreamSubscriber>): number {
  return subscribers
    .values()
    .filter(({ request }) => request.passive !== true)
    .toArray().length
}

const WaitList = Type.Object({ list: Type.Record(Type.String(), Type.Integer()) })

/** Lists a stream that several processes have once, as the first process answers, with the viewers of all. */
function joinedStreams(lists: readonly OperationAnswer<readonly StreamInfo[]>[]): OperationAnswer<StreamInfo>[] {
  const joined = new Map<string | undefined, OperationAnswer<StreamInfo>>()
  for (const stream of lists.flat()) {
    const first = joined.get(stream.path)
    const subscribers = (first?.subscribers ?? 0) + (stream.subscribers ?? 0)
    joined.set(stream.path, { ...(first ?? stream), subscribers })
  }
  return [...joined.values()]
}

function counted(
  counts: readonly (readonly [streamPath: string, count: number | undefined])[],
): Record<string, number> {
  const list: Record<string, number> = {}
  for (const [streamPath, count = 0] of counts) list[streamPath] = (list[streamPath] ?? 0) + count
  return list
}
