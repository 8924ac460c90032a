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
import { Boarding } from './boarding.ts'
import { GopCache, MAX_CACHE_BYTES } from './gop-cache.ts'
import type { MergeWindow } from './merge-window.ts'
import { MuxerTable } from './muxer-table.ts'
import type { SharedMuxer } from './shared-muxer.ts'
import { streamInfo } from './stream-info.ts'
import type { PublisherStream, StreamPublisher } from './stream-publisher.ts'
import { subscriberInfo, type StreamSubscriber, type SubscriberStream } from './stream-subscriber.ts'
import { ALL_TRACKS, isStart, leadTrack, selectsTrack } from './track-selection.ts'
import { UnitReaders, type UnitEntry } from './unit-readers.ts'
import { WaitingRoom, isReady } from './waiting-room.ts'

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
  readonly #muxers: MuxerTable
  readonly #readers = new UnitReaders()
  readonly #cache = new GopCache<UnitEntry>()
  readonly #waiting = new WaitingRoom()
  readonly #boarding = new Boarding((unit) => this.#dispatch(unit))
  #publisher: StreamPublisher | undefined
  #subscriberCount = 0
  #lead: Track | undefined
  readonly #shortagesLogged = new Set<string>()
  #lastMs: number | undefined
  #lastDispatchMs = 0
  #hadSubscriber = false
  #idleSinceMs = 0
  #continueTimer: NodeJS.Timeout | undefined

  constructor(path: string, deps: StreamDeps) {
    this.path = path
    this.#deps = deps
    this.#muxers = new MuxerTable({
      ...deps,
      source: () => ({ tracks: this.tracks, metadata: this.#publisher?.metadata ?? {} }),
      cache: this.#cache,
    })
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
    return this.#subscriberCount
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

  get muxers(): readonly SharedMuxer[] {
    return this.#muxers.all
  }

  /** Where the time of the next publisher starts, so that its viewers' time goes on; undefined for a new stream. */
  get nextStartMs(): number | undefined {
    if (this.#lastMs === undefined) return undefined
    return Math.round(this.#lastMs + performance.now() - this.#lastDispatchMs)
  }

  info(): StreamInfo {
    return streamInfo(this)
  }

  /** Puts a publisher in; the place is free. */
  setPublisher(publisher: StreamPublisher): void {
    clearTimeout(this.#continueTimer)
    this.#continueTimer = undefined
    this.#publisher = publisher
    this.#idleSinceMs = performance.now()
    this.#hadSubscriber = this.subscribers.size > 0
    this.#shortagesLogged.clear()
    for (const subscriber of this.subscribers) {
      // Those that wait for it wait for its tracks now.
      if (this.#waiting.has(subscriber)) this.#wait(subscriber, subscriber.config.waittimeout)
      else subscriber.stopWaiting()
    }
    this.#setBuffer()
    this.#deps.hooks.notify('published', this.info())
  }

  /** Takes a subscriber in; it waits until {@link whenReady} says otherwise. */
  addSubscriber(subscriber: StreamSubscriber): void {
    this.subscribers.add(subscriber)
    if (subscriber.request.type === 'server') this.#subscriberCount++
    if (subscriber.config.buffertime > 0) this.#setBuffer()
    if (this.#publisher !== undefined) this.#hadSubscriber = true
  }

  /**
   * Resolves when the tracks that the subscriber wants are there, when its `waittimeout` is over and there are others, or
   * when it has ended.
   */
  whenReady(subscriber: StreamSubscriber): Promise<void> {
    const publisher = this.#publisher
    if (subscriber.session.closed || (publisher && isReady(subscriber, publisher))) return Promise.resolve()
    this.#wait(subscriber, subscriber.config.waittimeout)
    return this.#waiting.enter(subscriber)
  }

  /** Notes that the subscriber got the stream. */
  announceSubscriber(subscriber: StreamSubscriber): void {
    subscriber.session.begin()
    this.#deps.hooks.notify('subscribed', subscriberInfo(subscriber))
  }

  tracksChanging(): void {
    this.#boarding.end()
    for (const muxer of this.muxers) muxer.flush()
  }

  trackAdded(track: Track): void {
    this.#followLead(false)
    this.#configure(track)
    this.#checkWaiting()
  }

  trackConfigured(track: Track): void {
    this.#followLead(true)
    this.#configure(track)
  }

  trackRemoved(track: Track): void {
    this.#followLead(false)
    for (const muxer of this.muxers) muxer.removeTrack(track)
    this.#readers.trackRemoved(track)
  }

  tracksCompleted(): void {
    this.#checkWaiting()
  }

  metadataChanged(): void {
    for (const muxer of this.muxers) muxer.metadataChanged()
  }

  dispatch(unit: AccessUnit): void {
    if (!this.#boarding.holds(unit)) this.#dispatch(unit)
  }

  #dispatch(unit: AccessUnit): void {
    const timeMs = rescale(unit.dts, unit.track.timescale, 1000)
    this.#cache.push({ unit, timeMs, sizeBytes: unit.sizeBytes, start: isStart(unit, this.#lead) })
    if (this.#cache.shortOf !== undefined) this.#logShortage(this.#cache.shortOf)
    for (const muxer of this.muxers) muxer.write(unit, timeMs)
    this.#readers.write(unit, this.#lead)
  }

  publisherClosed(publisher: StreamPublisher, reason: CloseReason): void {
    if (this.#publisher !== publisher) return
    const info = this.info()
    this.tracksChanging()
    this.#lastMs = publisher.timeline.lastMs
    this.#lastDispatchMs = publisher.lastWriteMs
    this.#publisher = undefined
    this.#lead = undefined
    this.#cache.clear()
    for (const muxer of this.muxers) muxer.sourceEnded()
    this.#readers.sourceEnded()
    const continueMs = publisher.config.continuepushtimeout
    for (const subscriber of this.subscribers) this.#wait(subscriber, continueMs + subscriber.config.waittimeout)
    if (continueMs > 0) this.#continueTimer = setTimeout(() => this.#giveUp(), continueMs).unref()
    this.#deps.hooks.notify('unpublished', info, reason)
    this.#checkEmpty()
  }

  /** Ends all its sessions, and waits for nobody. */
  close(reason: CloseReason): void {
    this.tracksChanging()
    for (const subscriber of [...this.subscribers]) subscriber.close(reason)
    this.#publisher?.close(reason)
    clearTimeout(this.#continueTimer)
    this.#giveUp()
  }

  muxerFor(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer {
    return this.#muxers.get(format, subscriber)
  }

  addReader(subscriber: StreamSubscriber, reader: UnitReader): void {
    this.#readers.add(
      subscriber,
      reader,
      this.tracks.filter((track) => selectsTrack(subscriber.selection, track)),
      this.#cache,
    )
  }

  setReaderPaused(subscriber: StreamSubscriber, paused: boolean): void {
    this.#readers.setPaused(subscriber, paused)
  }

  subscriberClosed(subscriber: StreamSubscriber, reason: CloseReason): void {
    if (!this.subscribers.delete(subscriber)) return
    if (subscriber.request.type === 'server') this.#subscriberCount--
    this.#readers.delete(subscriber)
    this.#muxers.detach(subscriber)
    if (subscriber.config.buffertime > 0) this.#setBuffer()
    this.#idleSinceMs = performance.now()
    if (subscriber.session.begun) this.#deps.hooks.notify('unsubscribed', subscriberInfo(subscriber), reason)
    this.#checkEmpty()
  }

  #checkWaiting(): void {
    if (this.#publisher !== undefined && this.#waiting.releaseReady(this.#publisher)) this.#boarding.begin()
  }

  #wait(subscriber: StreamSubscriber, timeoutMs: number): void {
    subscriber.startWaiting(timeoutMs, () => {
      if (this.tracks.length === 0) subscriber.close({ code: 'timeout', text: 'subscribe timeout' })
      else this.#waiting.release(subscriber)
    })
  }

  #configure(track: Track): void {
    for (const muxer of this.muxers) muxer.configure(track, this.#publisher?.timeline.lastMs ?? 0)
    this.#readers.track(track)
    this.#deps.hooks.notify('track', this.info(), track)
  }

  // What is kept stays useful as long as viewers start at the same track, and nothing was configured anew.
  #followLead(changed: boolean): void {
    const lead = leadTrack(this.tracks, ALL_TRACKS)
    if (changed || lead !== this.#lead) this.#cache.clear()
    this.#lead = lead
  }

  #logShortage(shortOf: 'gop' | 'buffer'): void {
    if (this.#shortagesLogged.has(shortOf)) return
    this.#shortagesLogged.add(shortOf)
    const { log } = this.#deps
    if (shortOf === 'gop') return log.warn('no keyframe for too long: late joiners wait for the next one')
    const { bufferMs: buffertime, keptMs } = this.#cache
    log.warn({ buffertime, keptMs }, `buffertime asks for more than ${MAX_CACHE_BYTES} bytes: the oldest is given up`)
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
