import { isDeepStrictEqual } from 'node:util'
import type { SubscribeConfig } from '../config/groups.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import { rescale } from '../media/time/rescale.ts'
import type { Track } from '../media/track.ts'
import type { Muxer, MuxerFormat, Sink } from '../stream/muxer.ts'
import type { SessionRequest } from '../stream/session-request.ts'
import type { Subscriber, UnitReader } from '../stream/subscriber.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import { closeReasonOf, SessionEnd } from './session-end.ts'

/** What a fake subscriber needs of its stream. */
export interface FakeSubscriberStream {
  readonly tracks: readonly Track[]
  readonly metadata: Readonly<Record<string, unknown>>
  /** The units since the newest keyframe. */
  readonly gop: readonly AccessUnit[]
  subscriberClosed(subscriber: FakeSubscriber, reason: CloseReason): void
}

export type FakeSubscriberInit = {
  readonly id: number
  readonly request: SessionRequest
  readonly config: Readonly<SubscribeConfig>
  readonly stream: FakeSubscriberStream
}

type Output = {
  start(): void
  track(track: Track): void
  unit(unit: AccessUnit): void
  trackRemoved?(track: Track): void
  sourceEnded?(): void
}

/** A subscriber whose bytes and units come at once, within the publisher's `write`. It has no bounds and never skips. */
export class FakeSubscriber implements Subscriber {
  readonly id: number
  readonly streamPath: string
  readonly config: Readonly<SubscribeConfig>
  readonly request: SessionRequest
  readonly startTime = new Date()
  readonly #stream: FakeSubscriberStream
  readonly end = new SessionEnd()
  #output: Output | undefined
  #started = false
  #paused = false
  #waitTimer: NodeJS.Timeout | undefined

  constructor({ id, request, config, stream }: FakeSubscriberInit) {
    this.id = id
    this.streamPath = request.streamPath
    this.config = config
    this.request = request
    this.#stream = stream
  }

  get tracks(): readonly Track[] {
    return this.#stream.tracks.filter((track) => this.#takes(track))
  }

  /** Whether `attach` or `read` was called. */
  get attached(): boolean {
    return this.#output !== undefined
  }

  /** Whether `pause` was called, and `resume` was not since. */
  get paused(): boolean {
    return this.#paused
  }

  /** Why it ended; undefined while it runs. */
  get closeReason(): string | undefined {
    return this.end.reason?.text
  }

  attach(format: MuxerFormat, sink: Sink): void {
    this.#begin(new MuxedOutput(format.createMuxer(), sink, this, () => this.#stream.metadata))
  }

  read(reader: UnitReader): void {
    this.#begin({
      start: () => undefined,
      track: (track) => reader.track?.(track),
      unit: (unit) => reader.unit(unit),
      trackRemoved: (track) => reader.trackRemoved?.(track),
      sourceEnded: () => reader.sourceEnded?.(),
    })
    for (const track of this.tracks) reader.track?.(track)
    this.#catchUp()
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#started = false
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.end.onClose(listener)
  }

  close(why?: CloseReason | string): void {
    const reason = closeReasonOf(why)
    this.stopWaiting()
    if (this.end.close(reason)) this.#stream.subscriberClosed(this, reason)
  }

  /** Closes it when no publisher comes in `subscribe.waittimeout`. */
  startWaiting(): void {
    this.stopWaiting()
    this.#started = false
    this.#waitTimer = setTimeout(
      () => this.close({ code: 'timeout', text: 'subscribe timeout' }),
      this.config.waittimeout,
    )
  }

  stopWaiting(): void {
    clearTimeout(this.#waitTimer)
  }

  track(track: Track): void {
    if (this.#takes(track)) this.#output?.track(track)
  }

  trackRemoved(track: Track): void {
    if (this.#takes(track)) this.#output?.trackRemoved?.(track)
  }

  /** Its publisher ended; it waits for the next. */
  sourceEnded(): void {
    this.startWaiting()
    this.#output?.sourceEnded?.()
  }

  unit(unit: AccessUnit, isStart: boolean): void {
    if (this.#output === undefined || this.#paused || !this.#takes(unit.track)) return
    if (this.config.iframeonly && !unit.keyframe) return
    if (!this.#started && !isStart) return
    if (!this.#started) this.#output.start()
    this.#started = true
    this.#output.unit(unit)
  }

  #begin(output: Output): void {
    if (this.#output !== undefined) throw new Error('attach or read was called before')
    this.#output = output
    if (output instanceof MuxedOutput) this.#catchUp()
  }

  #catchUp(): void {
    for (const [index, unit] of this.#stream.gop.entries()) this.unit(unit, index === 0)
  }

  #takes(track: Track): boolean {
    return track.kind === 'video' ? this.config.subvideo : this.config.subaudio
  }
}

/** A muxer of one subscriber, which writes as the host does: start bytes, then units, configuration when it changes. */
class MuxedOutput implements Output {
  readonly #muxer: Muxer
  readonly #sink: Sink
  readonly #subscriber: FakeSubscriber
  readonly #metadata: () => Readonly<Record<string, unknown>>
  /** By kind and name of track. */
  readonly #announced = new Map<string, Pick<Track, 'codec' | 'timescale' | 'config'>>()
  #begun = false
  #timeMs = 0

  constructor(muxer: Muxer, sink: Sink, subscriber: FakeSubscriber, metadata: () => Readonly<Record<string, unknown>>) {
    this.#muxer = muxer
    this.#sink = sink
    this.#subscriber = subscriber
    this.#metadata = metadata
  }

  start(): void {
    if (this.#begun) return
    this.#begun = true
    const { tracks } = this.#subscriber
    for (const track of tracks) this.#announce(track)
    this.#write(this.#startMuxer())
  }

  #startMuxer(): Buffer {
    return this.#muxer.start({ tracks: this.#subscriber.tracks, metadata: this.#metadata() })
  }

  track(track: Track): void {
    if (!this.#begun) return
    this.#startMuxer()
    if (this.#announce(track)) this.#write(this.#muxer.configure(track, this.#timeMs))
  }

  unit(unit: AccessUnit): void {
    this.#timeMs = rescale(unit.dts, unit.track.timescale, 1000)
    this.#write(this.#muxer.mux(unit))
  }

  /** Whether there is something new to say of a track. */
  #announce({ kind, name = '', codec, timescale, config }: Track): boolean {
    const slot = `${kind} ${name}`
    const said = { codec, timescale, config }
    const isNew = !isDeepStrictEqual(this.#announced.get(slot), said)
    this.#announced.set(slot, said)
    return isNew
  }

  #write(bytes: Buffer | null): void {
    if (bytes !== null) this.#sink.write(this.#muxer.frame ? this.#muxer.frame(bytes) : bytes)
  }
}
