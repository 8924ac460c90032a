import { performance } from 'node:perf_hooks'
import type {
  AccessUnit,
  CloseReason,
  Hooks,
  MuxerFormat,
  StreamInfo,
  StreamState,
  Track,
  UnitReader,
} from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import type { Logger } from 'pino'
import { FanOut } from './fan-out/fan-out.ts'
import { HoldBack } from './hold-back.ts'
import type { MergeWindow } from './fan-out/merge-window.ts'
import type { SharedMuxer } from './fan-out/shared-muxer.ts'
import type { PublisherStream, StreamPublisher } from './stream-publisher.ts'
import { subscriberInfo, type StreamSubscriber, type SubscriberStream } from './stream-subscriber.ts'
import { TrackWait, isReady } from './track-wait.ts'

/** Hooks as a stream uses them. */
export interface NoticeHooks {
  notify<Name extends Exclude<keyof Hooks, 'publish' | 'subscribe' | 'resolve'>>(
    name: Name,
    ...args: Parameters<Hooks[Name]>
  ): void
}

type StreamOptions = {
  readonly log: Logger
  readonly hooks: NoticeHooks
  readonly mergeWindow: MergeWindow
  /** Called when neither publisher nor subscribers are left. */
  readonly onEmpty: (stream: Stream) => void
}

/** One path: at most one publisher, and the subscribers, which may wait for a publisher. */
export class Stream implements PublisherStream, SubscriberStream {
  readonly path: string
  readonly subscribers = new Set<StreamSubscriber>()
  readonly #options: StreamOptions
  readonly #fanOut: FanOut
  readonly #trackWait = new TrackWait()
  readonly #holdBack = new HoldBack((unit) => this.#dispatch(unit))
  #publisher: StreamPublisher | undefined
  #subscriberCount = 0
  #lastMs: number | undefined
  #lastDispatchMs = 0
  #hadSubscriber = false
  #idleSinceMs = 0
  #continueTimer: NodeJS.Timeout | undefined

