import type { Publisher, PublishOptions } from './publisher.ts'
import type { SessionInit } from './session-request.ts'
import type { StreamInfo, SubscriberInfo } from './stream-info.ts'
import type { Subscriber } from './subscriber.ts'

/** What a custom auth handler is asked about (spec.md, Stream auth request). */
export type StreamAuthRequest = {
  /** Name of the protocol's plugin, for example `rtmp`. */
  readonly plugin_name: string
  /** The path without query. */
  readonly stream_path: string
  /** The raw query. */
  readonly query_string: string
  /** The parsed query. */
  readonly params: Readonly<Record<string, string>>
  /** True for publish, false for play. */
  readonly is_publish: boolean
}

/**
 * Lets a session in by returning, or resolving to, `true` or nothing (`undefined`). Denies by throwing, rejecting, and
 * by any other value: an `Error`, whose message is logged, `false`, `null`, a text, an object. It has `auth_timeout` to
 * answer, where that is not 0.
 */
export type StreamAuthHandler = (request: StreamAuthRequest) => unknown

/** The server's streams, as a plugin reaches them. Every session passes the gates in `publish` or `subscribe`. */
export interface StreamManager {
  /**
   * Admits a publisher: by the gates, then the `publish` hooks, then if the path is free.
   * @throws {InvalidRequest} the path or a query override is not valid
   * @throws {StreamDenied} a gate or hook refused
   * @throws {StreamExists} the path is taken and `kickexist` is off
   * @throws {StreamUnavailable} `publish.maxcount` is reached or the server is stopping
   */
  publish(request: SessionInit, options?: PublishOptions): Promise<Publisher>
  /**
   * Admits a subscriber, by the gates and the `subscribe` hooks, and waits for a publisher and its tracks.
   * @throws {InvalidRequest} the path or a query override is not valid
   * @throws {StreamDenied} a gate or hook refused
   * @throws {StreamNotFound} no publisher came within `subscribe.waittimeout`
   * @throws {StreamUnavailable} `subscribe.maxcount` is reached or the server is stopping
   */
  subscribe(request: SessionInit): Promise<Subscriber>
  /**
   * Leads a request that belongs to a play session, such as one for an HLS segment, through the gates that look at its
   * query: the signature or handler and the signed policy, not the admission webhook (spec.md, Protocol coverage of the
   * gates). The path is the one that was asked for, whatever the webhook made of it.
   * @throws {InvalidRequest} the path is not valid
   * @throws {StreamDenied} a gate refused
   * @throws {StreamUnavailable} the plugin or the server is stopping
   */
  authenticate(request: SessionInit): Promise<void>
  /** Returns the stream of a path; undefined when nobody publishes it. */
  get(streamPath: string): StreamInfo | undefined
  /** Returns all streams that have a publisher. */
  list(): StreamInfo[]
  /** Returns the subscribers of one stream, or of all, those included that wait for a publisher. */
  subscribers(streamPath?: string): SubscriberInfo[]
  /**
   * Sets the server's custom auth handler; it takes the place of the signature check where that check is on
   * (`enableauth`, and a key for the direction). `null` removes it. When the plugin is unloaded, the handler that was
   * there before comes back.
   */
  setStreamAuthHandler(handler: StreamAuthHandler | null): void
  /** The same by its name in the specification. */
  set_stream_auth_handler(handler: StreamAuthHandler | null): void
}
