import { performance } from 'node:perf_hooks'
import type { AccessUnit, CloseReason, MuxerFormat, Publisher, StreamInfo, Track } from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import type { Logger } from 'pino'
import { Entrants } from './entrants.ts'
import { FanOut } from './fan-out/fan-out.ts'
import { HoldBack } from './hold-back.ts'
import type { MergeWindow } from './fan-out/merge-window.ts'
import type { ReaderQueue } from './fan-out/reader-queue.ts'
import type { SharedMuxer } from './fan-out/shared-muxer.ts'
import { streamInfo } from './stream-info.ts'
import { StreamClock } from './stream-clock.ts'
import { StreamTraffic } from './stream-traffic.ts'
import type { StreamHooks } from './stream-hooks.ts'
import type { StreamIndex } from './stream-index.ts'
import type { PublisherStream } from './publisher-stream.ts'
import type { StreamPublisher } from './stream-publisher.ts'
import { PathResolver } from './path-resolver.ts'
import { PendingMoves, movePending } from './pending-moves.ts'
import { endedPublisher, endedSubscriber } from './session-ends.ts'
import type { StreamSubscriber, SubscriberStream } from './stream-subscriber.ts'
import { subscriberInfo } from './subscriber-info.ts'
import { TrackWait, isReady, type Elsewhere } from './track-wait.ts'

type StreamOptions = {
  readonly log: Logger
  readonly hooks: StreamHooks
  readonly mergeWindow: MergeWindow
  readonly index: StreamIndex<Stream>
  /** The id of the node of all streams in the task tree, which publishers are below. */
  readonly nodeId: number
  /** Called when neither publisher nor subscribers are left. */
  readonly onEmpty: (stream: Stream) => void
}

