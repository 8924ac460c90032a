import { performance } from 'node:perf_hooks'
import type {
  AccessUnit,
  CloseReason,
  MediaTrack,
  PublishConfig,
  Publisher,
  PublishObserver,
  PublishOptions,
  SessionRequest,
  SourceControl,
  Track,
  TrackInit,
  VideoTrack,
} from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { sameConfig } from './fan-out/config-versions.ts'
import { guardedControl, guardedKeyframeRequest } from './guarded-control.ts'
import { KeyframeRequests } from './keyframe-requests.ts'
import type { PublisherStream } from './publisher-stream.ts'
import { closeReasonOf, type SessionLife } from './session-life.ts'
import { Talks } from './talks.ts'
import { Timeline } from './timeline.ts'
import { TrackArrivals } from './track-arrivals.ts'
import { TrackMeter } from './track-meter.ts'
import { TrackMeters } from './track-meters.ts'
import { trackText } from './track-text.ts'

/** The most tracks that one publisher has at a time. */
export const MAX_TRACKS = 32
/** The time after the first track at which the tracks count as complete, unless the source declares it. */
const TRACK_WAIT_MS = 1000

type StreamPublisherOptions = {
  readonly id: number
  readonly request: SessionRequest
  readonly config: Readonly<PublishConfig>
  readonly options: PublishOptions
  readonly stream: PublisherStream
  readonly session: SessionLife
  /** The time at which the publisher starts, in milliseconds, when the stream had a publisher before. */
  readonly startMs: number | undefined
}

/** The core's side of a publisher: corrects times, keeps the tracks, counts, and hands units to its stream. */
export class StreamPublisher implements Publisher {
  readonly id: number
  readonly streamPath: string
  /** The config; its times without subscribers may change while the publisher runs. */
  config: Readonly<PublishConfig>
  readonly request: SessionRequest
  readonly session: SessionLife
  readonly startTime = new Date()
  /** The control of its source; undefined where the source takes no commands. */
  readonly control: SourceControl | undefined
  readonly talks: Talks
  /** True for a stream that is one viewer's own; see `PublishOptions.personal`. */
  readonly personal: boolean
  readonly #stream: PublisherStream
  readonly #timeline: Timeline
  readonly #meters = new TrackMeters()
  readonly #refused = new Set<Track>()
  /** The tracks that others have taken the place of, until a unit of theirs was left out. */
  readonly #replaced = new WeakSet<Track>()
  readonly #arrivals = new TrackArrivals()
  #tracks: readonly Track[] = []
  #nextTrackId = 0
  #metadata: Readonly<Record<string, unknown>> = {}
  #complete: 'no' | 'assumed' | 'declared' = 'no'
  #completeTimer: NodeJS.Timeout | undefined
  #tracksLogged = false
  #lastWriteMs = performance.now()
  #aliveMs = this.#lastWriteMs
  #heldUntilMs = -Infinity
  #isConnecting: boolean
  #pausedSinceMs: number | undefined
  #speed: number
  #closing = false
  #gatheredBytes = 0
  readonly #observer: PublishObserver | undefined
  readonly #keyframeRequests: KeyframeRequests | undefined

  constructor(options: StreamPublisherOptions) {
    this.id = options.id
    this.request = options.request
    this.streamPath = options.request.streamPath
    this.config = options.config
    this.session = options.session
    this.#stream = options.stream
    const { control, personal = false, timestampBits, observer, connecting = false } = options.options
    this.#isConnecting = connecting
    const { scale, speed, keyframeinterval: intervalMs } = options.config
    this.#timeline = new Timeline({ startMs: options.startMs, timestampBits, scale })
    this.#speed = speed || 1
    this.personal = personal
    this.#observer = observer
    this.talks = new Talks(control, options.session)
    if (control === undefined) return
    this.control = guardedControl(control, options.session)
    if (control.requestKeyframe === undefined) return
    this.#keyframeRequests = new KeyframeRequests({ intervalMs, ask: guardedKeyframeRequest(control, options.session) })
  }

  /** The tracks that viewers are notified of; see {@link TrackArrivals}. */
  get tracks(): readonly Track[] {
    return this.#tracks
  }

