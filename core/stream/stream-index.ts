import type { SessionType } from 'sluice/sdk'
import type { StreamSubscriber } from './stream-subscriber.ts'

/** The streams and subscribers that there are at present. Streams tell what comes and goes, so nothing is counted by looking. */
export class StreamIndex<Stream> {
  readonly #published = new Set<Stream>()
  readonly #subscribers = new Map<number, StreamSubscriber>()
  readonly #counts = new Map<SessionType, number>()

  /** The streams that have a publisher. */
  get published(): ReadonlySet<Stream> {
    return this.#published
  }

  /** All subscribers by their ids, those included that wait. */
  get subscribers(): ReadonlyMap<number, StreamSubscriber> {
    return this.#subscribers
  }

  /** The number of subscribers of a type. */
  countOf(type: SessionType): number {
    return this.#counts.get(type) ?? 0
  }

  publisherCame(stream: Stream): void {
    this.#published.add(stream)
  }

  publisherWent(stream: Stream): void {
    this.#published.delete(stream)
  }

  subscriberCame(subscriber: StreamSubscriber): void {
    this.#subscribers.set(subscriber.id, subscriber)
    this.#count(subscriber, 1)
  }

  subscriberWent(subscriber: StreamSubscriber): void {
    this.#subscribers.delete(subscriber.id)
    this.#count(subscriber, -1)
  }

  #count({ request: { type } }: StreamSubscriber, change: 1 | -1): void {
    this.#counts.set(type, this.countOf(type) + change)
  }
}
