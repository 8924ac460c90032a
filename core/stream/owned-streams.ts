import type {
  Publisher,
  PublishOptions,
  SessionInit,
  StreamAuthHandler,
  StreamInfo,
  StreamManager,
  Subscriber,
  SubscriberInfo,
} from 'sluice/sdk'
import type { Gatekeeper } from '../auth/gatekeeper.ts'
import type { Asking, StreamRegistry } from './registry.ts'
import { subscriberInfo } from './stream.ts'
import type { StreamOwner } from './stream-owner.ts'
import type { StreamPublisher } from './stream-publisher.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'

/** The streams as one generation of a plugin reaches them, and the sessions it has made. */
export class OwnedStreams {
  readonly manager: StreamManager
  readonly #registry: StreamRegistry
  readonly #gatekeeper: Gatekeeper
  readonly #sessions = new Set<StreamPublisher | StreamSubscriber>()
  #idleListeners: (() => void)[] = []
  #asking: Asking

  constructor(registry: StreamRegistry, gatekeeper: Gatekeeper, owner: StreamOwner) {
    this.#registry = registry
    this.#gatekeeper = gatekeeper
    this.#asking = { owner, chain: gatekeeper.chainFor(owner) }
    this.manager = this.#createManager()
  }

  /** Running sessions, waiting subscribers included. */
  get sessionCount(): number {
    return this.#sessions.size
  }

  /** Tells once when no session is left; at once when none is. */
  onIdle(listener: () => void): void {
    if (this.#sessions.size === 0) listener()
    else this.#idleListeners.push(listener)
  }

  /** Applies another config to the sessions to come. */
  configure(config: StreamOwner['config']): void {
    const owner = { ...this.#asking.owner, config }
    this.#asking = { owner, chain: this.#gatekeeper.chainFor(owner) }
  }

  /** Ends all sessions. */
  close(reason: string): void {
    for (const session of [...this.#sessions]) session.close(reason)
  }

  /** Takes back what was set: the auth handler. */
  dispose(): void {
    this.#gatekeeper.removeOwner(this)
  }

  #createManager(): StreamManager {
    const setStreamAuthHandler = (handler: StreamAuthHandler | null) => this.#gatekeeper.setHandler(this, handler)
    return {
      publish: (request, options) => this.#publish(request, options),
      subscribe: (request) => this.#subscribe(request),
      get: (streamPath): StreamInfo | undefined => this.#registry.get(streamPath)?.info(),
      list: (): StreamInfo[] => this.#registry.list().map((stream) => stream.info()),
      subscribers: (streamPath): SubscriberInfo[] => this.#registry.subscribers(streamPath).map(subscriberInfo),
      setStreamAuthHandler,
      set_stream_auth_handler: setStreamAuthHandler,
    }
  }

  async #publish(request: SessionInit, options: PublishOptions = {}): Promise<Publisher> {
    const publisher = await this.#registry.publish(request, options, this.#asking)
    this.#track(publisher)
    return publisher
  }

  #subscribe(request: SessionInit): Promise<Subscriber> {
    return this.#registry.subscribe(request, this.#asking, (subscriber) => this.#track(subscriber))
  }

  #track(session: StreamPublisher | StreamSubscriber): void {
    this.#sessions.add(session)
    session.onClose(() => {
      this.#sessions.delete(session)
      if (this.#sessions.size > 0) return
      const listeners = this.#idleListeners
      this.#idleListeners = []
      for (const listener of listeners) listener()
    })
  }
}