/** One path: at most one publisher, and the subscribers, which may wait for a publisher. */
export class Stream implements PublisherStream, SubscriberStream {
  readonly path: string
  readonly clock = new StreamClock()
  readonly traffic = new StreamTraffic()
  /** The subscribers that are to be moved here. */
  readonly pendingMoves: PendingMoves = new PendingMoves(this)
  readonly subscribers = new Set<StreamSubscriber>()
  /** The muxers and readers of its media, with the newest of it. */
  readonly fanOut: FanOut
  readonly #options: StreamOptions
  readonly #trackWait = new TrackWait()
  readonly #entrants = new Entrants()
  readonly #resolver: PathResolver
  readonly #holdBack = new HoldBack({
    dispatch: (unit) => this.#dispatch(unit),
    isOpen: () => this.#publisher !== undefined && this.#publisher.awaits !== 'none',
  })
  #publisher: StreamPublisher | undefined
  #expected: StreamPublisher | undefined
  #subscriberCount = 0
  #hadSubscriber = false
  #idleSinceMs = 0
  #continueTimer: NodeJS.Timeout | undefined

  constructor(path: string, options: StreamOptions) {
    this.path = path
    this.#options = options
    const source = () => ({ tracks: this.tracks, metadata: this.#publisher?.metadata ?? {} })
    this.fanOut = new FanOut({ log: options.log, mergeWindow: options.mergeWindow, source })
    this.#resolver = new PathResolver({
      path,
      waiting: this.#trackWait,
      hasPublisher: () => this.#publisher !== undefined,
      resolve: (request) => options.hooks.resolve(request),
      wait: (subscriber, withinMs) => this.#wait(subscriber, withinMs),
    })
  }

  get publisher(): StreamPublisher | undefined {
    return this.#publisher
  }

  /** The publisher, or the one that the path is kept for and that has yet to connect. */
  get holder(): StreamPublisher | undefined {
    return this.#publisher ?? this.#expected
  }

  get tracks(): readonly Track[] {
    return this.#publisher?.tracks ?? []
  }

  /** The number of subscribers from outside; the server's own don't count. */
  get subscriberCount(): number {
    return this.#subscriberCount
  }

  /** The time since which there is no subscriber, on the monotonic clock. */
  get idleSinceMs(): number {
    return this.#idleSinceMs
  }

  get hadSubscriber(): boolean {
    return this.#hadSubscriber
  }

  /** True while a subscriber that is not passive keeps the stream going. */
  get isHeld(): boolean {
    return this.subscribers.values().some(({ request }) => request.passive !== true)
  }

  /** A snapshot for plugins. */
  info(): StreamInfo {
    return streamInfo(this)
  }

  /** Sets the publisher, or keeps the path for it until it has connected; the path must be free. */
  setPublisher(publisher: StreamPublisher): void {
    if (!publisher.isConnecting) return this.#begin(publisher)
    this.#expected = publisher
    this.#options.index.publisherExpected(this)
  }

  publisherConnected(publisher: Publisher): void {
    const expected = this.#expected
    if (expected === undefined || expected !== publisher) return
    this.#expected = undefined
    this.#begin(expected)
  }

  /** Adds a subscriber; it waits until {@link whenReady} resolves. */
  addSubscriber(subscriber: StreamSubscriber): void {
    this.subscribers.add(subscriber)
    this.#options.index.subscriberCame(subscriber)
    if (subscriber.request.type === 'server') this.#subscriberCount++
    if (subscriber.config.buffertime > 0) this.#setBuffer()
    if (this.#publisher === undefined) {
      // A subscriber that had a stream before waits as if its publisher had ended.
      if (subscriber.session.begun) this.#wait(subscriber, subscriber.config.waittimeout)
      return
    }
    this.#hadSubscriber ||= subscriber.request.passive !== true
    subscriber.publisherCame()
  }

  /**
   * Resolves when the tracks that the subscriber wants are there, when its `waittimeout` is over and there are other tracks,
   * when it has ended, or with the place where it is to go instead.
   */
  whenReady(subscriber: StreamSubscriber): Promise<Elsewhere | undefined> {
    const publisher = this.#publisher
    if (!subscriber.session.closed) this.#entrants.add(subscriber)
    if (subscriber.session.closed || (publisher && isReady(subscriber, publisher))) return Promise.resolve(undefined)
    const ready = this.#trackWait.enter(subscriber)
    if (publisher === undefined) this.#resolver.begin()
    this.#wait(subscriber, Math.max(subscriber.config.waittimeout, this.#resolver.withinMs))
    return ready
  }

  /** Begins the subscriber's session: it got the stream. */
  announceSubscriber(subscriber: StreamSubscriber): void {
    subscriber.session.begin()
    this.#options.hooks.notify('subscribed', subscriberInfo(subscriber))
  }

  /** Releases a waiting subscriber that has got nothing yet to another path; returns true when it was such a one. */
  leadElsewhere(subscriber: StreamSubscriber, streamPath: string): boolean {
    return this.#trackWait.release(subscriber, { streamPath })
  }

  flush(): void {
    this.#holdBack.flush()
    this.fanOut.flush()
  }

  trackAdded(track: Track): void {
    this.#configure(track, 'added')
    this.#checkWaiting()
  }

  trackConfigured(track: Track): void {
    this.#configure(track, 'configured')
  }

  trackRemoved(track: Track): void {
    this.fanOut.removeTrack(track)
  }

  flushOutput(): void {
    this.fanOut.flush()
  }

  tracksSettled(): void {
    this.#checkWaiting()
    this.#holdBack.settle()
  }

  whenTaken(): Promise<void> | undefined {
    return this.#entrants.whenTaken((subscriber) => !this.#trackWait.has(subscriber))
  }

  metadataChanged(): void {
    this.fanOut.metadataChanged()
  }

  discontinuity(): void {
    this.flush()
    this.fanOut.discontinuity()
  }

  dispatch(unit: AccessUnit): void {
    if (this.#holdBack.holds(unit)) return
    if (this.pendingMoves.size > 0 && this.fanOut.isStart(unit)) this.pendingMoves.moveAt(unit)
    this.#dispatch(unit)
  }

  publisherClosed(ended: Publisher, reason: CloseReason): void {
    if (this.#expected !== undefined && this.#expected === ended) return this.#forgetExpected()
    const publisher = this.#publisher
    if (publisher === undefined || publisher !== ended) return
    const info = this.info()
    this.#holdBack.end()
    this.flush()
    this.clock.end(publisher)
    this.#publisher = undefined
    this.#options.index.publisherWent(this)
    this.pendingMoves.cancelAll()
    this.fanOut.sourceEnded()
    movePending(this.subscribers)
    const continueMs = publisher.config.continuepushtimeout
    for (const subscriber of this.subscribers.values().toArray()) {
      if (publisher.personal) subscriber.close(reason)
      // A subscriber that waited in vain for media does not begin to wait anew.
      else if (reason.code === 'timeout' && this.#trackWait.has(subscriber)) continue
      else this.#wait(subscriber, continueMs + subscriber.config.waittimeout)
    }
    if (continueMs > 0) this.#continueTimer = setTimeout(() => this.#giveUp(), continueMs).unref()
    const { hooks, nodeId } = this.#options
    hooks.notify('unpublished', info, reason)
    hooks.notifyEnded(() => endedPublisher(publisher, nodeId, reason))
    this.#resolver.resume()
    this.#checkEmpty()
  }

  /** Ends all sessions; subscribers do not wait for a publisher any more. */
  close(reason: CloseReason): void {
    this.flush()
    for (const subscriber of this.subscribers.values().toArray()) subscriber.close(reason)
    this.holder?.close(reason)
    clearTimeout(this.#continueTimer)
    this.#giveUp()
  }

  muxerFor(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer {
    this.#entrants.attached(subscriber)
    return this.fanOut.muxerFor(format, subscriber)
  }

  addReader(subscriber: StreamSubscriber, queue: ReaderQueue): void {
    this.#entrants.attached(subscriber)
    this.fanOut.addReader(subscriber, queue)
  }

  /** Removes a subscriber, which moves to another stream or ends; returns true when it was here. */
  removeSubscriber(subscriber: StreamSubscriber): boolean {
    if (!this.subscribers.delete(subscriber)) return false
    this.#options.index.subscriberWent(subscriber)
    this.#entrants.delete(subscriber)
    if (subscriber.request.type === 'server') this.#subscriberCount--
    this.fanOut.delete(subscriber)
    if (subscriber.config.buffertime > 0) this.#setBuffer()
    if (subscriber.request.passive !== true) this.#idleSinceMs = performance.now()
    if (!this.isHeld) this.#publisher?.subscribersLeft()
    this.#checkEmpty()
    return true
  }

  subscriberClosed(subscriber: StreamSubscriber, reason: CloseReason): void {
    subscriber.destination?.cancel(subscriber)
    if (!this.removeSubscriber(subscriber) || !subscriber.session.begun) return
    const { hooks, nodeId } = this.#options
    const info = subscriberInfo(subscriber)
    hooks.notify('unsubscribed', info, reason)
    hooks.notifyEnded(() => endedSubscriber(info, this.#publisher?.id ?? nodeId, reason))
  }

  #begin(publisher: StreamPublisher): void {
    clearTimeout(this.#continueTimer)
    this.#continueTimer = undefined
    this.#resolver.stop()
    this.#publisher = publisher
    this.#options.index.publisherCame(this)
    this.clock.begin(publisher)
    this.#idleSinceMs = performance.now()
    this.#hadSubscriber = this.isHeld
    for (const subscriber of this.subscribers) {
      // Subscribers that wait for the publisher wait for its tracks now.
      if (this.#trackWait.has(subscriber)) this.#wait(subscriber, subscriber.config.waittimeout)
      else subscriber.stopWaiting()
      subscriber.publisherCame()
    }
    this.#setBuffer()
    this.#options.hooks.notify('published', this.info())
  }

  #forgetExpected(): void {
    this.#expected = undefined
    this.#options.index.publisherWent(this)
    this.#checkEmpty()
  }

  #dispatch(unit: AccessUnit): void {
    this.fanOut.write(unit, rescale(unit.dts, unit.track.timescale, 1000))
  }

  #checkWaiting(): void {
    if (this.#publisher !== undefined && this.#trackWait.releaseReady(this.#publisher)) this.#holdBack.begin()
  }

  #wait(subscriber: StreamSubscriber, timeoutMs: number): void {
    subscriber.startWaiting(timeoutMs, () => {
      if (this.tracks.length === 0) subscriber.close({ code: 'timeout', text: 'subscribe timeout' })
      else this.#trackWait.release(subscriber)
    })
  }

  #configure(track: Track, change: 'added' | 'configured'): void {
    this.fanOut.configure(track, change, this.#publisher?.timeline.lastMs ?? 0)
    this.#options.hooks.notify('track', this.info(), track)
  }

  // The buffer is as long as the publisher's section or one of its subscribers wants.
  #setBuffer(): void {
    let bufferMs = this.#publisher?.config.buffertime ?? 0
    for (const subscriber of this.subscribers) bufferMs = Math.max(bufferMs, subscriber.config.buffertime)
    this.fanOut.bufferMs = bufferMs
  }

  #giveUp(): void {
    this.#continueTimer = undefined
    this.#checkEmpty()
  }

  #checkEmpty(): void {
    if (this.holder !== undefined || this.subscribers.size > 0) return
    this.#resolver.stop()
    if (this.#continueTimer === undefined) this.#options.onEmpty(this)
  }
}
