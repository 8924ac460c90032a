import { isDeepStrictEqual } from 'node:util'
import type { PublishConfig } from '../config/groups.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import type { AudioConfig, Track, TrackInit, VideoConfig } from '../media/track.ts'
import type { Publisher, PublishOptions } from '../stream/publisher.ts'
import type { SessionRequest } from '../stream/session-request.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import { closeReasonOf, SessionEnd } from './session-end.ts'

/** What a fake publisher tells its stream. */
export interface FakePublisherStream {
  trackChanged(track: Track): void
  trackRemoved(track: Track): void
  tracksCompleted(): void
  dispatch(unit: AccessUnit): void
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
  readonly #stream: FakePublisherStream
  readonly #end = new SessionEnd()
  #tracks: readonly Track[] = []
  #nextTrackId = 0
  #metadata: Readonly<Record<string, unknown>> = {}
  #complete = false

  constructor({ id, request, options, config, stream }: FakePublisherInit) {
    this.id = id
    this.streamPath = request.streamPath
    this.config = config
    this.request = request
    this.options = options
    this.#stream = stream
  }

  /** The tracks there are at present. */
  get tracks(): readonly Track[] {
    return this.#tracks
  }

  get metadata(): Readonly<Record<string, unknown>> {
    return this.#metadata
  }

  /** Whether `tracksComplete` was called. */
  get complete(): boolean {
    return this.#complete
  }

  /** Why it ended; undefined while it runs. */
  get closeReason(): string | undefined {
    return this.#end.reason?.text
  }

  addTrack(init: TrackInit): Track {
    const track: Track = { ...init, id: this.#nextTrackId++ }
    const refused = init.kind === 'video' ? !this.config.pubvideo : !this.config.pubaudio
    if (refused || this.closeReason !== undefined) return track
    this.#tracks = [...this.#tracks, track]
    this.#stream.trackChanged(track)
    return track
  }

  configureTrack(track: Track, config: VideoConfig | AudioConfig): void {
    const isNew = !isDeepStrictEqual(track.config, config)
    Object.assign(track, { config })
    if (isNew && this.#takes(track)) this.#stream.trackChanged(track)
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

  write(unit: AccessUnit): void {
    if (!this.#takes(unit.track)) return
    this.units.push(unit)
    this.#stream.dispatch(unit)
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

  #takes(track: Track): boolean {
    return this.closeReason === undefined && this.#tracks.includes(track)
  }
}