  /** The part of the tracks that has yet to bring a first unit, while the source sends: none, some or all of them. */
  get awaits(): 'none' | 'some' | 'all' {
    if (!this.#arrivals.awaiting || this.#pausedSinceMs !== undefined) return 'none'
    return this.#arrivals.begun ? 'some' : 'all'
  }

  /** The tracks that viewers are not notified of, as no unit has come of them. */
  get silentTracks(): readonly MediaTrack[] {
    return this.#arrivals.givenUp
  }

  get metadata(): Readonly<Record<string, unknown>> {
    return this.#metadata
  }

  /** `no` while tracks may still come; then `declared` by the source, or `assumed` {@link TRACK_WAIT_MS} after the first one. */
  get complete(): 'no' | 'assumed' | 'declared' {
    return this.#complete
  }

  get writtenBytes(): number {
    return this.#meters.totalBytes
  }

  /** Adds the bytes written since the last time to those that its protocol has received. */
  gatherTraffic(): void {
    const bytes = this.writtenBytes
    this.session.meter.received.add(bytes - this.#gatheredBytes)
    this.#gatheredBytes = bytes
  }

  get timeline(): Timeline {
    return this.#timeline
  }

  /** The time at which the source last sent media, on the monotonic clock; the publisher's start before that. */
  get lastWriteMs(): number {
    return this.#lastWriteMs
  }

  /** The time of the source's last media or other sign of life, on the monotonic clock; the publisher's start before that. */
  get lastHeardMs(): number {
    return Math.max(this.#lastWriteMs, this.#aliveMs)
  }

  /** The time until which the last sign of life holds, on the monotonic clock. */
  get heldUntilMs(): number {
    return this.#heldUntilMs
  }

  /** True while the source was admitted, and has yet to connect. */
  get isConnecting(): boolean {
    return this.#isConnecting
  }

  /** The control of the source for its viewers. */
  get viewerControl(): SourceControl | undefined {
    return this.personal ? this.control : undefined
  }

  /** The time since which the source is paused, on the monotonic clock; undefined while it sends. */
  get pausedSinceMs(): number | undefined {
    return this.#pausedSinceMs
  }

  /** The pace at which its source sends; 1 is that of its own times. */
  get speed(): number {
    return this.#speed
  }

  meter(track: Track): TrackMeter | undefined {
    return this.#meters.get(track)
  }

  get meters(): Iterable<TrackMeter> {
    return this.#meters.values()
  }

  addTrack(init: TrackInit): Track {
    if (this.#meters.size + this.#refused.size >= MAX_TRACKS)
      throw new MalformedError(`more than ${MAX_TRACKS} tracks in one stream`)
    if (this.#isConnecting) this.alive()
    const track: Track = { ...init, id: this.#nextTrackId++ }
    const { pubvideo: video, pubaudio: audio } = this.config
    const refused = !{ video, audio, data: true }[init.kind]
    if (refused || this.session.closed) {
      this.#refused.add(track)
      return track
    }
    this.#stream.flush()
    this.#tracks = [...this.#tracks, track]
    const nowMs = performance.now()
    this.#meters.set(track, new TrackMeter(nowMs))
    this.#arrivals.declare(track, nowMs)
    this.#completeTimer ??= setTimeout(() => this.#setComplete('assumed'), TRACK_WAIT_MS).unref()
    this.#stream.trackAdded(track)
    this.#observer?.track(track)
    return track
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    // Sources repeat their configuration, some with every keyframe.
    if (sameConfig(track.config, config)) return track
    const successor = { ...track, config }
    if (this.#refused.delete(track)) this.#refused.add(successor)
    if (this.session.closed || !this.#meters.has(track)) return successor
    this.#meters.succeed(track, successor)
    this.#replaced.add(track)
    if (this.#arrivals.succeed(track, successor)) return successor
    this.#stream.flush()
    this.#tracks = this.#tracks.map((other) => (other === track ? successor : other))
    this.#stream.trackConfigured(successor)
    return successor
  }

  removeTrack(track: Track): void {
    if (this.#refused.delete(track) || !this.#meters.delete(track)) return
    if (!this.session.closed) this.#stream.flush()
    this.#arrivals.delete(track)
    this.#timeline.forget(track.id)
    this.#withdraw(track)
    this.#goOn()
  }

  tracksComplete(): void {
    this.#setComplete('declared')
  }

  whenTaken(): Promise<void> | undefined {
    return this.session.closed ? undefined : this.#stream.whenTaken()
  }

  discontinuity(): void {
    if (this.session.closed) return
    for (const [track, meter] of this.#meters) meter.awaitsKeyframe = track.kind === 'video'
    this.#timeline.restart()
    this.#stream.discontinuity()
  }

  alive(holdsMs = 0): void {
    if (this.session.closed) return
    this.#aliveMs = performance.now()
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.#aliveMs + holdsMs)
    if (!this.#isConnecting) return
    this.#isConnecting = false
    this.#lastWriteMs = this.#aliveMs
    this.#stream.publisherConnected(this)
  }

  setPaused(paused: boolean): void {
    const nowMs = performance.now()
    if (paused) {
      this.#pausedSinceMs ??= nowMs
      this.#goOn()
    } else if (this.#pausedSinceMs !== undefined) {
      this.#pausedSinceMs = undefined
      this.#lastWriteMs = nowMs
      this.#timeline.resume(nowMs)
      this.#arrivals.resume(nowMs)
    }
  }

  setSpeed(speed: number): void {
    this.#speed = speed
    this.#timeline.scale = speed
  }

  /** Ends a personal stream when its last subscriber has left. */
  subscribersLeft(): void {
    if (this.personal) this.close({ code: 'idle', text: 'its viewer left' })
  }

  /** Asks its source for a keyframe, unless it was asked a moment ago. */
  requestKeyframe(track: VideoTrack): void {
    // The caller may have an earlier configuration of the track.
    const current = this.#tracks.find((other): other is VideoTrack => other.kind === 'video' && other.id === track.id)
    if (current !== undefined && !this.session.closed) this.#keyframeRequests?.request(current, performance.now())
  }

  setMetadata(metadata: Readonly<Record<string, unknown>>): void {
    if (this.session.closed) return
    this.#metadata = metadata
    this.#stream.metadataChanged()
  }

  write(unit: AccessUnit): void {
    if (this.session.closed) return
    const nowMs = performance.now()
    this.#lastWriteMs = nowMs
    const meter = this.#meters.get(unit.track)
    if (meter === undefined) return this.#leaveOut(unit.track)
    if (!this.#arrivals.allCame && this.#arrivals.begin(unit.track, nowMs)) this.#goOn()
    if (meter.awaitsKeyframe && !unit.keyframe) return meter.leaveOut()
    if (unit.keyframe) this.#keyframeRequests?.keyframe(unit.track.id, nowMs)
    if (!this.#timeline.place(unit, nowMs)) return meter.lose(1)
    meter.count(unit)
    if (!this.#arrivals.allCame && this.#arrivals.recover(unit.track)) this.#announceLate(unit.track)
    this.#stream.dispatch(unit)
  }

  /** Gives up the tracks without a unit in time. `nowMs` is the monotonic clock. */
  checkArrivals(nowMs: number): void {
    if (this.#arrivals.allCame || this.#pausedSinceMs !== undefined) return
    const silent = this.#arrivals.giveUp(nowMs)
    if (silent.length === 0) return
    for (const track of silent) this.#withdraw(track)
    const fields = { session: this.id, stream: this.streamPath, tracks: silent.map(trackText).join(', ') }
    this.session.log.warn(fields, 'nothing comes of tracks that were declared: viewers are not told of them')
    this.#goOn()
  }

  lost(track: Track, count: number): void {
    if (count > 0) this.#meters.get(track)?.lose(count)
  }

  details(read: () => Readonly<Record<string, string | number>>): void {
    this.session.details.set(read)
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.session.onClose(listener)
  }

  close(why?: CloseReason | string): void {
    if (this.#closing) return
    this.#closing = true
    const reason = closeReasonOf(why)
    clearTimeout(this.#completeTimer)
    this.#keyframeRequests?.close()
    this.gatherTraffic()
    // The stream forgets the publisher first, so that a listener that publishes the path again finds it free.
    this.#stream.publisherClosed(this, reason)
    this.session.close(reason)
  }

  #leaveOut(track: Track): void {
    if (!this.#replaced.delete(track)) return
    const fields = { stream: this.streamPath, track: trackText(track) }
    this.session.log.warn(fields, 'units are left out: configureTrack has given their track a successor')
  }

  /** Goes on with the present tracks, once none is awaited. */
  #goOn(): void {
    if (!this.session.closed && this.awaits === 'none') this.#stream.tracksSettled()
  }

  #withdraw(track: Track): void {
    if (!this.#tracks.includes(track)) return
    if (!this.session.closed) this.#stream.flushOutput()
    this.#tracks = this.#tracks.filter((other) => other !== track)
    if (!this.session.closed) this.#stream.trackRemoved(track)
  }

  #announceLate(track: Track): void {
    const fields = { session: this.id, stream: this.streamPath, track: trackText(track) }
    this.session.log.info(fields, 'a track begins late: viewers are told of it')
    this.#stream.flush()
    this.#tracks = [...this.#tracks, track].toSorted((one, other) => one.id - other.id)
    this.#stream.trackAdded(track)
  }

  #setComplete(how: 'assumed' | 'declared'): void {
    if (this.#complete === 'declared' || this.session.closed) return
    clearTimeout(this.#completeTimer)
    this.#complete = how
    if (!this.#tracksLogged) this.#logTracks()
    this.#stream.tracksSettled()
  }

  #logTracks(): void {
    if (this.#tracks.length === 0) return
    this.#tracksLogged = true
    const tracks = this.#tracks.map(trackText).join(', ')
    this.session.log.info({ session: this.id, stream: this.streamPath, tracks }, 'publishing')
  }
}
