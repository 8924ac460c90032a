import type { Logger } from 'pino'
import type { AccessUnit, AudioConfig, Publisher, Track, TrackInit, UnitSink, VideoConfig } from 'sluice/sdk'
import { Fmp4Demuxer, MalformedError, TsDemuxer } from 'sluice/sdk/media'
import { isId3, PackedAudioDemuxer } from './packed-audio.ts'
import type { Event, Pacer } from './pacer.ts'
import type { PlaylistFollower, SourceClock } from './playlist-follower.ts'
import type { LoadedSegment, SegmentLoader } from './segment-loader.ts'
import { SourceError } from './source-error.ts'
import type { SourceSegment } from './source-playlist.ts'
import type { SourceTimeline } from './source-timeline.ts'

/** Media that is held ready; a target duration when that is longer. */
const MIN_AHEAD_MS = 4000
/** A segment that can't be had is tried this often, and then left out. */
const MAX_TRIES = 3
const RETRY_MS = 700
/** So many left out in a row, and the source is taken to be broken. */
const MAX_LEFT_OUT = 5
/** A live source that lags this many target durations behind what is listed is played faster. */
const BEHIND_TARGETS = 4.5
const MAX_PAUSE_MS = 500

/** Reads segments of one container; `flush` ends each. */
type SegmentDemuxer = { push(bytes: Buffer): void; flush(): void; readonly unsupported?: ReadonlySet<string> }
type Container = 'ts' | 'fmp4' | 'packed'

type RenditionInit = {
  readonly name: string
  readonly follower: PlaylistFollower
  readonly loader: SegmentLoader
  readonly timeline: SourceTimeline
  readonly pacer: Pacer
  readonly clock: SourceClock
  readonly signal: AbortSignal
  readonly log: Logger
  /** Told that there is something new to pace. */
  readonly onEvents: () => void
}

type Fetched = { readonly segment: SourceSegment; readonly loaded: LoadedSegment }

/** One of the playlists of a source that are played together: fetches, reads and paces its segments. */
export class Rendition implements UnitSink {
  readonly #init: RenditionInit
  readonly #segments: AsyncGenerator<Fetched>
  readonly #tracks = new Set<Track>()
  #publisher: Publisher | undefined
  #container: Container | undefined
  #demuxer: SegmentDemuxer | undefined
  #units: AccessUnit[] = []
  /** Changes of tracks, and before how many of the units they take effect. */
  #changes: { readonly before: number; readonly act: () => void }[] = []
  #first: Fetched | undefined
  #leftOut = 0

  constructor(init: RenditionInit, loop: number) {
    this.#init = init
    this.#segments = this.#fetchAll(loop)
  }

  get trackCount(): number {
    return this.#tracks.size
  }

