import {
  CLIENT_LEFT,
  StreamNotFound,
  StreamRedirect,
  StreamUnavailable,
  type SessionRequest,
  type SubscribeConfig,
} from 'sluice/sdk'
import type { Fitting } from './fitting.ts'
import type { Stream } from './stream.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'
import type { StreamTable } from './stream-table.ts'
import type { Elsewhere } from './track-wait.ts'

/** The most further paths that `resolve` hooks may move a subscriber to, one after another. */
const MAX_HOPS = 4

/** Finds the stream that a subscriber gets, which may be another than the one that it asked for, and waits for it. */
export class StreamFinder {
  readonly #streams: StreamTable
  readonly #fitting: Fitting

  constructor(streams: StreamTable, fitting: Fitting) {
    this.#streams = streams
    this.#fitting = fitting
  }

  /**
   * Returns the stream of a path, published or not.
   * @throws {StreamUnavailable} when there is no room for the subscriber
   */
  roomFor(path: string, { type }: SessionRequest, { maxcount }: Readonly<SubscribeConfig>): Stream {
    const stream = this.#streams.at(path)
    if (type !== 'server' || maxcount === 0 || stream.subscriberCount < maxcount) return stream
    throw new StreamUnavailable('subscribe max count exceeded')
  }

  /**
   * Waits for the stream of the subscriber to be there, or for the one that it is moved to instead.
   * @throws {StreamNotFound} when there is none in time
   * @throws {StreamRedirect} when its client is to go elsewhere
   * @throws {StreamUnavailable} when the subscriber has ended for another reason
   */
  async find(first: Stream, subscriber: StreamSubscriber, requestedPath: string): Promise<void> {
    const { signal } = subscriber.request
    const leave = () => subscriber.close(CLIENT_LEFT)
    if (signal?.aborted === true) leave()
    signal?.addEventListener('abort', leave)
    try {
      const stream = await this.#fit(await this.#follow(first, subscriber), subscriber)
      const { closeReason } = subscriber.session
      if (closeReason?.code === 'timeout') {
        // The message has the requested path, as clients must not see one that a control server has put in its place.
        const missing = stream.publisher === undefined ? 'nobody publishes' : 'there is no media yet of'
        throw new StreamNotFound(`${missing} ${requestedPath}`)
      }
      if (closeReason !== undefined) throw new StreamUnavailable(closeReason.text)
      // The announcement comes at once, so that no subscriber that ends meanwhile is announced after its end.
      stream.announceSubscriber(subscriber)
    } catch (error) {
      subscriber.close('refused')
      throw error
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  /** Returns the stream that the subscriber gets in place of one that is ready: one that it can take, or the same. */
  async #fit(stream: Stream, subscriber: StreamSubscriber): Promise<Stream> {
    const path = await this.#fitting.pathFor(stream, subscriber)
    if (path === undefined || subscriber.session.closed || subscriber.source !== stream) return stream
    const fitted = this.roomFor(path, subscriber.request, subscriber.config)
    subscriber.moveTo(fitted, undefined)
    return this.#follow(fitted, subscriber)
  }

  /**
   * Returns the stream that is ready, or on which the subscriber has ended.
   * @throws {StreamRedirect} when its client is to go elsewhere
   */
  async #follow(first: Stream, subscriber: StreamSubscriber): Promise<Stream> {
    const { request, config } = subscriber
    let stream = first
    for (let hops = 0; ; hops++) {
      const elsewhere = await this.#whereabouts(stream, subscriber)
      if (elsewhere === undefined || subscriber.session.closed) return stream
      if ('redirect' in elsewhere) throw new StreamRedirect(elsewhere.redirect).withQuery(request.query)
      if (hops === MAX_HOPS) throw new StreamUnavailable('the path leads to too many others')
      const next = this.roomFor(elsewhere.streamPath, request, config)
      subscriber.moveTo(next, undefined)
      stream = next
    }
  }

  /** Resolves when the stream is ready or the subscriber has ended, or with the place where it is to go instead. */
  async #whereabouts(stream: Stream, subscriber: StreamSubscriber): Promise<Elsewhere | undefined> {
    for (;;) {
      const elsewhere = await stream.whenReady(subscriber)
      // A publisher may have ended as soon as it was ready: the subscriber waits for the next one.
      if (elsewhere !== undefined || subscriber.session.closed || stream.publisher !== undefined) return elsewhere
    }
  }
}
