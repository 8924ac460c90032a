import type { SubscribeConfig } from '../config/groups.ts'
import type { TrackInit } from '../media/track.ts'
import type { CloseReason } from './close-reason.ts'
import type { PlayAdmission } from './play-admission.ts'
import type { Publisher, PublishOptions } from './publisher.ts'
import type { SessionInit } from './session-request.ts'
import type { Talk } from './source-control.ts'
import type { StreamInfo, SubscriberInfo } from './stream-info.ts'
import type { Subscriber } from './subscriber.ts'

/** The request that a custom auth handler decides on (spec.md, Stream auth request). */
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
 * Lets a session in by returning, or resolving to, `true` or nothing (`undefined`). Denies by throwing, rejecting, and by any
 * other value: an `Error` (its message is logged), `false`, `null`, a text, an object. It has `auth_timeout` to answer, where
 * that is not 0.
 */
export type StreamAuthHandler = (request: StreamAuthRequest) => unknown

/** Lets a program of the server's own play one stream. */
export type StreamTicket = {
  /** A name and a value to add to the query of the stream's address. It is a secret. */
  readonly query: string
  /** Makes it invalid for later sessions. Idempotent. */
  revoke(): void
}

/** The terms on which a plugin subscribes, besides those of its own section. */
export type SubscribeOptions = {
  /**
   * The name of a running plugin for which this one takes the stream, as a recorder does for the plugin of the container: the
   * `subscribe` group of its section holds, and lists show its name. The session still belongs to the plugin that asks.
   */
  readonly plugin?: string
  /** Keys of the `subscribe` group that differ from the section's. */
  readonly config?: Partial<SubscribeConfig>
}

/** The server's streams, as a plugin reaches them. Every session passes the gates in `publish` or `subscribe`. */
export interface StreamManager {
  /**
   * Admits a publisher: by the gates, then the `publish` hooks, then if the path is free.
   * @throws {InvalidRequest} the path or a query override is not valid
   * @throws {StreamDenied} a gate or hook refused
   * @throws {StreamRedirect} the stream is to be published at another address
   * @throws {SluiceError} of another kind by which a hook refused
   * @throws {StreamExists} the path is taken and `kickexist` is off
   * @throws {StreamUnavailable} `publish.maxcount` is reached or the server is stopping
   */
  publish(request: SessionInit, options?: PublishOptions): Promise<Publisher>
  /**
   * Admits a subscriber, by the gates and the `subscribe` hooks, and waits for a publisher and its tracks.
   * @throws {InvalidRequest} the path or a query override is not valid
   * @throws {StreamDenied} a gate or hook refused
   * @throws {StreamRedirect} the stream is available at another address
   * @throws {SluiceError} of another kind by which a hook refused
   * @throws {StreamNotFound} no publisher came within `subscribe.waittimeout`
   * @throws {StreamUnavailable} `subscribe.maxcount` is reached, the plugin of the options does not run, or the server is
   *   stopping
   */
  subscribe(request: SessionInit, options?: SubscribeOptions): Promise<Subscriber>
  /**
   * Admits a player that gets no stream, but something that the plugin has from elsewhere, such as recordings: by the gates
   * and the `subscribe` hooks. An admitted player counts as a session of the plugin until it is closed.
   * @throws {InvalidRequest} the path is not valid
   * @throws {StreamDenied} a gate or hook refused
   * @throws {StreamRedirect} it is available at another address
   * @throws {SluiceError} of another kind by which a hook refused
   * @throws {StreamUnavailable} the client has left meanwhile, or the plugin or the server is stopping
   */
  admit(request: SessionInit): Promise<PlayAdmission>
  /**
   * Leads a request that belongs to a play session, such as one for an HLS segment, through the gates that look at its
   * query: the signature or handler and the signed policy, not the admission webhook (spec.md, Protocol coverage of the
   * gates). The path is the one that was asked for, whatever the webhook made of it.
   * @throws {InvalidRequest} the path is not valid
   * @throws {StreamDenied} a gate refused
   * @throws {StreamUnavailable} the plugin or the server is stopping
   */
  authenticate(request: SessionInit): Promise<void>
  /**
   * Opens the way back to the source of a stream, such as a camera's loudspeaker: by the gates for players, and the `talk`
   * hooks, without which no client may. It ends when either side ends it, the publisher does, or the request's signal aborts.
   * @param tracks the media to send; each track is then declared by `addTrack`
   * @throws {InvalidRequest} the path is not valid
   * @throws {StreamDenied} a gate or hook refused, or no hook lets clients talk
   * @throws {StreamNotFound} nobody publishes the path
   * @throws {StreamExists} another client talks to it already
   * @throws {StreamUnavailable} the source does not answer, or the server is stopping
   * @throws {Unsupported} the source has no way back
   */
  talk(request: SessionInit, tracks: readonly TrackInit[]): Promise<Talk>
  /**
   * Makes a ticket for a program that the plugin runs, to play a stream by any protocol of this server. Sessions with it in
   * their query are the server's own (`transform`): they pass the gates unchecked, and don't count as viewers. Neither hooks
   * nor control servers see it. It is valid until it is revoked or the generation ends.
   * @throws {InvalidRequest} the path is not valid
   */
  ticket(streamPath: string): StreamTicket
  /**
   * Returns true when a query carries a ticket for playing a path: for protocols that authenticate clients themselves,
   * besides the gates.
   */
  hasTicket(streamPath: string, query: string): boolean
  /** Returns the stream of a path; undefined when it has no publisher. */
  get(streamPath: string): StreamInfo | undefined
  /** Returns all streams that have a publisher. */
  list(): StreamInfo[]
  /**
   * Moves subscribers, named by their ids, to another stream, while their connections go on. Each stays where it is until a
   * unit comes on the other stream that it can start at, or its own publisher ends. Its time goes on; the tracks are
   * announced anew. Ended subscribers are passed over. A later move of the same subscriber replaces one that is still
   * pending; a pending move is given up when the other stream ends.
   * @throws {StreamNotFound} nobody publishes the path
   */
  move(ids: Iterable<number>, streamPath: string): void
  /**
   * Moves subscribers, named by their ids, to another stream at once, where they wait for a publisher if there is none: for
   * subscribers that get nothing now. Ended subscribers are passed over.
   * @throws {InvalidRequest} the path is not valid
   */
  send(ids: Iterable<number>, streamPath: string): void
  /**
   * Ends subscribers, named by their ids, of any plugin: for those that wait for a stream that can't come. Those that have ended
   * are passed over.
   */
  end(ids: Iterable<number>, reason: CloseReason): void
  /** Returns the subscribers that get one stream, or all, including those that wait for a publisher. */
  subscribers(streamPath?: string): SubscriberInfo[]
  /**
   * Sets the server's custom auth handler; it takes the place of the signature check where that check is on
   * (`enableauth`, and a key for the direction). `null` removes it. When the plugin is unloaded, the handler that was
   * there before comes back.
   */
  setStreamAuthHandler(handler: StreamAuthHandler | null): void
  /** Does the same as `setStreamAuthHandler`, by its name in the specification. */
  set_stream_auth_handler(handler: StreamAuthHandler | null): void
}
