import type { Track } from '../media/track.ts'
import type { SessionType } from './session-request.ts'

/** 0 init, 1 track added, 2 subscribed, 3 waiting for a subscriber, 4 disposed. */
export type StreamState = 0 | 1 | 2 | 3 | 4

/** A running stream, as plugins see it; a snapshot. */
export type StreamInfo = {
  readonly path: string
  readonly state: StreamState
  /** Subscribers of type `server`. */
  readonly subscriberCount: number
  readonly tracks: readonly Track[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly startTime: Date
  /** The plugin whose session publishes it, and the session's type. */
  readonly pluginName: string
  readonly type: SessionType
}

/** A subscriber, as plugins see it; a snapshot. */
export type SubscriberInfo = {
  readonly id: number
  readonly streamPath: string
  readonly pluginName: string
  readonly type: SessionType
  /** `ip:port`, IPv6 in brackets; empty for the server's own. */
  readonly remoteAddr: string
  readonly startTime: Date
}
