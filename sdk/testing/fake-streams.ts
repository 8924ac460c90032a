import type { InheritedConfig } from '../config/groups.ts'
import {
  InvalidRequest,
  StreamDenied,
  StreamExists,
  StreamNotFound,
  StreamRedirect,
  StreamUnavailable,
} from '../errors/stream-errors.ts'
import { PlayTickets } from '../host/play-tickets.ts'
import type { Undo } from '../plugin/hooks.ts'
import { CLIENT_LEFT } from '../stream/close-reason.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import type { PlayAdmission } from '../stream/play-admission.ts'
import type { PublishOptions } from '../stream/publisher.ts'
import type { SessionAction, SessionInit, SessionRequest } from '../stream/session-request.ts'
import type { Track, TrackInit } from '../media/track.ts'
import type { Talk } from '../stream/source-control.ts'
import type { StreamInfo, SubscriberInfo } from '../stream/stream-info.ts'
import type { StreamAuthHandler, StreamManager, StreamTicket, SubscribeOptions } from '../stream/stream-manager.ts'
import type { FakeHooks } from './fake-hooks.ts'
import { FakePlay } from './fake-play.ts'
import { FakePublisher } from './fake-publisher.ts'
import { FakeStream, subscriberInfo } from './fake-stream.ts'
import { FakeSubscriber } from './fake-subscriber.ts'

/** Decides on a session in place of the gates: the session gets the error that it throws, or rejects with. */
export type FakeGate = (request: SessionRequest) => void | Promise<void>

export type FakeStreamsInit = {
  /** The plugin's name. */
  readonly protocol: string
  readonly hooks: FakeHooks
  readonly config: () => Pick<InheritedConfig, 'publish' | 'subscribe'>
}

/**
 * Streams in memory. A subscriber gets what the host would send: the start, then units from the newest keyframe on; each
 * at once and for itself, without the host's sharing, merging, bounds and repair of times. There are no gates but
 * {@link FakeStreams.gate}; the query overrides no config; hooks are fired.
 */
export class FakeStreams implements StreamManager {
  /** Every session that asked, admitted or not, in order. */
  readonly requests: SessionRequest[] = []
  /** Every publisher there was, in order. */
  readonly publishers: FakePublisher[] = []
  /** Every subscriber there was, in order. */
  readonly allSubscribers: FakeSubscriber[] = []
  /** Every player that was admitted without a stream, in order. */
  readonly plays: FakePlay[] = []
  /** Set by a test to deny sessions; see {@link denyAll}. */
  gate: FakeGate | undefined
  /** The handler that the plugin has set. */
  authHandler: StreamAuthHandler | null = null
  readonly #init: FakeStreamsInit
  readonly #streams = new Map<string, FakeStream>()
  readonly #tickets = new PlayTickets()
  readonly #issued: StreamTicket[] = []
  #nextId = 1

  constructor(init: FakeStreamsInit) {
    this.#init = init
  }

