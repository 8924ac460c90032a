import {
  checkStreamPath,
  CLIENT_LEFT,
  parseQuery,
  StreamDenied,
  StreamExists,
  StreamNotFound,
  StreamUnavailable,
  type CloseReason,
  type Hooks,
  type PublishOptions,
  type SessionAction,
  type SessionInit,
  type SessionRequest,
} from 'sluice/sdk'
import type { Logger } from 'pino'
import { logDenial } from '../auth/denial.ts'
import type { Admitted } from '../auth/gate.ts'
import type { Gatekeeper } from '../auth/gatekeeper.ts'
import { applyPublishOverrides, applySubscribeOverrides } from './session-overrides.ts'
import { MergeWindow } from './fan-out/merge-window.ts'
import { SessionLife } from './session-life.ts'
import { Stream, type NoticeHooks } from './stream.ts'
import type { StreamOwner } from '../auth/stream-owner.ts'
import { StreamPublisher } from './stream-publisher.ts'
import { StreamPulse } from './stream-pulse.ts'
import { StreamSubscriber } from './stream-subscriber.ts'

/** Hooks as the registry uses them. */
export interface RegistryHooks extends NoticeHooks {
  /** @throws {StreamDenied} */
  admit(name: 'publish' | 'subscribe', request: SessionRequest): Promise<void>
  resolve(request: SessionRequest): Promise<boolean>
  isTapped(name: keyof Hooks): boolean
}

type RegistryOptions = {
  readonly log: Logger
  readonly hooks: RegistryHooks
  readonly gatekeeper: Pick<Gatekeeper, 'admit' | 'authenticate'>
}

/** All streams of this process, by path, and the one way into them. */
export class StreamRegistry {
  readonly mergeWindow = new MergeWindow()
  readonly #options: RegistryOptions
  readonly #streams = new Map<string, Stream>()
  readonly #pulse: StreamPulse
  #nextId = 1
  #closed = false

  constructor(options: RegistryOptions) {
    this.#options = options
    this.#pulse = new StreamPulse(this.#streams, this.mergeWindow)
  }

  /** Returns the stream of a path; undefined when it has no publisher. */
  get(path: string): Stream | undefined {
    const stream = this.#streams.get(path)
    return stream?.publisher === undefined ? undefined : stream
  }

