import {
  SluiceError,
  StreamUnavailable,
  type CloseReason,
  type PlayAdmission,
  type Publisher,
  type PublishOptions,
  type SessionAction,
  type SessionInit,
  type StreamAuthHandler,
  type StreamInfo,
  type StreamManager,
  type StreamTicket,
  type SubscribeOptions,
  type Subscriber,
  type SubscriberInfo,
  type Talk,
  type TrackInit,
} from 'sluice/sdk'
import { tracedSession } from '../observe/tracing.ts'
import type { Gatekeeper } from '../auth/gatekeeper.ts'
import { sessionAttributes } from './session-attributes.ts'
import type { MeteredAction } from './session-meters.ts'
import type { StreamRegistry } from './registry.ts'
import type { StreamOwner } from '../auth/stream-owner.ts'
import type { StreamPublisher } from './stream-publisher.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'
import type { StreamlessPlay } from './streamless-play.ts'
import { subscriberInfo } from './subscriber-info.ts'

/** The part of the gatekeeper that auth handlers need. */
type HandlerGates = Pick<Gatekeeper, 'setHandler' | 'removeHandler'>

/** Returns the owner of sessions that a plugin makes for another one; undefined where that plugin does not run. */
export type OwnerLookup = (plugin: string) => StreamOwner | undefined

type OwnedSession = StreamPublisher | StreamSubscriber | StreamlessPlay

/** The streams as one generation of a plugin reaches them, and the sessions it has made. */
export class OwnedStreams {
  readonly manager: StreamManager
  readonly #registry: StreamRegistry
  readonly #gatekeeper: HandlerGates
  /** The owner as it was given: the gatekeeper knows it by identity. */
  readonly #owner: StreamOwner
  readonly #ownerOf: OwnerLookup
  readonly #sessions = new Set<OwnedSession>()
  readonly #talks = new Set<Talk>()
  readonly #tickets = new Set<StreamTicket>()
  /** The number of sessions on their way through the gates. */
  #opening = 0
  #closeReason: CloseReason | undefined
  #disposed = false
  /** The owner with the config of the sessions to come. */
  #asking: StreamOwner

  constructor(
    registry: StreamRegistry,
    gatekeeper: HandlerGates,
    owner: StreamOwner,
    ownerOf: OwnerLookup = () => undefined,
  ) {
    this.#registry = registry
    this.#gatekeeper = gatekeeper
    this.#owner = owner
    this.#ownerOf = ownerOf
    this.#asking = owner
    this.manager = this.#createManager()
  }

  /** The number of running sessions, including those that wait for a stream or are being admitted. */
  get sessionCount(): number {
    return this.#sessions.size + this.#opening
  }

  /** Applies another config to the sessions to come. */
  configure(config: StreamOwner['config']): void {
    this.#asking = { ...this.#owner, config }
  }

  /** Ends all sessions and takes no new ones. */
  close(text: string): void {
    const reason = (this.#closeReason ??= { code: 'unloaded', text })
    for (const session of this.#sessions.values().toArray()) session.close(reason)
    for (const talk of this.#talks.values().toArray()) talk.close()
    for (const ticket of this.#tickets) ticket.revoke()
  }

  /** Removes the auth handler; none can be set any more. */
  dispose(): void {
    this.#disposed = true
    this.#gatekeeper.removeHandler(this.#owner)
  }

  #createManager(): StreamManager {
    const setStreamAuthHandler = (handler: StreamAuthHandler | null) => {
      if (!this.#disposed) this.#gatekeeper.setHandler(this.#owner, handler)
    }
    return {
      publish: (request, options) => this.#publish(request, options),
      subscribe: (request, options) => this.#subscribe(request, options),
      admit: (request) => this.#admit(request),
      authenticate: (request) => this.#authenticate(request),
      ticket: (streamPath) => this.#ticket(streamPath),
      hasTicket: (streamPath, query) => this.#registry.tickets.holds(streamPath, query),
      talk: (request, tracks) => this.#talk(request, tracks),
      move: (ids, streamPath) => this.#registry.move(ids, streamPath),
      send: (ids, streamPath) => this.#registry.sendAll(ids, streamPath),
      end: (ids, reason) => [...new Set(ids)].forEach((id) => this.#registry.subscriber(id)?.close(reason)),
      get: (streamPath): StreamInfo | undefined => this.#registry.get(streamPath)?.info(),
      list: (): StreamInfo[] => this.#registry.list().map((stream) => stream.info()),
      subscribers: (streamPath): SubscriberInfo[] => this.#registry.subscribers(streamPath).map(subscriberInfo),
      setStreamAuthHandler,
      set_stream_auth_handler: setStreamAuthHandler,
    }
  }

  #publish(request: SessionInit, options: PublishOptions = {}): Promise<Publisher> {
    return this.#meter('publish', request, () =>
      this.#open<StreamPublisher>((track) => this.#registry.publish(request, options, this.#asking, track)),
    )
  }

  #subscribe(request: SessionInit, options: SubscribeOptions = {}): Promise<Subscriber> {
    return this.#meter('play', request, () =>
      this.#open<StreamSubscriber>((track) => this.#registry.subscribe(request, this.#subscriberOwner(options), track)),
    )
  }

  /** @throws {StreamUnavailable} when the plugin of the session does not run */
  #subscriberOwner({ plugin, config }: SubscribeOptions): StreamOwner {
    const owner = plugin === undefined ? this.#asking : this.#ownerOf(plugin)
    if (owner === undefined) throw new StreamUnavailable(`the plugin ${plugin} does not run`)
    if (config === undefined) return owner
    return { ...owner, config: { ...owner.config, subscribe: { ...owner.config.subscribe, ...config } } }
  }

