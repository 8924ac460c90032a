import { performance } from 'node:perf_hooks'
import {
  MAX_DURATION_MS,
  type CloseReason,
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
import { leadTrack, selectionOf, selectsTrack, type TrackSelection } from './track-selection.ts'
import { limitsOf, SinkQueue } from './fan-out/sink-queue.ts'
import type { StreamClock } from './stream-clock.ts'
import type { StreamPublisher } from './stream-publisher.ts'
import type { StreamTraffic } from './stream-traffic.ts'
import { SubscriberTraffic } from './subscriber-traffic.ts'

/** The stream, as its subscriber reaches it. */
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
  /** Leads a subscriber to another path that has had nothing yet; returns whether it was such a one. */
  leadElsewhere(subscriber: StreamSubscriber, streamPath: string): boolean
  /** Hands on what is pending. */
  flush(): void
  addSubscriber(subscriber: StreamSubscriber): void
  /** Lets a subscriber go, to another stream or to its end; returns whether it was here. */
  removeSubscriber(subscriber: StreamSubscriber): boolean
}

/** The pending moves to a stream, as a subscriber that is among them reaches them. */
export interface Destination {
  /** Moves some that get no media where they are. */
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
  /** The pending moves that it is among; undefined while it is not to be moved. */
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

  /** The stream that it gets. */
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

  /** Whether it was given media, whose time is to go on. */
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

  /** How many bytes it was sent in all. */
  get sentBytes(): number {
    return this.#traffic.sentBytes
  }

  /** How many bytes wait for it. */
  get queuedBytes(): number {
    return this.#traffic.queuedBytes
  }

  /** How many times it fell behind. */
  get skips(): number {
    return this.#traffic.skips
  }

  /** How many units it was not sent, as it was too far behind. */
  get dropped(): number {
    return this.#traffic.dropped
  }

  /** True between `pause` and `resume`. */
  get paused(): boolean {
    return this.#paused
  }

  /** How far back from the newest media it starts, in milliseconds; undefined to wait for the next keyframe. */
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

  /** Adds what it was sent since the last time to what its stream and its protocol have sent. */
  gatherTraffic(): void {
    this.#traffic.gather(this.#stream.traffic)
  }

  details(read: () => Readonly<Record<string, string | number>>): void {
    this.session.details.set(read)
  }

  get control() {
    return this.session.closed ? undefined : this.#stream.publisher?.viewerControl
  }

  requestKeyframe(track = leadTrack(this.tracks, this.selection)): void {
    if (track !== undefined && !this.session.closed) this.#stream.publisher?.requestKeyframe(track)
  }

  onSource(listener: (sourcePath: string) => void): void {
    this.#sourceListeners.push(listener)
  }

  /** Gets another stream from now on. */
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

  /** The path has a publisher; its plugin is called the first time. */
  publisherCame(): void {
    if (this.#publisherCame || this.session.closed) return
    this.#publisherCame = true
    this.#call('onPublisher failed', () => this.request.onPublisher?.())
  }

  /** Ends it because of what its plugin has done wrong. */
  fail(what: string, err: unknown): void {
    if (this.session.closed) return
    this.session.log.error({ err, stream: this.streamPath, subscriber: this.id }, what)
    this.close({ code: 'failed', text: 'failed' })
  }

  /** Calls `expired` when what it waits for does not come in time. */
  startWaiting(timeoutMs: number, expired: () => void): void {
    clearTimeout(this.#waitTimer)
    // The sum of two durations may be longer than the longest.
    this.#waitTimer = setTimeout(expired, Math.min(timeoutMs, MAX_DURATION_MS))
  }

  stopWaiting(): void {
    clearTimeout(this.#waitTimer)
    this.#waitTimer = undefined
  }

  /** What waits for its sink or reader; undefined before `attach` and `read`. */
  get waiting(): SinkQueue | ReaderQueue | undefined {
    return this.#queue ?? this.#reader
  }

  #setPaused(paused: boolean): void {
    this.#paused = paused
    if (paused) this.waiting?.pause()
    else this.waiting?.resume()
  }

  // Takes its place in the stream, the first time or after a move.
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

  // One that has ended meanwhile gets nothing; its close listeners say so.
  #begin(data: boolean | undefined): boolean {
    if (this.#begun) throw new Error('the subscriber is attached already')
    this.#begun = true
    this.selection = selectionOf(this.config, data)
    return !this.session.closed
  }
}
