import { isDeepStrictEqual } from 'node:util'
import type { AccessUnit, Track, TrackInit, UnitSink } from 'sluice/sdk'
import { Fmp4Demuxer, TsDemuxer } from 'sluice/sdk/media'
import { PackedAudioDemuxer } from './packed-audio.ts'
import type { SegmentContainer } from './segment-container.ts'
import type { LoadedSegment } from './segment-loader.ts'

/** Reads segments of one container; `flush` ends each. */
type SegmentDemuxer = { push(bytes: Buffer): void; flush(): void; readonly unsupported?: ReadonlySet<string> }

/** Changes a track of the publisher. */
type TrackChange = () => void
type TrackChanges = Map<AccessUnit, TrackChange[]>

/** The units of a segment by track, and the changes of tracks. */
export type SegmentUnits = {
  readonly units: readonly AccessUnit[]
  /** True when times are the counters of 33 bits of MPEG-TS. */
  readonly counters: boolean
  /** Changes that take effect before a unit, or after it; those of `start` take effect before all units. */
  readonly start: readonly TrackChange[]
  readonly before: ReadonlyMap<AccessUnit, readonly TrackChange[]>
  readonly after: ReadonlyMap<AccessUnit, readonly TrackChange[]>
}

/**
 * Turns the segments of one playlist into units, whatever containers they are in. New tracks are added at once, and those they replace are
 * removed at once; other changes are returned with the units that they belong to.
 */
export class SegmentReader implements UnitSink {
  readonly #sink: UnitSink
  readonly #tracks = new Set<Track>()
  /** The tracks of the demuxer before, which the current one may continue. */
  readonly #former = new Set<Track>()
  #container: SegmentContainer | undefined
  #demuxer: SegmentDemuxer | undefined
  /** The init segment that the demuxer has read. */
  #init: Buffer | undefined
  #discontinuity: number | undefined
  /** True when all units before the current segment have been written. */
  #anew = false
  #units: AccessUnit[] = []
  #start: TrackChange[] = []
  #before: TrackChanges = new Map()
  #after: TrackChanges = new Map()
  /** The tracks with a new configuration and no unit yet, with the tracks that they replace. */
  readonly #unwritten = new Map<Track, Track>()
  /** The publisher's tracks by their ids; the publisher gets a configuration when the first unit that needs it is played. */
  readonly #published = new Map<number, Track>()

  /** @param sink the publisher of the stream */
  constructor(sink: UnitSink) {
    this.#sink = sink
  }

  get trackCount(): number {
    return this.#tracks.size
  }

  /** The streams of the source that can't be carried. */
  get unsupported(): readonly string[] {
    return [...(this.#demuxer?.unsupported ?? [])]
  }

  /**
   * True when a segment may have other tracks: within a discontinuity they stay the same (RFC 8216 4.3.2.3). It is to be read when the
   * units before it have been written, as its tracks are added then.
   * @param discontinuity the number of the segment's discontinuity
   */
  beginsAnew({ container, init }: LoadedSegment, discontinuity: number): boolean {
    const goesOn = this.#demuxer !== undefined && container === this.#container && init === this.#init
    return !goesOn || discontinuity !== this.#discontinuity
  }

  /** @throws {MalformedError} when the segment is malformed; the units read before are returned by {@link take} */
  read(loaded: LoadedSegment, discontinuity: number): void {
    const { bytes, container, init } = loaded
    this.#anew = this.beginsAnew(loaded, discontinuity)
    this.#discontinuity = discontinuity
    const demuxer = this.#demuxerFor(container)
    try {
      if (init && init !== this.#init) {
        demuxer.push(init)
        demuxer.flush()
      }
      this.#init = init
      demuxer.push(bytes)
      demuxer.flush()
    } catch (error) {
      this.#closeDemuxer()
      throw error
    }
    for (const track of this.#former) this.removeTrack(track)
  }

  /** Returns the units and changes read since the last call. */
  take(): SegmentUnits {
    const counters = this.#container !== 'fmp4'
    const taken = { units: this.#units, counters, start: this.#start, before: this.#before, after: this.#after }
    this.#units = []
    this.#start = []
    this.#before = new Map()
    this.#after = new Map()
    return taken
  }

  addTrack(init: TrackInit): Track {
    const known = [...this.#former].find((track) => isDeepStrictEqual(track, { ...init, id: track.id }))
    for (const track of this.#former) if (known === undefined && track.kind === init.kind) this.removeTrack(track)
    const track = known ?? this.#sink.addTrack(init)
    if (known === undefined) this.#published.set(track.id, track)
    this.#former.delete(track)
    this.#tracks.add(track)
    return track
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    if (isDeepStrictEqual(track.config, config)) return track
    const successor = { ...track, config }
    this.#unwritten.set(successor, this.#unwritten.get(track) ?? track)
    this.#unwritten.delete(track)
    this.#tracks.delete(track)
    this.#tracks.add(successor)
    return successor
  }

  removeTrack(track: Track): void {
    this.#tracks.delete(track)
    this.#former.delete(track)
    this.#unwritten.delete(track)
    const { id } = track
    const remove = () => {
      this.#sink.removeTrack(this.#published.get(id) ?? track)
      this.#published.delete(id)
    }
    const last = this.#units.findLast((unit) => unit.track.id === id)
    if (last !== undefined) append(this.#after, last, remove)
    else if (this.#anew) remove()
    else this.#start.push(remove)
  }

  write(unit: AccessUnit): void {
    const { track } = unit
    if (this.#unwritten.delete(track)) append(this.#before, unit, () => this.#configure(track))
    this.#units.push(unit)
  }

  lost(track: Track, count: number): void {
    this.#sink.lost(this.#published.get(track.id) ?? track, count)
  }

  /** Writes a unit that was taken to the publisher. */
  publish(unit: AccessUnit): void {
    const track = this.#published.get(unit.track.id) ?? unit.track
    this.#sink.write(track === unit.track ? unit : unit.at(track, unit.dts, unit.pts))
  }

  #configure({ id, config }: Track): void {
    const track = this.#published.get(id)
    if (track !== undefined) this.#published.set(id, this.#sink.configureTrack(track, config))
  }

  #demuxerFor(container: SegmentContainer): SegmentDemuxer {
    if (this.#demuxer && container === this.#container) return this.#demuxer
    this.#closeDemuxer()
    this.#container = container
    return (this.#demuxer = createDemuxer(container, this))
  }

  /** Prepares for a new demuxer, with an init segment; tracks that it finds again are continued. */
  #closeDemuxer(): void {
    this.#demuxer = undefined
    this.#init = undefined
    for (const track of this.#tracks) this.#former.add(this.#unwritten.get(track) ?? track)
    this.#tracks.clear()
    this.#unwritten.clear()
  }
}

function append(changes: TrackChanges, unit: AccessUnit, change: TrackChange): void {
  const known = changes.get(unit)
  if (known) known.push(change)
  else changes.set(unit, [change])
}

function createDemuxer(container: SegmentContainer, sink: UnitSink): SegmentDemuxer {
  if (container === 'fmp4') return new Fmp4Demuxer(sink)
  return container === 'ts' ? new TsDemuxer(sink) : new PackedAudioDemuxer(sink)
}
