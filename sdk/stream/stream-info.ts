import type { Track } from '../media/track.ts'
import type { SessionRequest, SessionType } from './session-request.ts'

/** The state of a stream: 0 init, 1 track added, 2 subscribed, 3 waiting for a subscriber, 4 disposed. */
export type StreamState = 0 | 1 | 2 | 3 | 4

/** A snapshot of a running stream, as plugins see it. */
export type StreamInfo = {
  readonly path: string
  readonly state: StreamState
  /** The number of subscribers of type `server`. */
  readonly subscriberCount: number
  readonly tracks: readonly Track[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly startTime: Date
  /** The name of the plugin that publishes it. */
  readonly pluginName: string
  /** The type of that session. */
  readonly type: SessionType
  /** True for a stream of one viewer's own, as a recording that is played is; see `PublishOptions.personal`. */
  readonly personal: boolean
}

/** A snapshot of a subscriber, as plugins see it. */
export type SubscriberInfo = {
  readonly id: number
  /** The path that it was admitted to. */
  readonly streamPath: string
  /** The path of the stream that it gets; see `Subscriber.sourcePath`. */
  readonly sourcePath: string
  readonly pluginName: string
  readonly type: SessionType
  /** The peer's address, `ip:port`, IPv6 in brackets; empty for the server's own subscribers. */
  readonly remoteAddr: string
  readonly startTime: Date
  /** True when it takes the stream for the viewers of its path, and goes along when these are moved; see `SessionInit.follows`. */
  readonly follows: boolean
  /** The query that it came with, as on-demand sources receive it. It may hold secrets. */
  readonly params: SessionRequest['params']
}
