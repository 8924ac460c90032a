import { isDeepStrictEqual } from 'node:util'
import type { PublishConfig } from '../config/groups.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import type { MediaTrack, Track, TrackInit } from '../media/track.ts'
import type { Publisher, PublishOptions } from '../stream/publisher.ts'
import type { SessionRequest } from '../stream/session-request.ts'
import { StreamExists, Unsupported } from '../errors/stream-errors.ts'
import type { Talk } from '../stream/source-control.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import { closeReasonOf, SessionEnd } from './session-end.ts'

/** The stream of a fake publisher, which receives its tracks and units. */
export interface FakePublisherStream {
  trackChanged(track: Track): void
  trackRemoved(track: Track): void
  tracksCompleted(): void
  discontinuity(): void
  dispatch(unit: AccessUnit): void
  publisherConnected(publisher: FakePublisher): void
  publisherClosed(publisher: FakePublisher, reason: CloseReason): void
}

export type FakePublisherInit = {
  readonly id: number
  readonly request: SessionRequest
  readonly options: PublishOptions
  readonly config: Readonly<PublishConfig>
  readonly stream: FakePublisherStream
}

/** A publisher that keeps all it is given for the test to look at. Times are left as they come. */
export class FakePublisher implements Publisher {
  readonly id: number
  readonly streamPath: string
  readonly config: Readonly<PublishConfig>
  readonly request: SessionRequest
  readonly options: PublishOptions
  readonly startTime = new Date()
  /** All units that were written, in order. */
  readonly units: AccessUnit[] = []
  /** The number of units that were declared lost, or left out as a keyframe was needed after those. */
  lostUnits = 0
  /** The function that `details` was called with. */
  readDetails: (() => Readonly<Record<string, string | number>>) | undefined
  /** The declared tracks of which nothing has come, as subscribers are told: a test sets them. */
  silentTracks: readonly MediaTrack[] = []
  /** The number of units that had been written at each discontinuity. */
  readonly discontinuities: number[] = []
  /** The time that each sign of life by `alive` is to hold, in milliseconds. */
  readonly signs: number[] = []
  readonly #stream: FakePublisherStream
  readonly #end = new SessionEnd()
  #writtenBytes = 0
  #tracks: readonly Track[] = []
  #nextTrackId = 0
  /** Ids of tracks that lost units, and need a keyframe. */
  readonly #broken = new Set<number>()
  #metadata: Readonly<Record<string, unknown>> = {}
  #complete = false
  #paused = false
  #speed = 1
  #isTalkedTo = false
  #isConnecting: boolean

  constructor({ id, request, options, config, stream }: FakePublisherInit) {
    this.id = id
    this.streamPath = request.streamPath
    this.config = config
    this.request = request
    this.options = options
    this.#isConnecting = options.connecting === true
    this.#stream = stream
  }

  /** The tracks there are at present. */
  get tracks(): readonly Track[] {
    return this.#tracks
  }

  get writtenBytes(): number {
    return this.#writtenBytes
  }

  get metadata(): Readonly<Record<string, unknown>> {
    return this.#metadata
  }

  /** True once `tracksComplete` was called. */
  get complete(): boolean {
    return this.#complete
  }

  /** It was published as one that has yet to connect, and was not heard. */
  get isConnecting(): boolean {
    return this.#isConnecting
  }

  /** The latest argument of `setPaused`. */
  get paused(): boolean {
    return this.#paused
  }

  /** The latest argument of `setSpeed`. */
  get speed(): number {
    return this.#speed
  }

  /** Opens a talk with its source, one at a time. */
  async talk(tracks: readonly TrackInit[]): Promise<Talk> {
    const { control } = this.options
    if (control?.talk === undefined) throw new Unsupported('this stream cannot be talked to')
    if (this.#isTalkedTo) throw new StreamExists()
    this.#isTalkedTo = true
    const talk = await control.talk(tracks)
    talk.onClose(() => (this.#isTalkedTo = false))
    this.onClose(() => talk.close())
    return talk
  }

  /** The reason of its end; undefined while it runs. */
  get closeReason(): string | undefined {
    return this.#end.reason?.text
  }

  addTrack(init: TrackInit): Track {
    const track: Track = { ...init, id: this.#nextTrackId++ }
    const { pubvideo: video, pubaudio: audio } = this.config
    const refused = !{ video, audio, data: true }[init.kind]
    if (refused || this.closeReason !== undefined) return track
    this.#connected()
    this.#tracks = [...this.#tracks, track]
    this.#stream.trackChanged(track)
    this.options.observer?.track(track)
    return track
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    if (isDeepStrictEqual(track.config, config)) return track
    const successor = { ...track, config }
    if (!this.#takes(track)) return successor
    this.#tracks = this.#tracks.map((other) => (other === track ? successor : other))
    this.#stream.trackChanged(successor)
    return successor
  }

  removeTrack(track: Track): void {
    this.#tracks = this.#tracks.filter((other) => other !== track)
    this.#stream.trackRemoved(track)
  }

  setMetadata(metadata: Readonly<Record<string, unknown>>): void {
    this.#metadata = metadata
  }

  tracksComplete(): void {
    this.#complete = true
    this.#stream.tracksCompleted()
  }

  /** There is no wait, so that a test that moves the clock by hand is in step with the tested code. */
  whenTaken(): undefined {}

  discontinuity(): void {
    if (this.closeReason !== undefined) return
    this.discontinuities.push(this.units.length)
    this.#stream.discontinuity()
  }

  alive(holdsMs = 0): void {
    if (this.closeReason !== undefined) return
    this.signs.push(holdsMs)
    this.#connected()
  }

  setPaused(paused: boolean): void {
    this.#paused = paused
  }

  setSpeed(speed: number): void {
    this.#speed = speed
  }

  lost(track: Track, count: number): void {
    if (!this.#takes(track) || count <= 0) return
    this.lostUnits += count
    if (track.kind === 'video') this.#broken.add(track.id)
  }

  write(unit: AccessUnit): void {
    if (!this.#takes(unit.track)) return
    if (unit.keyframe) this.#broken.delete(unit.track.id)
    if (this.#broken.has(unit.track.id)) return void this.lostUnits++
    this.units.push(unit)
    this.#writtenBytes += unit.sizeBytes
    this.#stream.dispatch(unit)
  }

  details(read: () => Readonly<Record<string, string | number>>): void {
    this.readDetails = read
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.#end.onClose(listener)
  }

  close(why?: CloseReason | string): void {
    if (this.closeReason !== undefined) return
    const reason = closeReasonOf(why)
    this.#stream.publisherClosed(this, reason)
    this.#end.close(reason)
  }

  #connected(): void {
    if (!this.#isConnecting) return
    this.#isConnecting = false
    this.#stream.publisherConnected(this)
  }

  #takes(track: Track): boolean {
    return this.closeReason === undefined && this.#tracks.includes(track)
  }
}
