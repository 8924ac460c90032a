import { performance } from 'node:perf_hooks'
import type {
  AccessUnit,
  Hooks,
  MuxerFormat,
  StreamInfo,
  StreamState,
  SubscriberInfo,
  Track,
  UnitReader,
} from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import type { Logger } from 'pino'
import { GopCache, type CacheEntry } from './gop-cache.ts'
import type { MergeWindow } from './merge-window.ts'
import { SharedMuxer } from './shared-muxer.ts'
import type { PublisherStream, StreamPublisher } from './stream-publisher.ts'
import type { StreamSubscriber, SubscriberStream } from './stream-subscriber.ts'
import { isStart, selectionKey, selectsTrack } from './track-selection.ts'
import { UnitReaders } from './unit-readers.ts'

export type UnitEntry = CacheEntry & { readonly unit: AccessUnit }

/** Hooks as a stream uses them. */
export interface NoticeHooks {
  notify<Name extends Exclude<keyof Hooks, 'publish' | 'subscribe' | 'resolve'>>(
    name: Name,
    ...args: Parameters<Hooks[Name]>
  ): void
}

type StreamDeps = {
  readonly log: Logger
  readonly hooks: NoticeHooks
  readonly mergeWindow: MergeWindow
  /** Neither publisher nor subscribers are left. */
  readonly onEmpty: (stream: Stream) => void
}

/** The meeting place of one path: at most one publisher, and whoever subscribes or waits for one. */
export class Stream implements PublisherStream, SubscriberStream {
  readonly path: string
  readonly subscribers = new Set<StreamSubscriber>()
  readonly #deps: StreamDeps
  readonly #muxers = new Map<MuxerFormat, Map<string, SharedMuxer>>()
  readonly #readers: UnitReaders
  readonly #cache = new GopCache<UnitEntry>()
  readonly #arrivals = new Set<() => void>()
  #publisher: StreamPublisher | undefined
  #hasVideo = false
  #lastMs: number | undefined
  #lastDispatchMs = 0
  #hadSubscriber = false
  #idleSinceMs = 0
  #continueTimer: NodeJS.Timeout | undefined

