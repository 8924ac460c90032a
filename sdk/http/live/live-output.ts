import type { MuxerFormat } from '../../media/muxer.ts'
import type { Sink } from '../../stream/sink.ts'
import type { Subscriber } from '../../stream/subscriber.ts'

/** A way to play streams as one endless file over HTTP, and as the messages of a WebSocket. */
export type LiveOutput = {
  /** The ending of addresses, without the dot, for example `flv`: `/live/a.flv` and `/live/a` both ask for `live/a`. */
  readonly extension: string
  readonly format: MuxerFormat
  /** Makes WebSocket messages of what leaves in one write; one binary message unless given. As `frame` of a sink. */
  readonly webSocketFrame?: (bytes: Buffer) => Buffer
  /**
   * The `content-type` of what a subscriber is going to get.
   * @throws {SluiceError} to refuse it, for example when the format can carry none of its tracks; it is closed then
   */
  contentType(subscriber: Subscriber): string
}

/** A way to play streams over WebSocket for a plugin that makes the bytes itself, such as one that has them encoded. */
export type SocketOutput = {
  /** The ending of addresses, without the dot, as that of {@link LiveOutput}. */
  readonly extension: string
  /**
   * Called for each subscriber before its WebSocket is opened.
   * @throws {SluiceError} to refuse it; it is closed then
   */
  accept(subscriber: Subscriber): void
  /**
   * Sends a subscriber's media as whole frames of WebSocket (see `frameBinaryMessage`), until it ends. The plugin counts the
   * bytes by `account`, and ends a viewer that takes too little.
   */
  play(subscriber: Subscriber, sink: Sink): void
}