  #admit(request: SessionInit): Promise<PlayAdmission> {
    return this.#meter('play', request, () =>
      this.#open<StreamlessPlay>((track) => this.#registry.admitPlay(request, this.#asking, track)),
    )
  }

  async #authenticate(request: SessionInit): Promise<void> {
    this.#checkOpen()
    await this.#registry.authenticate(request, this.#asking)
    this.#checkOpen()
  }

  #ticket(streamPath: string): StreamTicket {
    this.#checkOpen()
    const issued = this.#registry.tickets.issue(streamPath)
    const ticket: StreamTicket = {
      query: issued.query,
      revoke: () => {
        this.#tickets.delete(ticket)
        issued.revoke()
      },
    }
    this.#tickets.add(ticket)
    return ticket
  }

  #talk(request: SessionInit, tracks: readonly TrackInit[]): Promise<Talk> {
    return this.#refusals('talk', () => this.#openTalk(request, tracks))
  }

  async #openTalk(request: SessionInit, tracks: readonly TrackInit[]): Promise<Talk> {
    this.#checkOpen()
    const talk = await this.#registry.talk(request, tracks, this.#asking)
    this.#talks.add(talk)
    talk.onClose(() => this.#talks.delete(talk))
    if (this.#closeReason !== undefined) talk.close()
    this.#checkOpen()
    return talk
  }

  /** Traces a session from here on, and counts it where it does not begin. */
  #meter<S extends OwnedSession>(action: SessionAction, init: SessionInit, open: () => Promise<S>): Promise<S> {
    const span = { name: action, attributes: () => sessionAttributes(init, this.#owner.plugin) }
    return tracedSession(span, () => this.#refusals(action, open))
  }

  async #refusals<Result>(action: MeteredAction, open: () => Promise<Result>): Promise<Result> {
    try {
      return await open()
    } catch (error) {
      const code = error instanceof SluiceError ? error.code : 'INTERNAL'
      this.#registry.meters.of(this.#owner.plugin, action).refused(code)
      throw error
    }
  }

  async #open<S extends OwnedSession>(ask: (admitted: (session: S) => void) => Promise<S>): Promise<S> {
    this.#checkOpen()
    let opening = true
    const opened = () => {
      if (opening) this.#opening--
      opening = false
    }
    this.#opening++
    try {
      const session = await ask((admitted) => {
        opened()
        this.#track(admitted)
      })
      const { closeReason } = session.session
      if (closeReason !== undefined) throw new StreamUnavailable(closeReason.text)
      return session
    } finally {
      opened()
    }
  }

  #track(session: OwnedSession): void {
    this.#sessions.add(session)
    session.onClose(() => this.#sessions.delete(session))
    if (this.#closeReason !== undefined) session.close(this.#closeReason)
  }

  #checkOpen(): void {
    if (this.#closeReason !== undefined) throw new StreamUnavailable(this.#closeReason.text)
  }
}