  constructor(path: string, deps: StreamDeps) {
    this.path = path
    this.#deps = deps
    this.#readers = new UnitReaders(deps.log)
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

  /** Subscribers from outside: the server's own don't count. */
  get subscriberCount(): number {
    let count = 0
    for (const subscriber of this.subscribers) if (subscriber.request.type === 'server') count++
    return count
  }

  /** Whether it is kept for a publisher that may come back. */
  get awaitsPublisher(): boolean {
    return this.#continueTimer !== undefined
  }

  /** Since when nobody subscribes, on the monotonic clock. */
  get idleSinceMs(): number {
    return this.#idleSinceMs
  }

  get hadSubscriber(): boolean {
    return this.#hadSubscriber
  }

  get muxers(): SharedMuxer[] {
    return [...this.#muxers.values()].flatMap((variants) => [...variants.values()])
  }

  /** Where the time of the next publisher starts, so that its viewers' time goes on; undefined for a new stream. */
  get nextStartMs(): number | undefined {
    if (this.#lastMs === undefined) return undefined
    return Math.round(this.#lastMs + performance.now() - this.#lastDispatchMs)
  }

  info(): StreamInfo {
    const publisher = this.#publisher
    return {
      path: this.path,
      state: this.state,
      subscriberCount: this.subscriberCount,
      tracks: this.tracks,
      metadata: publisher?.metadata ?? {},
      startTime: publisher?.startTime ?? new Date(0),
      pluginName: publisher?.request.protocol ?? '',
      type: publisher?.request.type ?? 'server',
    }
  }

  /** Puts a publisher in; the place is free. */
  setPublisher(publisher: StreamPublisher): void {
    clearTimeout(this.#continueTimer)
    this.#continueTimer = undefined
    this.#publisher = publisher
    this.#idleSinceMs = performance.now()
    this.#hadSubscriber = this.subscribers.size > 0
    for (const subscriber of this.subscribers) subscriber.stopWaiting()
    this.#setBuffer()
    this.#deps.hooks.notify('published', this.info())
  }

  /** Takes a subscriber in; it waits until {@link whenReady} says otherwise. */
  addSubscriber(subscriber: StreamSubscriber): void {
    this.subscribers.add(subscriber)
    this.#setBuffer()
    if (this.#publisher === undefined) subscriber.startWaiting(subscriber.config.waittimeout)
    else this.#hadSubscriber = true
  }

  /** Resolves when the tracks that the subscriber wants are there, or the subscriber has ended. */
  whenReady(subscriber: StreamSubscriber): Promise<void> {
    if (this.#isReady(subscriber)) return Promise.resolve()
    return new Promise((resolve) => {
      const check = () => {
        if (!subscriber.session.closed && !this.#isReady(subscriber)) return
        this.#arrivals.delete(check)
        resolve()
      }
      this.#arrivals.add(check)
      subscriber.onClose(check)
    })
  }

  trackAdded(track: Track): void {
    if (track.kind === 'video') this.#hasVideo = true
    this.trackConfigured(track)
    this.#announceArrival()
  }

  trackConfigured(track: Track): void {
    if (track.kind === 'video') this.#cache.clear()
    for (const muxer of this.muxers) muxer.configure(track, this.#publisher?.timeline.lastMs ?? 0)
    this.#readers.track(track)
    this.#deps.hooks.notify('track', this.info(), track)
  }

  trackRemoved(track: Track): void {
    this.#hasVideo = this.tracks.some((other) => other.kind === 'video')
    for (const muxer of this.muxers) muxer.removeTrack(track)
  }

  tracksCompleted(): void {
    this.#announceArrival()
  }

  metadataChanged(): void {
    for (const muxer of this.muxers) muxer.metadataChanged()
  }

  dispatch(unit: AccessUnit): void {
    const timeMs = rescale(unit.dts, unit.track.timescale, 1000)
    this.#cache.push({ unit, timeMs, sizeBytes: unit.sizeBytes, start: isStart(unit, this.#hasVideo) })
    for (const variants of this.#muxers.values()) for (const muxer of variants.values()) muxer.write(unit)
    this.#readers.write(unit, this.#hasVideo)
  }

  publisherClosed(publisher: StreamPublisher, reason: string): void {
    if (this.#publisher !== publisher) return
    const info = this.info()
    this.#lastMs = publisher.timeline.lastMs
    this.#lastDispatchMs = publisher.lastWriteMs
    this.#publisher = undefined
    this.#hasVideo = false
    this.#cache.clear()
    for (const muxer of this.muxers) muxer.sourceEnded()
    this.#readers.sourceEnded()
    const continueMs = publisher.config.continuepushtimeout
    for (const subscriber of this.subscribers) subscriber.startWaiting(continueMs + subscriber.config.waittimeout)
    if (continueMs > 0) this.#continueTimer = setTimeout(() => this.#giveUp(), continueMs).unref()
    this.#deps.hooks.notify('unpublished', info, reason)
    this.#checkEmpty()
  }

  muxerFor(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer {
    const { writemerge } = subscriber.config
    const key = `${selectionKey(subscriber.selection)} ${writemerge}`
    const variants = this.#muxers.get(format) ?? new Map<string, SharedMuxer>()
    this.#muxers.set(format, variants)
    const known = variants.get(key)
    if (known !== undefined) return known
    const muxer = new SharedMuxer({
      format,
      selection: subscriber.selection,
      windowMs: writemerge === 'auto' ? () => this.#deps.mergeWindow.autoMs : () => writemerge,
      source: () => ({ tracks: this.tracks, metadata: this.#publisher?.metadata ?? {} }),
      bufferMs: this.#cache.bufferMs,
      log: this.#deps.log,
    })
    muxer.prime(this.#cache.entries.map((entry) => entry.unit))
    variants.set(key, muxer)
    return muxer
  }

  addReader(subscriber: StreamSubscriber, reader: UnitReader): void {
    this.#readers.add(
      subscriber,
      reader,
      this.tracks.filter((track) => selectsTrack(subscriber.selection, track)),
      this.#cache,
    )
  }

  subscriberClosed(subscriber: StreamSubscriber, reason: string): void {
    if (!this.subscribers.delete(subscriber)) return
    this.#readers.delete(subscriber)
    this.#detach(subscriber)
    this.#setBuffer()
    this.#idleSinceMs = performance.now()
    this.#deps.hooks.notify('unsubscribed', subscriberInfo(subscriber), reason)
    this.#checkEmpty()
  }

  #detach(subscriber: StreamSubscriber): void {
    const { viewer, muxer } = subscriber
    if (viewer === undefined || muxer === undefined || !muxer.detach(viewer)) return
    muxer.close()
    for (const [format, variants] of this.#muxers) {
      for (const [key, other] of variants) if (other === muxer) variants.delete(key)
      if (variants.size === 0) this.#muxers.delete(format)
    }
  }

  #isReady(subscriber: StreamSubscriber): boolean {
    const publisher = this.#publisher
    if (publisher === undefined) return false
    const video = publisher.tracks.some((track) => track.kind === 'video')
    const audio = publisher.tracks.some((track) => track.kind === 'audio')
    switch (subscriber.config.waittrack) {
      case 'video':
        return (video && audio) || (publisher.complete !== 'no' && (video || audio))
      case 'audio':
        return audio || (publisher.complete !== 'no' && video)
      case 'all':
        return (video && audio) || (publisher.complete === 'declared' && (video || audio))
    }
  }

  #announceArrival(): void {
    for (const check of [...this.#arrivals]) check()
  }

  // The buffer is as long as the publisher's section or one of its subscribers wants.
  #setBuffer(): void {
    let bufferMs = this.#publisher?.config.buffertime ?? 0
    for (const subscriber of this.subscribers) bufferMs = Math.max(bufferMs, subscriber.config.buffertime)
    if (bufferMs === this.#cache.bufferMs) return
    this.#cache.bufferMs = bufferMs
    for (const muxer of this.muxers) muxer.bufferMs = bufferMs
  }

  #giveUp(): void {
    this.#continueTimer = undefined
    this.#checkEmpty()
  }

  #checkEmpty(): void {
    if (this.#publisher === undefined && this.subscribers.size === 0 && !this.awaitsPublisher) this.#deps.onEmpty(this)
  }
}

export function subscriberInfo(subscriber: StreamSubscriber): SubscriberInfo {
  const { request } = subscriber
  const { ip, port } = request.client
  return {
    id: subscriber.id,
    streamPath: subscriber.streamPath,
    pluginName: request.protocol,
    type: request.type,
    remoteAddr: ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`,
    startTime: subscriber.startTime,
  }
}
