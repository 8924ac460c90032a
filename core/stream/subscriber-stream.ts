import type { CloseReason, MuxerFormat, Track } from 'sluice/sdk'
import type { ReaderQueue } from './fan-out/reader-queue.ts'
import type { SharedMuxer } from './fan-out/shared-muxer.ts'
import type { StreamClock } from './stream-clock.ts'
import type { StreamPublisher } from './stream-publisher.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'
import type { StreamTraffic } from './stream-traffic.ts'

/** The stream, as its subscriber reaches it. */
export interface SubscriberStream {
  readonly path: string
  readonly tracks: readonly Track[]
  readonly clock: StreamClock
  readonly traffic: StreamTraffic
  readonly subscribers: ReadonlySet<StreamSubscriber>
  readonly publisher: StreamPublisher | undefined
  /** The muxer that this subscriber shares with the others of its format, selection, window and shift. */
  muxerFor(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer
  addReader(subscriber: StreamSubscriber, queue: ReaderQueue): void
  subscriberClosed(subscriber: StreamSubscriber, reason: CloseReason): void
  /** Leads a subscriber to another path that has had nothing yet; returns whether it was such a one. */
  leadElsewhere(subscriber: StreamSubscriber, streamPath: string): boolean
  /** Hands on what is pending. */
  flush(): void
  addSubscriber(subscriber: StreamSubscriber): void
  /** Lets a subscriber go, to another stream or to its end; returns whether it was here. */
  removeSubscriber(subscriber: StreamSubscriber): boolean
}
