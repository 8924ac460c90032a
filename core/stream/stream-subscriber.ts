import { performance } from 'node:perf_hooks'
import {
  MAX_DURATION_MS,
  type CloseReason,
  type MediaTrack,
  type MuxerFormat,
  type SessionRequest,
  type Sink,
  type SubscribeConfig,
  type Subscriber,
  type Track,
  type UnitReader,
} from 'sluice/sdk'
import { closeReasonOf, type SessionLife } from './session-life.ts'
import { ReaderQueue } from './fan-out/reader-queue.ts'
import type { SharedMuxer } from './fan-out/shared-muxer.ts'
import type { TimeShift } from './fan-out/time-shift.ts'
import { leadingTrack, selectionOf, selectsTrack, type TrackSelection } from './track-selection.ts'
import { limitsOf, SinkQueue } from './fan-out/sink-queue.ts'
import type { StreamClock } from './stream-clock.ts'
import type { StreamPublisher } from './stream-publisher.ts'
import type { StreamTraffic } from './stream-traffic.ts'
import { SubscriberTraffic } from './subscriber-traffic.ts'

/** The part of a stream that its subscriber needs. */
export interface SubscriberStream {
  readonly path: string
  readonly tracks: readonly Track[]
  readonly clock: StreamClock
  readonly traffic: StreamTraffic
  readonly subscribers: ReadonlySet<StreamSubscriber>
  readonly publisher: StreamPublisher | undefined
  /** The muxer that this subscriber shares with the others of its format, selection, window and shift. */
  muxerFor(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer
  addReader(subscriber: StreamSubscriber, queue: ReaderQueue): void
  subscriberClosed(subscriber: StreamSubscriber, reason: CloseReason): void
  /** Releases a waiting subscriber that has got nothing yet to another path; returns true when it was such a one. */
  leadElsewhere(subscriber: StreamSubscriber, streamPath: string): boolean
  /** Hands on pending units and output. */
  flush(): void
  addSubscriber(subscriber: StreamSubscriber): void
  /** Removes a subscriber, which moves to another stream or ends; returns true when it was here. */
  removeSubscriber(subscriber: StreamSubscriber): boolean
}

/** The pending moves to a stream, as far as their subscribers need them. */
export interface Destination {
  /** Moves subscribers that get no media at present. */
  moveNow(subscribers: readonly StreamSubscriber[]): void
  cancel(subscriber: StreamSubscriber): void
}

type StreamSubscriberOptions = {
  readonly id: number
  readonly request: SessionRequest
  readonly config: Readonly<SubscribeConfig>
  readonly stream: SubscriberStream
  readonly session: SessionLife
}

/** The core's side of a subscriber: its session, its sink or reader, and the time that it waits. */
export class StreamSubscriber implements Subscriber {
  readonly id: number
  readonly streamPath: string
  readonly config: Readonly<SubscribeConfig>
  readonly request: SessionRequest
  readonly session: SessionLife
  selection: TrackSelection
  readonly startTime = new Date()
  /** The pending moves that the subscriber is among; undefined while it is not to be moved. */
  destination: Destination | undefined
  readonly #sourceListeners: ((sourcePath: string) => void)[] = []
  #stream: SubscriberStream
  #shift: TimeShift | undefined
  #begun = false
  #publisherCame = false
  #paused = false
  #format: MuxerFormat | undefined
  #queue: SinkQueue | undefined
  #reader: ReaderQueue | undefined
  #muxer: SharedMuxer | undefined
  #waitTimer: NodeJS.Timeout | undefined
  readonly #traffic: SubscriberTraffic

  constructor(options: StreamSubscriberOptions) {
    this.id = options.id
    this.request = options.request
    this.streamPath = options.request.streamPath
    this.config = options.config
    this.session = options.session
    this.selection = selectionOf(options.config)
    this.#traffic = new SubscriberTraffic(options.session.meter)
    this.#stream = options.stream
  }

  get tracks(): readonly Track[] {
    return this.#stream.tracks.filter((track) => selectsTrack(this.selection, track))
  }

  get silentTracks(): readonly MediaTrack[] {
    const silent = this.#stream.publisher?.silentTracks ?? []
    return silent.filter((track) => selectsTrack(this.selection, track))
  }

  /** The stream that the subscriber gets. */
  get source(): SubscriberStream {
    return this.#stream
  }

  get sourcePath(): string {
    return this.#stream.path
  }

  /** The difference of its times from those of its stream, once it was moved; shared with others that were moved with it. */
  get shift(): TimeShift | undefined {
    return this.#shift
  }

  /** True once the subscriber got media, the time of which is to go on. */
  get playing(): boolean {
    return this.#queue?.begun === true || this.#reader?.begun === true
  }

  /** The state and counters of its sink; undefined before `attach` and for readers. */
  get queue(): SinkQueue | undefined {
    return this.#queue
  }

  get muxer(): SharedMuxer | undefined {
    return this.#muxer
  }

  /** The number of bytes that the subscriber was sent in all. */
  get sentBytes(): number {
    return this.#traffic.sentBytes
  }

  /** The number of bytes that wait for the subscriber. */
  get queuedBytes(): number {
    return this.#traffic.queuedBytes
  }

