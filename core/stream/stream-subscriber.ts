import { performance } from 'node:perf_hooks'
import {
  MAX_DURATION_MS,
  type CloseReason,
  type MuxerFormat,
  type SessionClient,
  type SessionRequest,
  type Sink,
  type SubscribeConfig,
  type Subscriber,
  type SubscriberInfo,
  type Track,
  type UnitReader,
} from 'sluice/sdk'
import { closeReasonOf, type SessionLife } from './session-life.ts'
import type { SharedMuxer } from './fan-out/shared-muxer.ts'
import { selectionOf, selectsTrack, type TrackSelection } from './track-selection.ts'
import { SinkQueue } from './fan-out/sink-queue.ts'

/** The stream, as its subscriber reaches it. */
export interface SubscriberStream {
  readonly tracks: readonly Track[]
  /** The muxer that this subscriber shares with the others of its format, selection and window. */
  muxerFor(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer
  addReader(subscriber: StreamSubscriber, reader: UnitReader): void
  setReaderPaused(subscriber: StreamSubscriber, paused: boolean): void
  subscriberClosed(subscriber: StreamSubscriber, reason: CloseReason): void
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
  readonly selection: TrackSelection
  readonly startTime = new Date()
  readonly #stream: SubscriberStream
  #begun = false
  #publisherCame = false
  #paused = false
  #queue: SinkQueue | undefined
  #muxer: SharedMuxer | undefined
  #waitTimer: NodeJS.Timeout | undefined

  constructor(options: StreamSubscriberOptions) {
    this.id = options.id
    this.request = options.request
    this.streamPath = options.request.streamPath
    this.config = options.config
    this.session = options.session
    this.selection = selectionOf(options.config)
    this.#stream = options.stream
  }

  get tracks(): readonly Track[] {
    return this.#stream.tracks.filter((track) => selectsTrack(this.selection, track))
  }

  /** The state and counters of its sink; undefined before `attach` and for readers. */
  get queue(): SinkQueue | undefined {
    return this.#queue
  }

  get muxer(): SharedMuxer | undefined {
    return this.#muxer
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
    if (!this.#begin()) return
    const { queuesize, queuetime, stalltimeout, submode, buffertime } = this.config
    const limits = {
      queueBytes: queuesize,
      queueMs: queuetime,
      stallMs: stalltimeout,
      skips: submode !== 1 && submode !== 2 && buffertime === 0,
    }
    const muxer = this.#stream.muxerFor(format, this)
    this.#queue = new SinkQueue(sink, limits, this.startBackMs, performance.now(), this)
    this.#muxer = muxer
    if (this.#paused) this.#queue.pause()
    muxer.attach(this.#queue)
  }

  read(reader: UnitReader): void {
    if (this.#begin()) this.#stream.addReader(this, reader)
  }

  pause(): void {
    this.#setPaused(true)
  }

  resume(): void {
    this.#setPaused(false)
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.session.onClose(listener)
  }

  close(why?: CloseReason | string): void {
    if (this.session.closed) return
    const reason = closeReasonOf(why)
    this.stopWaiting()
    this.#stream.subscriberClosed(this, reason)
    this.session.close(reason)
  }

  /** The path has a publisher; its plugin is called the first time. */
  publisherCame(): void {
    if (this.#publisherCame || this.session.closed) return
    this.#publisherCame = true
    try {
      this.request.onPublisher?.()
    } catch (error) {
      this.fail('onPublisher failed', error)
    }
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

  #setPaused(paused: boolean): void {
    this.#paused = paused
    if (paused) this.#queue?.pause()
    else this.#queue?.resume()
    this.#stream.setReaderPaused(this, paused)
  }

  // One that has ended meanwhile gets nothing; its close listeners say so.
  #begin(): boolean {
    if (this.#begun) throw new Error('the subscriber is attached already')
    this.#begun = true
    return !this.session.closed
  }
}

/** A snapshot for plugins. */
export function subscriberInfo(subscriber: StreamSubscriber): SubscriberInfo {
  const { request } = subscriber
  return {
    id: subscriber.id,
    streamPath: subscriber.streamPath,
    pluginName: request.protocol,
    type: request.type,
    remoteAddr: remoteAddrOf(request.client),
    startTime: subscriber.startTime,
  }
}

// The server's own subscribers have no peer.
function remoteAddrOf({ ip, port }: SessionClient): string {
  if (ip === '') return ''
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}