  async publish(init: SessionInit, options: PublishOptions = {}): Promise<FakePublisher> {
    const { request, undo } = await this.#admit('publish', init)
    const config = { ...this.#init.config().publish, ...options.config }
    const stream = options.unlisted === true ? new FakeStream('') : this.#stream(request.streamPath)
    if (stream.holder !== undefined && !config.kickexist) {
      undo()
      throw new StreamExists()
    }
    stream.holder?.close({ code: 'kick', text: 'kick' })
    const publisher = new FakePublisher({ id: this.#nextId++, request, options, config, stream })
    publisher.onClose(undo)
    this.publishers.push(publisher)
    stream.setPublisher(publisher)
    options.observer?.published(publisher)
    return publisher
  }

  async subscribe(init: SessionInit, options: SubscribeOptions = {}): Promise<FakeSubscriber> {
    const { request: asked, undo } = await this.#admit('play', init)
    const config = { ...this.#init.config().subscribe, ...options.config }
    const { streamPath, params } = this.#init.hooks.lead(asked)
    const request = { ...asked, params, protocol: options.plugin ?? asked.protocol }
    const stream = this.#stream(streamPath)
    const subscriber = new FakeSubscriber({ id: this.#nextId++, request, config, stream })
    subscriber.onClose(undo)
    this.allSubscribers.push(subscriber)
    stream.addSubscriber(subscriber)
    const published = stream.publisher !== undefined
    if (published) init.onPublisher?.()
    await this.#wait(stream, subscriber)
    if (!published) init.onPublisher?.()
    void this.#init.hooks.notify('subscribed', subscriberInfo(subscriber))
    return subscriber
  }

  async admit(init: SessionInit): Promise<PlayAdmission> {
    const { request, undo } = await this.#admit('play', init)
    const play = new FakePlay(request.streamPath)
    play.onClose(undo)
    this.plays.push(play)
    return play
  }

  async authenticate(init: SessionInit): Promise<void> {
    await this.#askGate(this.#request('play', init))
  }

  ticket(streamPath: string): StreamTicket {
    const ticket = this.#tickets.issue(streamPath)
    this.#issued.push(ticket)
    return ticket
  }

  hasTicket(streamPath: string, query: string): boolean {
    return this.#tickets.holds(streamPath, query)
  }

  move(ids: Iterable<number>, streamPath: string): void {
    const target = this.#streams.get(streamPath)
    if (target?.publisher === undefined) throw new StreamNotFound(`nobody publishes ${streamPath}`)
    const wanted = new Set(ids)
    for (const stream of this.#streams.values()) {
      for (const subscriber of stream.subscribers) if (wanted.has(subscriber.id)) target.expect(subscriber, stream)
    }
  }

  send(ids: Iterable<number>, streamPath: string): void {
    const wanted = new Set(ids)
    const subscribers = [...this.#streams.values()].flatMap((stream) => [...stream.subscribers])
    for (const subscriber of subscribers) if (wanted.has(subscriber.id)) this.#leave(subscriber, streamPath)
  }

  end(ids: Iterable<number>, reason: CloseReason): void {
    const wanted = new Set(ids)
    for (const subscriber of this.allSubscribers) if (wanted.has(subscriber.id)) subscriber.close(reason)
  }

  async talk(init: SessionInit, tracks: readonly TrackInit[]): Promise<Talk> {
    const request = this.#request('play', init)
    await this.#askGate(request)
    if (request.type === 'server' && this.#init.hooks.count('talk') === 0) throw new StreamDenied('no talk hook')
    await this.#init.hooks.admit('talk', request)
    const publisher = this.#streams.get(request.streamPath)?.publisher
    if (publisher === undefined) throw new StreamNotFound()
    const talk = await publisher.talk(tracks)
    init.signal?.addEventListener('abort', () => talk.close())
    return talk
  }

  get(streamPath: string): StreamInfo | undefined {
    const stream = this.#streams.get(streamPath)
    return stream?.publisher === undefined ? undefined : stream.info()
  }

  list(): StreamInfo[] {
    return [...this.#streams.values()].filter(({ publisher }) => publisher !== undefined).map((stream) => stream.info())
  }

  subscribers(streamPath?: string): SubscriberInfo[] {
    const streams = [...this.#streams.values()].filter(({ path }) => streamPath === undefined || path === streamPath)
    return streams.flatMap((stream) => [...stream.subscribers].map(subscriberInfo))
  }

  setStreamAuthHandler(handler: StreamAuthHandler | null): void {
    this.authHandler = handler
  }

  set_stream_auth_handler(handler: StreamAuthHandler | null): void {
    this.setStreamAuthHandler(handler)
  }

  /** Denies all sessions from now on, with a cause that no client may see. */
  denyAll(cause = 'denied by the test'): void {
    this.gate = () => {
      throw new StreamDenied(cause)
    }
  }

  /** Ends all sessions, and what tickets there are. */
  dispose(reason = 'unloaded'): void {
    for (const session of [...this.allSubscribers, ...this.publishers, ...this.plays])
      session.close({ code: 'unloaded', text: reason })
    for (const ticket of this.#issued) ticket.revoke()
  }

  async #admit(action: SessionAction, init: SessionInit): Promise<{ request: SessionRequest; undo: Undo }> {
    const request = this.#request(action, init)
    await this.#askGate(request)
    const undo = await this.#init.hooks.admit(action === 'publish' ? 'publish' : 'subscribe', request)
    return { request, undo }
  }

  /** The server's own sessions are exempt. */
  async #askGate(request: SessionRequest): Promise<void> {
    if (request.type === 'server') await this.gate?.(request)
  }

  #request(action: SessionAction, init: SessionInit): SessionRequest {
    const streamPath = init.streamPath.replace(/^\/+|\/+$/gu, '')
    const redeemed = action === 'play' ? this.#tickets.redeem({ ...init, streamPath }) : undefined
    const { type = 'server', ...asked } = redeemed === undefined ? init : { ...redeemed, type: 'transform' as const }
    const params: Record<string, string> = {}
    for (const [name, value] of new URLSearchParams(asked.query)) params[name] ??= value
    const request = { ...asked, action, streamPath, protocol: this.#init.protocol, type, params }
    this.requests.push(request)
    if (streamPath === '') throw new InvalidRequest('the stream path is empty')
    return request
  }

  async #wait(stream: FakeStream, subscriber: FakeSubscriber): Promise<void> {
    const { signal } = subscriber.request
    const leave = () => subscriber.close(CLIENT_LEFT)
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave)
    await this.#follow(stream, subscriber)
    await this.#fit(subscriber)
    signal?.removeEventListener('abort', leave)
    const { end } = subscriber
    if (end.reason?.code === 'timeout') throw new StreamNotFound()
    if (end.reason !== undefined) throw new StreamUnavailable(end.reason.text)
  }

  /** Waits for the stream, or for the one that a `resolve` hook leads to instead; unlike the host, it asks once. */
  async #follow(stream: FakeStream, subscriber: FakeSubscriber): Promise<void> {
    const { request } = subscriber
    const ready = stream.whenReady(subscriber).then(() => this.#goOn(stream, subscriber))
    if (stream.publisher !== undefined) return ready
    const resolution = this.#init.hooks.resolve({ ...request, streamPath: stream.path })
    const answer = await Promise.race([ready, resolution.then((said) => (typeof said === 'object' ? said : ready))])
    if (typeof answer !== 'object') return
    if ('withinMs' in answer) {
      subscriber.startWaiting(answer.withinMs)
      return ready
    }
    if ('redirect' in answer) {
      subscriber.close('redirected')
      throw new StreamRedirect(answer.redirect).withQuery(request.query)
    }
    return this.#lead(subscriber, answer.streamPath)
  }

  /** Asks the `adapt` hooks for a subscriber that can't take the tracks; unlike the host, it asks once. */
  async #fit(subscriber: FakeSubscriber): Promise<void> {
    const { accepts } = subscriber.request
    const stream = this.#stream(subscriber.sourcePath)
    const isTaken = ({ kind, codec }: Track) =>
      kind === 'data' || (accepts?.[kind] as readonly string[] | undefined)?.includes(codec) !== false
    if (accepts === undefined || stream.tracks.every(isTaken) || subscriber.end.reason !== undefined) return
    const path = await this.#init.hooks.adapt(stream.info(), accepts)
    if (path !== undefined && this.get(path) !== undefined) await this.#lead(subscriber, path)
  }

  /** Follows a subscriber that was sent elsewhere while it waited. */
  async #goOn(stream: FakeStream, subscriber: FakeSubscriber): Promise<undefined> {
    const next = this.#stream(subscriber.sourcePath)
    if (next !== stream && subscriber.end.reason === undefined) await this.#follow(next, subscriber)
  }

  #lead(subscriber: FakeSubscriber, streamPath: string): Promise<void> {
    return this.#follow(this.#leave(subscriber, streamPath), subscriber)
  }

  #leave(subscriber: FakeSubscriber, streamPath: string): FakeStream {
    const next = this.#stream(streamPath)
    subscriber.stopWaiting()
    const former = this.#stream(subscriber.sourcePath)
    subscriber.setStream(next)
    next.addSubscriber(subscriber)
    former.release(subscriber)
    return next
  }

  #stream(path: string): FakeStream {
    const known = this.#streams.get(path)
    if (known !== undefined) return known
    const stream = new FakeStream(path, this.#init.hooks)
    this.#streams.set(path, stream)
    return stream
  }
}

/** Returns a complete session for tests that care about the path only. */
export function sessionInit(streamPath: string, fields: Partial<SessionInit> = {}): SessionInit {
  const client = { ip: '192.0.2.1', port: 40_000, userAgent: 'test' }
  return { streamPath, url: `test://host/${streamPath}`, query: '', client, ...fields }
}
