import type { Resolution, Track } from 'sluice/sdk'
import type { StreamPublisher } from './stream-publisher.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'

/** The path or address to which subscribers that wait for a path are to go instead. */
export type Elsewhere = Extract<Resolution, { readonly streamPath: string } | { readonly redirect: string }>

/** The subscribers of one stream that wait for the tracks they want. */
export class TrackWait {
  readonly #waiting = new Map<StreamSubscriber, (elsewhere: Elsewhere | undefined) => void>()

  /** The subscriber that has waited longest; undefined when none waits. */
  get first(): StreamSubscriber | undefined {
    return this.#waiting.keys().next().value
  }

  has(subscriber: StreamSubscriber): boolean {
    return this.#waiting.has(subscriber)
  }

  /** The subscribers that wait; the one that has waited longest is first. */
  get all(): StreamSubscriber[] {
    return [...this.#waiting.keys()]
  }

  /** Adds a subscriber; resolves when it is released, or has ended, with the place where it is to go instead, if any. */
  enter(subscriber: StreamSubscriber): Promise<Elsewhere | undefined> {
    const { promise, resolve } = Promise.withResolvers<Elsewhere | undefined>()
    this.#waiting.set(subscriber, resolve)
    subscriber.onClose(() => this.release(subscriber))
    return promise
  }

  /** Ends a subscriber's waiting; returns true when it has waited. */
  release(subscriber: StreamSubscriber, elsewhere?: Elsewhere): boolean {
    const resolve = this.#waiting.get(subscriber)
    if (resolve === undefined) return false
    this.#waiting.delete(subscriber)
    subscriber.stopWaiting()
    resolve(elsewhere)
    return true
  }

  /** Releases the subscribers that the publisher's tracks are enough for; returns true when there was one. */
  releaseReady(publisher: StreamPublisher): boolean {
    const ready = this.all.filter((subscriber) => isReady(subscriber, publisher))
    for (const subscriber of ready) this.release(subscriber)
    return ready.length > 0
  }
}

/**
 * True when the publisher has the tracks that the subscriber wants to start with (see `subscribe.waittrack`). No subscriber
 * starts while a unit of some track is still awaited.
 */
export function isReady(subscriber: StreamSubscriber, publisher: StreamPublisher): boolean {
  if (publisher.awaits === 'some') return false
  const has = (kind: Track['kind']) => publisher.tracks.some((track) => track.kind === kind)
  const any = publisher.tracks.length > 0
  const video = has('video')
  const audio = has('audio')
  switch (subscriber.config.waittrack) {
    case 'video':
      return (video && audio) || (publisher.complete !== 'no' && any)
    case 'audio':
      return audio || (publisher.complete !== 'no' && any)
    case 'all':
      return (video && audio) || (publisher.complete === 'declared' && any && publisher.silentTracks.length === 0)
  }
}
