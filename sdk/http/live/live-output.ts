import type { MuxerFormat } from '../../stream/muxer.ts'
import type { Subscriber } from '../../stream/subscriber.ts'

/** How streams are played as one endless file over HTTP, and as the messages of a WebSocket. */
export type LiveOutput = {
  /** How addresses may end, without the dot, for example `flv`: `/live/a.flv` and `/live/a` both ask for `live/a`. */
  readonly extension: string
  readonly format: MuxerFormat
  /** The same with whole WebSocket messages as its bytes; see `frameBinaryMessage`. */
  readonly webSocketFormat: MuxerFormat
  /**
   * The `content-type` of what a subscriber is going to get.
   * @throws {SluiceError} to refuse it, for example when the format can carry none of its tracks; it is closed then
   */
  contentType(subscriber: Subscriber): string
}
