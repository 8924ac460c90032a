import type { SessionType } from 'sluice/sdk'
import type { StreamSubscriber } from './stream-subscriber.ts'

/** The present streams and subscribers. Streams report each that comes and goes, so that counts need no search. */
export class StreamIndex<Stream> {
  readonly #published = new Set<Stream>()
  readonly #expected = new Set<Stream>()
  readonly #subscribers = new Map<number, StreamSubscriber>()
  readonly #counts = new Map<SessionType, number>()

  /** The streams that have a publisher. */
  get published(): ReadonlySet<Stream> {
    return this.#published
  }

  /** The number of paths that are taken: published, or kept for a publisher that has yet to connect. */
  get takenPaths(): number {
    return this.#published.size + this.#expected.size
  }

  /** All subscribers by their ids, including those that wait. */
  get subscribers(): ReadonlyMap<number, StreamSubscriber> {
    return this.#subscribers
  }

  /** The number of subscribers of a type. */
  countOf(type: SessionType): number {
    return this.#counts.get(type) ?? 0
  }

  publisherExpected(stream: Stream): void {
    this.#expected.add(stream)
  }

  publisherCame(stream: Stream): void {
    this.#expected.delete(stream)
    this.#published.add(stream)
  }

  publisherWent(stream: Stream): void {
    this.#expected.delete(stream)
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