  /** Returns the streams that have a publisher. */
  list(): Stream[] {
    return [...this.#streams.values()].filter((stream) => stream.publisher !== undefined)
  }

  /** The number of paths that have a publisher, wait for one to come back, or are waited for. */
  get pathCount(): number {
    return this.#streams.size
  }

  /** Returns the subscribers of one path, or of all, those included that wait. */
  subscribers(path?: string): StreamSubscriber[] {
    if (path !== undefined) return [...(this.#streams.get(path)?.subscribers ?? [])]
    return [...this.#streams.values()].flatMap((stream) => [...stream.subscribers])
  }

  subscriber(id: number): StreamSubscriber | undefined {
    return this.subscribers().find((subscriber) => subscriber.id === id)
  }

  /** Admits a publisher; see `StreamManager.publish`. `onAdmitted` is called as soon as the session exists. */
  async publish(
    init: SessionInit,
    options: PublishOptions,
    owner: StreamOwner,
    onAdmitted: (publisher: StreamPublisher) => void,
  ): Promise<StreamPublisher> {
    const { request, lifetimeMs, onEnd } = await this.#admit('publish', init, owner)
    const section = { ...owner.config.publish, ...options.config }
    const config = applyPublishOverrides(section, request.params)
    this.#makeRoom(request.streamPath, config.kickexist, config.maxcount)
    const stream = this.#stream(request.streamPath)
    const session = new SessionLife({ log: owner.log, lifetimeMs, onEnd })
    const { timestampBits } = options
    const times = { startMs: stream.nextStartMs, timestampBits }
    const publisher = new StreamPublisher({ id: this.#nextId++, request, config, ...times, stream, session })
    session.begin()
    stream.setPublisher(publisher)
    onAdmitted(publisher)
    return publisher
  }

  /**
   * Admits a subscriber; see `StreamManager.subscribe`. `onAdmitted` is called as soon as the session exists, before it
   * waits for the stream.
   */
  async subscribe(
    init: SessionInit,
    owner: StreamOwner,
    onAdmitted: (subscriber: StreamSubscriber) => void,
  ): Promise<StreamSubscriber> {
    const { request, lifetimeMs, onEnd } = await this.#admit('play', init, owner)
    const config = applySubscribeOverrides(owner.config.subscribe, request.params)
    const stream = this.#stream(request.streamPath)
    if (request.type === 'server' && config.maxcount > 0 && stream.subscriberCount >= config.maxcount) {
      throw new StreamUnavailable('subscribe max count exceeded')
    }
    const session = new SessionLife({ log: owner.log, lifetimeMs, onEnd })
    const subscriber = new StreamSubscriber({ id: this.#nextId++, request, config, stream, session })
    stream.addSubscriber(subscriber)
    onAdmitted(subscriber)
    await this.#wait(stream, subscriber, init.streamPath)
    return subscriber
  }

  /** See `StreamManager.authenticate`. */
  async authenticate(init: SessionInit, owner: StreamOwner): Promise<void> {
    this.#checkOpen()
    const request = requestOf('play', init, owner)
    await logged(owner, request, this.#options.gatekeeper.authenticate(request, owner))
    this.#checkOpen()
  }

  /** Ends all sessions and takes no new ones. */
  close(text: string): void {
    this.#closed = true
    this.#pulse.stop()
    const reason: CloseReason = { code: 'unloaded', text }
    for (const stream of [...this.#streams.values()]) stream.close(reason)
  }

  async #admit(action: SessionAction, init: SessionInit, owner: StreamOwner): Promise<Admitted> {
    this.#checkOpen()
    const request = requestOf(action, init, owner)
    return logged(owner, request, this.#pass(request, owner))
  }

  async #pass(request: SessionRequest, owner: StreamOwner): Promise<Admitted> {
    const admitted = await this.#options.gatekeeper.admit(request, owner)
    const hook = request.action === 'publish' ? 'publish' : 'subscribe'
    if (this.#options.hooks.isTapped(hook)) await this.#options.hooks.admit(hook, admitted.request)
    this.#checkOpen()
    if (request.signal?.aborted === true) throw new StreamUnavailable(CLIENT_LEFT.text)
    return admitted
  }

  #checkOpen(): void {
    if (this.#closed) throw new StreamUnavailable('the server is stopping')
  }

  #makeRoom(path: string, kickExist: boolean, maxCount: number): void {
    const running = this.#streams.get(path)?.publisher
    if (running !== undefined && !kickExist) throw new StreamExists()
    if (maxCount > 0) {
      const others = this.list().length - (running === undefined ? 0 : 1)
      if (others >= maxCount) throw new StreamUnavailable('publish max count exceeded')
    }
    running?.close({ code: 'kick', text: 'kick' })
  }

  #stream(path: string): Stream {
    const known = this.#streams.get(path)
    if (known !== undefined) return known
    const stream: Stream = new Stream(path, {
      log: this.#options.log.child({ stream: path }),
      hooks: this.#options.hooks,
      mergeWindow: this.mergeWindow,
      onEmpty: () => this.#streams.get(path) === stream && this.#streams.delete(path),
    })
    this.#streams.set(path, stream)
    return stream
  }

  // Waits for the stream to be there, asking the plugins to resolve a path that has no publisher.
  async #wait(stream: Stream, subscriber: StreamSubscriber, requestedPath: string): Promise<void> {
    const { signal } = subscriber.request
    const leave = () => subscriber.close(CLIENT_LEFT)
    if (signal?.aborted === true) leave()
    signal?.addEventListener('abort', leave)
    if (stream.publisher === undefined && !subscriber.session.closed && this.#options.hooks.isTapped('resolve')) {
      void this.#options.hooks.resolve(subscriber.request)
    }
    await stream.whenReady(subscriber)
    signal?.removeEventListener('abort', leave)
    const { closeReason } = subscriber.session
    if (closeReason?.code === 'timeout') {
      // Not the path that a control server may have put in its place, which is no client's business.
      const missing = stream.publisher === undefined ? 'nobody publishes' : 'there is no media yet of'
      throw new StreamNotFound(`${missing} ${requestedPath}`)
    }
    if (closeReason !== undefined) throw new StreamUnavailable(closeReason.text)
    // At once, so that none that ends meanwhile is announced after its end.
    stream.announceSubscriber(subscriber)
  }
}

function requestOf(action: SessionAction, init: SessionInit, owner: StreamOwner): SessionRequest {
  return {
    ...init,
    action,
    streamPath: checkStreamPath(init.streamPath),
    protocol: owner.plugin,
    type: init.type ?? 'server',
    params: parseQuery(init.query),
  }
}

/** Logs why a request was denied, if it was. */
async function logged<T>(owner: StreamOwner, request: SessionRequest, passing: Promise<T>): Promise<T> {
  try {
    return await passing
  } catch (error) {
    if (error instanceof StreamDenied) logDenial(owner.log, request, error)
    throw error
  }
}
