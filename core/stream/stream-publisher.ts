import { performance } from 'node:perf_hooks'
import type {
  AccessUnit,
  AudioConfig,
  CloseReason,
  PublishConfig,
  Publisher,
  SessionRequest,
  Track,
  TrackInit,
  VideoConfig,
} from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { sameConfig } from './fan-out/config-versions.ts'
import { closeReasonOf, type SessionLife } from './session-life.ts'
import { Timeline } from './timeline.ts'
import { TrackMeter } from './track-meter.ts'
import { trackText } from './track-text.ts'

/** The most tracks that one publisher has at a time. */
export const MAX_TRACKS = 32
/** Without word from the source, its tracks are taken to be complete this long after the first. */
const TRACK_WAIT_MS = 1000

/** The stream, as its publisher reaches it. */
export interface PublisherStream {
  /** Called before the tracks change, which units that are pending need as they are. */
  tracksChanging(): void
  trackAdded(track: Track): void
  trackConfigured(track: Track): void
  trackRemoved(track: Track): void
  tracksCompleted(): void
  metadataChanged(): void
  dispatch(unit: AccessUnit): void
  publisherClosed(publisher: StreamPublisher, reason: CloseReason): void
}

type StreamPublisherOptions = {
  readonly id: number
  readonly request: SessionRequest
  readonly config: Readonly<PublishConfig>
  readonly timestampBits: number | undefined
  readonly stream: PublisherStream
  readonly session: SessionLife
  /** The time at which it starts, in milliseconds, when the stream had a publisher before. */
  readonly startMs: number | undefined
}

/** The core's side of a publisher: repairs time, keeps the tracks, counts, and hands units to its stream. */
export class StreamPublisher implements Publisher {
  readonly id: number
  readonly streamPath: string
  readonly config: Readonly<PublishConfig>
  readonly request: SessionRequest
  readonly session: SessionLife
  readonly startTime = new Date()
  readonly #stream: PublisherStream
  readonly #timeline: Timeline
  readonly #meters = new Map<Track, TrackMeter>()
  readonly #refused = new Set<Track>()
  #tracks: readonly Track[] = []
  #nextTrackId = 0
  #metadata: Readonly<Record<string, unknown>> = {}
  #complete: 'no' | 'assumed' | 'declared' = 'no'
  #completeTimer: NodeJS.Timeout | undefined
  #tracksLogged = false
  #lastWriteMs = performance.now()
  #closing = false

  constructor(options: StreamPublisherOptions) {
    this.id = options.id
    this.request = options.request
    this.streamPath = options.request.streamPath
    this.config = options.config
    this.session = options.session
    this.#stream = options.stream
    this.#timeline = new Timeline({ startMs: options.startMs, timestampBits: options.timestampBits })
  }

  get tracks(): readonly Track[] {
    return this.#tracks
  }

  get metadata(): Readonly<Record<string, unknown>> {
    return this.#metadata
  }

  /** Whether the tracks are all there: as the source declared, or assumed since none came for {@link TRACK_WAIT_MS}. */
  get complete(): 'no' | 'assumed' | 'declared' {
    return this.#complete
  }

  get timeline(): Timeline {
    return this.#timeline
  }

  /** The time at which it last sent media, on the monotonic clock; its start before that. */
  get lastWriteMs(): number {
    return this.#lastWriteMs
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
    const track: Track = { ...init, id: this.#nextTrackId++ }
    const refused = init.kind === 'video' ? !this.config.pubvideo : !this.config.pubaudio
    if (refused || this.session.closed) {
      this.#refused.add(track)
      return track
    }
    this.#stream.tracksChanging()
    this.#tracks = [...this.#tracks, track]
    this.#meters.set(track, new TrackMeter(performance.now()))
    this.#completeTimer ??= setTimeout(() => this.#setComplete('assumed'), TRACK_WAIT_MS).unref()
    this.#stream.trackAdded(track)
    return track
  }

  configureTrack(track: Track, config: VideoConfig | AudioConfig): void {
    // Sources repeat their configuration, some with every keyframe.
    const changes = !sameConfig(track.config, config) && this.#meters.has(track) && !this.session.closed
    if (changes) this.#stream.tracksChanging()
    ;(track as { config: VideoConfig | AudioConfig }).config = config
    if (changes) this.#stream.trackConfigured(track)
  }

  removeTrack(track: Track): void {
    if (this.#refused.delete(track) || !this.#meters.delete(track)) return
    if (!this.session.closed) this.#stream.tracksChanging()
    this.#timeline.forget(track.id)
    this.#tracks = this.#tracks.filter((other) => other !== track)
    if (!this.session.closed) this.#stream.trackRemoved(track)
  }

  tracksComplete(): void {
    this.#setComplete('declared')
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
    // Before its first keyframe nobody can decode a track.
    if (meter === undefined || (meter.keyframes === 0 && !unit.keyframe)) return
    this.#timeline.place(unit, nowMs)
    meter.count(unit)
    this.#stream.dispatch(unit)
  }

  onClose(listener: (reason: CloseReason) => void): void {
    this.session.onClose(listener)
  }

  close(why?: CloseReason | string): void {
    if (this.#closing) return
    this.#closing = true
    const reason = closeReasonOf(why)
    clearTimeout(this.#completeTimer)
    // The stream lets go first, so that a listener that publishes the path again finds it free.
    this.#stream.publisherClosed(this, reason)
    this.session.close(reason)
  }

  #setComplete(how: 'assumed' | 'declared'): void {
    if (this.#complete === 'declared' || this.session.closed) return
    clearTimeout(this.#completeTimer)
    this.#complete = how
    if (!this.#tracksLogged) this.#logTracks()
    this.#stream.tracksCompleted()
  }

  #logTracks(): void {
    if (this.#tracks.length === 0) return
    this.#tracksLogged = true
    const tracks = this.#tracks.map(trackText).join(', ')
    this.session.log.info({ session: this.id, stream: this.streamPath, tracks }, 'publishing')
  }
}
