import type { SubscribeConfig } from '../config/groups.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import type { MuxerFormat } from '../media/muxer.ts'
import type { MediaTrack, Track, VideoTrack } from '../media/track.ts'
import type { SessionRequest } from '../stream/session-request.ts'
import type { Sink } from '../stream/sink.ts'
import type { SourceControl } from '../stream/source-control.ts'
import type { Subscriber, UnitReader } from '../stream/subscriber.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import type { FakeOutput } from './fake-output.ts'
import { MuxedOutput } from './muxed-output.ts'
import { ReaderOutput } from './reader-output.ts'
import type { FakePublisher } from './fake-publisher.ts'
import { closeReasonOf, SessionEnd } from './session-end.ts'

/** The stream of a fake subscriber, as far as the subscriber needs it. */
export interface FakeSubscriberStream {
  readonly path: string
  readonly publisher: FakePublisher | undefined
  readonly tracks: readonly Track[]
  readonly metadata: Readonly<Record<string, unknown>>
  /** The units since the newest keyframe. */
  readonly gop: readonly AccessUnit[]
  subscriberClosed(subscriber: FakeSubscriber, reason: CloseReason): void
  /** Lets a subscriber go to another stream. */
  release(subscriber: FakeSubscriber): void
  /** Moves a subscriber here, if its move is still pending. */
  moveHere(subscriber: FakeSubscriber): void
}

export type FakeSubscriberInit = {
  readonly id: number
  readonly request: SessionRequest
  readonly config: Readonly<SubscribeConfig>
  readonly stream: FakeSubscriberStream
}

/** A subscriber that gets its bytes and units at once, within the publisher's `write`. It has no bounds and never skips. */
export class FakeSubscriber implements Subscriber {
  readonly id: number
  readonly streamPath: string
  readonly config: Readonly<SubscribeConfig>
  readonly request: SessionRequest
  readonly startTime = new Date()
  readonly end = new SessionEnd()
  /** The sums of what `account` was given. */
  readonly accounted = { bytes: 0, dropped: 0 }
  /** The function that `details` was called with. */
  readDetails: (() => Readonly<Record<string, string | number>>) | undefined
  /** The stream that it is to be moved to; undefined while no move is pending. */
  destination: FakeSubscriberStream | undefined
  readonly #sourceListeners: ((sourcePath: string) => void)[] = []
  #stream: FakeSubscriberStream
  #output: FakeOutput | undefined
  #started = false
  #takesData = false
  #paused = false
  #waitTimer: NodeJS.Timeout | undefined

  constructor({ id, request, config, stream }: FakeSubscriberInit) {
    this.id = id
    this.streamPath = request.streamPath
    this.config = config
    this.request = request
    this.#stream = stream
  }

  get sourcePath(): string {
    return this.#stream.path
  }

  get tracks(): readonly Track[] {
    return this.#stream.tracks.filter((track) => this.#takes(track))
  }

  get silentTracks(): readonly MediaTrack[] {
    const silent = this.#stream.publisher?.silentTracks ?? []
    return silent.filter((track) => this.#takes(track))
  }

  /** True once `attach` or `read` was called. */
  get attached(): boolean {
    return this.#output !== undefined
  }

  /** True after `pause`, until `resume` is called. */
  get paused(): boolean {
    return this.#paused
  }

  /** The reason of its end; undefined while it runs. */
  get closeReason(): string | undefined {
    return this.end.reason?.text
  }

  attach(format: MuxerFormat, sink: Sink): void {
    this.#takesData = format.data === true
    this.#begin(new MuxedOutput(format, sink, this, () => this.#stream.metadata))
  }

  read(reader: UnitReader): void {
    this.#takesData = reader.data === true
    const output = new ReaderOutput(reader, (reason) => this.close(reason))
    this.#begin(output)
    for (const track of this.tracks) output.track(track)
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

  account({ bytes = 0, dropped = 0 }: { readonly bytes?: number; readonly dropped?: number }): void {
    if (![bytes, dropped].every((count) => Number.isSafeInteger(count) && count >= 0)) {
      throw new RangeError('counts are whole numbers from 0 on')
    }
    this.accounted.bytes += bytes
    this.accounted.dropped += dropped
  }

  details(read: () => Readonly<Record<string, string | number>>): void {
    this.readDetails = read
  }

  /** The plugin's own control, called as it is: its errors reach the test. */
  get control(): SourceControl | undefined {
    const { control, personal = false } = this.#stream.publisher?.options ?? {}
    return personal ? control : undefined
  }

  /** Every request reaches the source. */
  requestKeyframe(track = this.tracks.find((other): other is VideoTrack => other.kind === 'video')): void {
    if (track !== undefined) this.#stream.publisher?.options.control?.requestKeyframe?.(track)
  }

  onSource(listener: (sourcePath: string) => void): void {
    this.#sourceListeners.push(listener)
  }

  /** Gets another stream from now on. */
  moveTo(stream: FakeSubscriberStream): void {
    this.stopWaiting()
    this.#started = false
    this.#output?.sourceEnded?.()
    this.#stream.release(this)
    this.#stream = stream
    for (const listener of this.#sourceListeners) listener(stream.path)
    this.#output?.sourceChanged?.()
    for (const track of this.tracks) this.#output?.track(track)
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.end.onClose(listener)
  }

  close(why?: CloseReason | string): void {
    const reason = closeReasonOf(why)
    this.stopWaiting()
    if (this.end.close(reason)) this.#stream.subscriberClosed(this, reason)
  }

  /** Takes another stream than the one it was made for; before that it has had nothing. */
  setStream(stream: FakeSubscriberStream): void {
    this.#stream = stream
  }

  /** Closes it when no publisher comes in time. */
  startWaiting(timeoutMs = this.config.waittimeout): void {
    this.stopWaiting()
    this.#started = false
    this.#waitTimer = setTimeout(() => this.close({ code: 'timeout', text: 'subscribe timeout' }), timeoutMs)
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

  /** The next unit does not go on from the last one. */
  discontinuity(): void {
    this.#started = false
    this.#output?.discontinuity?.()
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

  #begin(output: FakeOutput): void {
    if (this.#output !== undefined) throw new Error('attach or read was called before')
    this.#output = output
    if (output instanceof MuxedOutput) this.#catchUp()
  }

  #catchUp(): void {
    for (const [index, unit] of this.#stream.gop.entries()) this.unit(unit, index === 0)
  }

  #takes(track: Track): boolean {
    const { subvideo: video, subaudio: audio } = this.config
    return { video, audio, data: this.#takesData }[track.kind]
  }
}
