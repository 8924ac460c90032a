import type { StreamInfo, StreamState, Track } from 'sluice/sdk'
import type { StreamPublisher } from './stream-publisher.ts'

/** The part of a stream that its snapshot needs. */
interface InformativeStream {
  readonly path: string
  readonly publisher: StreamPublisher | undefined
  readonly tracks: readonly Track[]
  readonly subscribers: { readonly size: number }
  readonly subscriberCount: number
  readonly hadSubscriber: boolean
}

/** A snapshot of a stream for plugins. */
export function streamInfo(stream: InformativeStream): StreamInfo {
  const { path, subscriberCount, tracks, publisher } = stream
  return {
    path,
    state: stateOf(stream),
    subscriberCount,
    tracks,
    metadata: publisher?.metadata ?? {},
    startTime: publisher?.startTime ?? new Date(0),
    pluginName: publisher?.request.protocol ?? '',
    type: publisher?.request.type ?? 'server',
    personal: publisher?.personal ?? false,
  }
}

function stateOf({ publisher, subscribers, hadSubscriber, tracks }: InformativeStream): StreamState {
  if (publisher === undefined) return 4
  if (subscribers.size > 0) return 2
  if (hadSubscriber) return 3
  return tracks.length > 0 ? 1 : 0
}