  /** The number of times that the subscriber fell behind. */
  get skips(): number {
    return this.#traffic.skips
  }

  /** The number of units that the subscriber did not get, as it was too far behind. */
  get dropped(): number {
    return this.#traffic.dropped
  }

  /** True between `pause` and `resume`. */
  get paused(): boolean {
    return this.#paused
  }

  /** The time before the newest media at which it starts, in milliseconds; undefined to wait for the next keyframe. */
  get startBackMs(): number | undefined {
    const { submode, buffertime } = this.config
    if (submode === 2 || buffertime > 0) return buffertime
    return submode === 3 ? undefined : 0
  }

  attach(format: MuxerFormat, sink: Sink): void {
    if (!this.#begin(format.data)) return
    this.#format = format
    this.#queue = new SinkQueue(sink, limitsOf(this.config), this.startBackMs, performance.now(), this)
    this.#traffic.queue = this.#queue
    if (this.#paused) this.#queue.pause()
    this.#join()
  }

  read(reader: UnitReader): void {
    if (!this.#begin(reader.data)) return
    const options = { reader, limits: limitsOf(this.config), owner: this, tracks: () => this.tracks }
    this.#reader = new ReaderQueue(options, performance.now())
    this.#traffic.queue = this.#reader
    if (this.#paused) this.#reader.pause()
    this.#join()
  }

  pause(): void {
    this.#setPaused(true)
  }

  resume(): void {
    this.#setPaused(false)
  }

  account(counts: { readonly bytes?: number; readonly dropped?: number }): void {
    this.#traffic.account(counts)
    if (this.session.closed) this.gatherTraffic()
  }

  /** Adds the bytes and units since the last time to those that its stream and its protocol have sent. */
  gatherTraffic(): void {
    this.#traffic.gather(this.#stream.traffic)
  }

  details(read: () => Readonly<Record<string, string | number>>): void {
    this.session.details.set(read)
  }

  get control() {
    return this.session.closed ? undefined : this.#stream.publisher?.viewerControl
  }

  requestKeyframe(track = leadingTrack(this.tracks, this.selection)): void {
    if (track !== undefined && !this.session.closed) this.#stream.publisher?.requestKeyframe(track)
  }

  onSource(listener: (sourcePath: string) => void): void {
    this.#sourceListeners.push(listener)
  }

  /** Moves the subscriber to another stream. */
  moveTo(stream: SubscriberStream, shift: TimeShift | undefined): void {
    this.gatherTraffic()
    this.#stream.removeSubscriber(this)
    this.#reader?.sourceEnded()
    this.#stream = stream
    this.#shift = shift
    this.stopWaiting()
    stream.addSubscriber(this)
    const begun = this.#begun
    for (const listener of this.#sourceListeners) this.#call('onSource failed', () => listener(stream.path))
    // A listener may have attached it, moved it on, or ended it.
    if (begun && stream === this.#stream && !this.session.closed) this.#join()
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.session.onClose(listener)
  }

  close(why?: CloseReason | string): void {
    if (this.session.closed) return
    const reason = closeReasonOf(why)
    this.stopWaiting()
    this.gatherTraffic()
    this.#reader?.close()
    this.#stream.subscriberClosed(this, reason)
    this.session.close(reason)
  }

  /** Notes that the path has a publisher; the plugin is notified the first time. */
  publisherCame(): void {
    if (this.#publisherCame || this.session.closed) return
    this.#publisherCame = true
    this.#call('onPublisher failed', () => this.request.onPublisher?.())
  }

  /** Ends the subscriber because of an error of its plugin. */
  fail(what: string, err: unknown): void {
    if (this.session.closed) return
    this.session.log.error({ err, stream: this.streamPath, subscriber: this.id }, what)
    this.close({ code: 'failed', text: 'failed' })
  }

  /** Calls `expired` when the subscriber still waits after `timeoutMs`. */
  startWaiting(timeoutMs: number, expired: () => void): void {
    clearTimeout(this.#waitTimer)
    // The sum of two durations may be longer than the longest.
    this.#waitTimer = setTimeout(expired, Math.min(timeoutMs, MAX_DURATION_MS))
  }

  stopWaiting(): void {
    clearTimeout(this.#waitTimer)
    this.#waitTimer = undefined
  }

  /** The queue of its sink or reader; undefined before `attach` and `read`. */
  get waiting(): SinkQueue | ReaderQueue | undefined {
    return this.#queue ?? this.#reader
  }

  #setPaused(paused: boolean): void {
    this.#paused = paused
    if (paused) this.waiting?.pause()
    else this.waiting?.resume()
  }

  // Adds the sink or reader to the stream, the first time or after a move.
  #join(): void {
    if (this.#reader !== undefined) this.#stream.addReader(this, this.#reader)
    if (this.#queue === undefined || this.#format === undefined) return
    this.#muxer = this.#stream.muxerFor(this.#format, this)
    this.#muxer.attach(this.#queue)
  }

  #call(what: string, listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.fail(what, error)
    }
  }

  // A subscriber that has ended meanwhile gets nothing; its close listeners have been called.
  #begin(data: boolean | undefined): boolean {
    if (this.#begun) throw new Error('the subscriber is attached already')
    this.#begun = true
    this.selection = selectionOf(this.config, data)
    return !this.session.closed
  }
}
