import type { Track } from 'sluice/sdk'
import type { StreamPublisher } from './stream-publisher.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'

/** The subscribers of one stream that wait for the tracks they want. */
export class TrackWait {
  readonly #waiting = new Map<StreamSubscriber, () => void>()

  has(subscriber: StreamSubscriber): boolean {
    return this.#waiting.has(subscriber)
  }

  /** Takes a subscriber in; resolves when it is released, or has ended. */
  enter(subscriber: StreamSubscriber): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(subscriber, resolve)
    subscriber.onClose(() => this.release(subscriber))
    return promise
  }

  release(subscriber: StreamSubscriber): void {
    const resolve = this.#waiting.get(subscriber)
    if (resolve === undefined) return
    this.#waiting.delete(subscriber)
    subscriber.stopWaiting()
    resolve()
  }

  /** Releases the subscribers that the publisher's tracks are enough for; returns whether there was one. */
  releaseReady(publisher: StreamPublisher): boolean {
    const ready = [...this.#waiting.keys()].filter((subscriber) => isReady(subscriber, publisher))
    for (const subscriber of ready) this.release(subscriber)
    return ready.length > 0
  }
}

/** Whether the publisher has the tracks that the subscriber wants to start with (see `subscribe.waittrack`). */
export function isReady(subscriber: StreamSubscriber, publisher: StreamPublisher): boolean {
  const has = (kind: Track['kind']) => publisher.tracks.some((track) => track.kind === kind)
  const video = has('video')
  const audio = has('audio')
  switch (subscriber.config.waittrack) {
    case 'video':
      return (video && audio) || (publisher.complete !== 'no' && (video || audio))
    case 'audio':
      return audio || (publisher.complete !== 'no' && video)
    case 'all':
      return (video && audio) || (publisher.complete === 'declared' && (video || audio))
  }
}