  constructor(path: string, options: StreamOptions) {
    this.path = path
    this.#options = options
    const source = () => ({ tracks: this.tracks, metadata: this.#publisher?.metadata ?? {} })
    this.#fanOut = new FanOut({ log: options.log, mergeWindow: options.mergeWindow, source })
  }

  get publisher(): StreamPublisher | undefined {
    return this.#publisher
  }

  get tracks(): readonly Track[] {
    return this.#publisher?.tracks ?? []
  }

  get state(): StreamState {
    if (this.#publisher === undefined) return 4
    if (this.subscribers.size > 0) return 2
    if (this.#hadSubscriber) return 3
    return this.tracks.length > 0 ? 1 : 0
  }

  /** The number of subscribers from outside; the server's own don't count. */
  get subscriberCount(): number {
    return this.#subscriberCount
  }

  /** The time since when nobody subscribes, on the monotonic clock. */
  get idleSinceMs(): number {
    return this.#idleSinceMs
  }

  get hadSubscriber(): boolean {
    return this.#hadSubscriber
  }

  get muxers(): readonly SharedMuxer[] {
    return this.#fanOut.muxers
  }

  /** The time at which the next publisher starts, so that the subscribers' time goes on; undefined for a new stream. */
  get nextStartMs(): number | undefined {
    if (this.#lastMs === undefined) return undefined
    return Math.round(this.#lastMs + performance.now() - this.#lastDispatchMs)
  }

  /** A snapshot for plugins. */
  info(): StreamInfo {
    const { path, state, subscriberCount, tracks, publisher } = this
    return {
      path,
      state,
      subscriberCount,
      tracks,
      metadata: publisher?.metadata ?? {},
      startTime: publisher?.startTime ?? new Date(0),
      pluginName: publisher?.request.protocol ?? '',
      type: publisher?.request.type ?? 'server',
    }
  }

  /** Takes a publisher in; the path must be free. */
  setPublisher(publisher: StreamPublisher): void {
    clearTimeout(this.#continueTimer)
    this.#continueTimer = undefined
    this.#publisher = publisher
    this.#idleSinceMs = performance.now()
    this.#hadSubscriber = this.subscribers.size > 0
    for (const subscriber of this.subscribers) {
      // Those that wait for it wait for its tracks now.
      if (this.#trackWait.has(subscriber)) this.#wait(subscriber, subscriber.config.waittimeout)
      else subscriber.stopWaiting()
      subscriber.publisherCame()
    }
    this.#setBuffer()
    this.#options.hooks.notify('published', this.info())
  }

  /** Takes a subscriber in; it waits until {@link whenReady} says otherwise. */
  addSubscriber(subscriber: StreamSubscriber): void {
    this.subscribers.add(subscriber)
    if (subscriber.request.type === 'server') this.#subscriberCount++
    if (subscriber.config.buffertime > 0) this.#setBuffer()
    if (this.#publisher === undefined) return
    this.#hadSubscriber = true
    subscriber.publisherCame()
  }

  /**
   * Resolves when the tracks that the subscriber wants are there, when its `waittimeout` is over and there are others, or
   * when it has ended.
   */
  whenReady(subscriber: StreamSubscriber): Promise<void> {
    const publisher = this.#publisher
    if (subscriber.session.closed || (publisher && isReady(subscriber, publisher))) return Promise.resolve()
    this.#wait(subscriber, subscriber.config.waittimeout)
    return this.#trackWait.enter(subscriber)
  }

  /** Begins the subscriber's session: it got the stream. */
  announceSubscriber(subscriber: StreamSubscriber): void {
    subscriber.session.begin()
    this.#options.hooks.notify('subscribed', subscriberInfo(subscriber))
  }

  tracksChanging(): void {
    this.#holdBack.end()
    this.#fanOut.flush()
  }

  trackAdded(track: Track): void {
    this.#configure(track, 'added')
    this.#checkWaiting()
  }

  trackConfigured(track: Track): void {
    this.#configure(track, 'configured')
  }

  trackRemoved(track: Track): void {
    this.#fanOut.removeTrack(track)
  }

  tracksCompleted(): void {
    this.#checkWaiting()
  }

  metadataChanged(): void {
    this.#fanOut.metadataChanged()
  }

  dispatch(unit: AccessUnit): void {
    if (!this.#holdBack.holds(unit)) this.#dispatch(unit)
  }

  publisherClosed(publisher: StreamPublisher, reason: CloseReason): void {
    if (this.#publisher !== publisher) return
    const info = this.info()
    this.tracksChanging()
    this.#lastMs = publisher.timeline.lastMs
    this.#lastDispatchMs = publisher.lastWriteMs
    this.#publisher = undefined
    this.#fanOut.sourceEnded()
    const continueMs = publisher.config.continuepushtimeout
    for (const subscriber of this.subscribers) this.#wait(subscriber, continueMs + subscriber.config.waittimeout)
    if (continueMs > 0) this.#continueTimer = setTimeout(() => this.#giveUp(), continueMs).unref()
    this.#options.hooks.notify('unpublished', info, reason)
    this.#checkEmpty()
  }

  /** Ends all sessions; no publisher is waited for. */
  close(reason: CloseReason): void {
    this.tracksChanging()
    for (const subscriber of [...this.subscribers]) subscriber.close(reason)
    this.#publisher?.close(reason)
    clearTimeout(this.#continueTimer)
    this.#giveUp()
  }

  muxerFor(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer {
    return this.#fanOut.muxerFor(format, subscriber)
  }

  addReader(subscriber: StreamSubscriber, reader: UnitReader): void {
    this.#fanOut.addReader(subscriber, reader)
  }

  setReaderPaused(subscriber: StreamSubscriber, paused: boolean): void {
    this.#fanOut.setReaderPaused(subscriber, paused)
  }

  subscriberClosed(subscriber: StreamSubscriber, reason: CloseReason): void {
    if (!this.subscribers.delete(subscriber)) return
    if (subscriber.request.type === 'server') this.#subscriberCount--
    this.#fanOut.delete(subscriber)
    if (subscriber.config.buffertime > 0) this.#setBuffer()
    this.#idleSinceMs = performance.now()
    if (subscriber.session.begun) this.#options.hooks.notify('unsubscribed', subscriberInfo(subscriber), reason)
    this.#checkEmpty()
  }

  #dispatch(unit: AccessUnit): void {
    this.#fanOut.write(unit, rescale(unit.dts, unit.track.timescale, 1000))
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
    this.#fanOut.configure(track, change, this.#publisher?.timeline.lastMs ?? 0)
    this.#options.hooks.notify('track', this.info(), track)
  }

  // The buffer is as long as the publisher's section or one of its subscribers wants.
  #setBuffer(): void {
    let bufferMs = this.#publisher?.config.buffertime ?? 0
    for (const subscriber of this.subscribers) bufferMs = Math.max(bufferMs, subscriber.config.buffertime)
    this.#fanOut.bufferMs = bufferMs
  }

  #giveUp(): void {
    this.#continueTimer = undefined
    this.#checkEmpty()
  }

  #checkEmpty(): void {
    const kept = this.#continueTimer !== undefined
    if (this.#publisher === undefined && this.subscribers.size === 0 && !kept) this.#options.onEmpty(this)
  }
}