  /** What the source has that can't be carried. */
  get unsupported(): readonly string[] {
    return [...(this.#demuxer?.unsupported ?? [])]
  }

  /**
   * Fetches the first segment, so that it is known that the source can be had at all.
   * @throws {SourceError} when there is none
   */
  async open(): Promise<void> {
    const { value, done } = await this.#segments.next()
    if (done === true) throw new SourceError('the playlist of the source has no segments')
    this.#first = value
  }

  /** Reads the segment that `open` fetched; its tracks are then known. */
  begin(publisher: Publisher): void {
    this.#publisher = publisher
    if (this.#first) this.#read(this.#first)
    this.#first = undefined
  }

  /** Goes on until the source ends; by then some of it still waits in the pacer. */
  async run(): Promise<void> {
    await this.#room()
    for await (const fetched of this.#segments) {
      this.#read(fetched)
      await this.#room()
    }
  }

  addTrack(init: TrackInit): Track {
    if (this.#publisher === undefined) throw new Error('a rendition that has not begun')
    const track = this.#publisher.addTrack(init)
    this.#tracks.add(track)
    return track
  }

  configureTrack(track: Track, config: VideoConfig | AudioConfig): void {
    this.#changes.push({ before: this.#units.length, act: () => this.#publisher?.configureTrack(track, config) })
  }

  removeTrack(track: Track): void {
    this.#tracks.delete(track)
    this.#changes.push({ before: this.#units.length, act: () => this.#publisher?.removeTrack(track) })
  }

  write(unit: AccessUnit): void {
    this.#units.push(unit)
  }

  /** @param loop how often a source that has an end is repeated; −1 is for ever */
  async *#fetchAll(loop: number): AsyncGenerator<Fetched> {
    const { follower } = this.#init
    const turns = loop < 0 ? Infinity : loop + 1
    for (let turn = 0; turn < turns; turn++) {
      let found = false
      for await (const segment of follower.segments()) {
        const loaded = await this.#fetch(segment)
        if (loaded) yield { segment, loaded }
        found ||= loaded !== undefined
      }
      if (!follower.isWhole || !found) return
      follower.rewind()
    }
  }

  /** Undefined when the segment is left out. */
  async #fetch(segment: SourceSegment): Promise<LoadedSegment | undefined> {
    const { loader, follower, clock, signal, log } = this.#init
    for (let tries = 1; ; tries++) {
      try {
        const loaded = await loader.load(segment, follower.url)
        this.#leftOut = 0
        return loaded
      } catch (error) {
        if (signal.aborted || !(error instanceof SourceError) || error.fatal) throw error
        if (tries === MAX_TRIES) {
          this.#leaveOut(error)
          return undefined
        }
        log.debug({ err: error }, 'a segment can not be had at present')
      }
      await clock.wait(RETRY_MS * tries)
    }
  }

  #leaveOut(error: Error): void {
    this.#leftOut += 1
    if (this.#leftOut > MAX_LEFT_OUT) throw error
    this.#init.log.warn({ reason: error.message }, 'a segment of the source is left out')
  }

  #read({ segment, loaded: { init, bytes } }: Fetched): void {
    const { name, timeline, pacer, onEvents } = this.#init
    try {
      const demuxer = this.#demuxerFor(init ?? bytes, segment)
      if (init) {
        demuxer.push(init)
        demuxer.flush()
      }
      demuxer.push(bytes)
      demuxer.flush()
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#closeDemuxer()
      this.#leaveOut(error)
    }
    const units = this.#units
    const changes = this.#changes.map(({ before, act }) => ({ after: units[before - 1], act }))
    this.#units = []
    this.#changes = []
    const timed = timeline.place(name, segment.discontinuity, units, this.#container !== 'fmp4')
    pacer.push(name, this.#events(timed, changes))
    onEvents()
  }

  /** Changes take effect right after the unit that they came after. */
  #events(
    timed: ReturnType<SourceTimeline['place']>,
    changes: readonly { readonly after: AccessUnit | undefined; readonly act: () => void }[],
  ): Event[] {
    const events: Event[] = []
    const dueMs = timed[0]?.dueMs ?? 0
    const add = (after: AccessUnit | undefined, at: number) => {
      for (const change of changes) if (change.after === after) events.push({ dueMs: at, act: change.act })
    }
    if (changes.length > 0) add(undefined, dueMs)
    for (const { dueMs, unit } of timed) {
      events.push({ dueMs, act: () => this.#publisher?.write(unit) })
      if (changes.length > 0) add(unit, dueMs)
    }
    return events
  }

  /** Waits until there is room for another segment. */
  async #room(): Promise<void> {
    const { name, follower, pacer, clock } = this.#init
    const aheadMs = Math.max(MIN_AHEAD_MS, follower.targetDurationMs)
    for (;;) {
      const nowMs = clock.nowMs()
      const bufferedMs = pacer.bufferedMs(name, nowMs)
      const behind = bufferedMs + follower.pendingMs > BEHIND_TARGETS * follower.targetDurationMs
      if (!follower.ended && name === MAIN) pacer.catchUp(behind, nowMs)
      if (bufferedMs < aheadMs) return
      await clock.wait(Math.min(bufferedMs - aheadMs + 1, MAX_PAUSE_MS))
    }
  }

  #demuxerFor(bytes: Buffer, { init }: SourceSegment): SegmentDemuxer {
    const container = containerOf(bytes, init !== undefined)
    if (this.#demuxer && container === this.#container) return this.#demuxer
    this.#closeDemuxer()
    this.#container = container
    return (this.#demuxer = createDemuxer(container, this))
  }

  #closeDemuxer(): void {
    this.#demuxer = undefined
    for (const track of this.#tracks) this.removeTrack(track)
  }
}

/** The rendition that leads: with pictures, where there are some. */
export const MAIN = 'main'

function createDemuxer(container: Container, sink: UnitSink): SegmentDemuxer {
  if (container === 'fmp4') return new Fmp4Demuxer(sink)
  return container === 'ts' ? new TsDemuxer(sink) : new PackedAudioDemuxer(sink)
}

const FMP4_BOXES = ['ftyp', 'styp', 'moov', 'moof', 'sidx', 'emsg', 'prft', 'free']

function containerOf(bytes: Buffer, hasInit: boolean): Container {
  if (hasInit || FMP4_BOXES.includes(bytes.toString('latin1', 4, 8))) return 'fmp4'
  return isId3(bytes) || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf6) === 0xf0) ? 'packed' : 'ts'
}
