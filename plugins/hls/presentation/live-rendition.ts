import type { AccessUnit, PluginContext, Track } from 'sluice/sdk'
import { FramePace } from './frame-pace.ts'
import { LenientMuxer } from './lenient-muxer.ts'
import { MIN_DURATION_SECONDS, PartCutter } from './part-cutter.ts'
import type { PresentationTerms } from './presentation-terms.ts'
import { buildMediaPlaylist, type ListedRendition } from './rendition-playlist.ts'
import type { Rendition } from './rendition.ts'
import type { Cut } from './segment-cutter.ts'
import type { SegmentMuxer } from './segment-muxer.ts'
import type { Segment, Period } from './segment.ts'
import { SegmentWindow, type PresentationFile } from './segment-window.ts'
import type { MediaPlaylist } from '../wire/media-playlist.ts'

/** A rendition that lags goes on without the units before a cut when they are later than this. */
const MAX_LAG_SECONDS = 1
/** The time after a cut in which video other than the main track may have its keyframe. */
const KEYFRAME_WAIT_SECONDS = 0.5

export type LiveRenditionOptions = {
  readonly name: string
  readonly presentationId: string
  readonly firstMsn: number
  readonly terms: PresentationTerms
  /** All renditions of the presentation, this one included. */
  readonly all: Iterable<ListedRendition>
  /** Called whenever its playlist changes. */
  readonly onChange: () => void
  readonly log: PluginContext<unknown>['log']
}

type TimedUnit = { readonly unit: AccessUnit; readonly timeSeconds: number }

/** Makes the segments of one rendition from units and cuts. */
export class LiveRendition implements Rendition {
  readonly name: string
  readonly window: SegmentWindow
  readonly #options: LiveRenditionOptions
  #nextMsn: number
  /** The tracks of the current period. */
  #tracks: readonly Track[] = []
  #period: Period | undefined
  #initName: string | undefined
  #muxer: SegmentMuxer | undefined
  #pace = new FramePace()
  #boundarySeconds = 0
  #hasMainTrack = false
  #isFirstOfPeriod = true
  #open: Segment | undefined
  #parts: PartCutter | undefined
  /** The cuts of the main rendition that this one has not reached. */
  #cuts: Cut[] = []
  #pendingBytes = 0
  /** The units that are ahead of the main rendition. */
  readonly #queued: TimedUnit[] = []
  /** The units of the first segment, which is divided when the part target is known. */
  readonly #early: TimedUnit[] = []

  constructor(options: LiveRenditionOptions) {
    this.name = options.name
    this.#options = options
    this.#nextMsn = options.firstMsn
    const prefix = `${options.presentationId}-${options.name}-`
    this.window = new SegmentWindow(prefix, options.terms.format === 'ts' ? 'ts' : 'm4s', options.terms)
  }

  get lastMsn(): number {
    return this.window.lastMsn
  }

  get lastPart(): number {
    return this.window.lastPart
  }

  /** The tracks of the current period, or of the last one. */
  get tracks(): readonly Track[] {
    return this.#tracks
  }

  /** The pace of the frames that parts end at. The presentation updates it for the main track. */
  get pace(): FramePace {
    return this.#pace
  }

  /** The end of the newest complete segment, in media time. */
  get boundarySeconds(): number {
    return this.#boundarySeconds
  }

  get newestMs(): number {
    return (this.#period?.originMs ?? 0) + (this.#pace.lastSeconds ?? this.#boundarySeconds) * 1000
  }

  get sizeBytes(): number {
    return this.window.sizeBytes + this.#pendingBytes
  }

  /** True while units come, or may come. */
  get running(): boolean {
    return this.#muxer !== undefined
  }

  has(msn: number, part?: number): boolean {
    return this.window.has(msn, part)
  }

  playlist({ skip }: { readonly skip: boolean }): MediaPlaylist {
    const { all, terms } = this.#options
    return buildMediaPlaylist(this, all, terms, skip)
  }

  /** @param name the file's name without the prefix */
  file(name: string): PresentationFile | undefined {
    const { hint } = this
    if (hint !== undefined && hint.endsWith(`-${name}`)) return { coming: true }
    return this.window.file(name)
  }

  /** The name of the part that will come next; undefined when no part is known to come. */
  get hint(): string | undefined {
    const { partTargetSeconds, ended } = this.#options.terms
    if (!this.running || ended || partTargetSeconds === undefined) return undefined
    const open = this.#open
    if (open) return open.divided ? this.window.partName(open.msn, open.parts.length) : undefined
    return this.#divides ? this.window.partName(this.#nextMsn, 0) : undefined
  }

  /** Begins a period. Without tracks, the rendition has no media in it. */
  begin(period: Period, tracks: readonly Track[], mainTrack: Track, startSeconds: number): void {
    this.#hasMainTrack = tracks.includes(mainTrack)
    this.#period = period
    this.#isFirstOfPeriod = true
    this.#boundarySeconds = startSeconds
    this.#pace = new FramePace()
    this.#muxer = undefined
    if (tracks.length === 0) return
    this.#tracks = tracks
    const { terms, log } = this.#options
    this.#muxer = new LenientMuxer({ format: terms.format, tracks, rendition: this.name, log })
    this.#initName = this.#muxer.init && this.window.addInit(period.index, this.#muxer.init)
  }

  /** Makes a cut of the main rendition. @param unit the unit that caused the cut, which comes after it */
  cutNow(cut: Cut, unit: AccessUnit): void {
    this.catchUp(cut.atSeconds)
    const isFirstTrack = unit.track.id === this.#tracks[0]?.id
    this.cut(cut, isFirstTrack ? unit : (this.#queued[0]?.unit ?? unit))
  }

  /** Makes a cut as soon as the units before it have come. */
  cutLater(cut: Cut): void {
    if (this.running) this.#cuts.push(cut)
    else this.cut(cut)
  }

  /** Takes a unit of another track than the main one, until its segment is known. */
  queue(unit: AccessUnit, timeSeconds: number): void {
    this.#queued.push({ unit, timeSeconds })
  }

  /** Writes the queued units up to the time to which cuts are known, and makes the cuts that are overdue. */
  catchUp(clockSeconds: number): void {
    this.#writeQueued(clockSeconds)
    while (this.#cuts.length > 0 && this.#cuts[0]!.atSeconds + MAX_LAG_SECONDS < clockSeconds) {
      this.cut(this.#cuts.shift()!)
    }
  }

  write(unit: AccessUnit, timeSeconds: number): void {
    while (this.#cuts.length > 0 && this.#reaches(this.#cuts[0]!, unit, timeSeconds)) {
      const { atSeconds } = this.#cuts.shift()!
      const latestSeconds = this.#boundarySeconds + this.#options.terms.limitSeconds
      this.cut({ atSeconds: Math.max(atSeconds, Math.min(timeSeconds, latestSeconds)) }, unit)
    }
    this.#pendingBytes += unit.sizeBytes
    if (!this.#hasMainTrack && unit.track.id === this.#tracks[0]?.id) this.#pace.take(timeSeconds)
    const { lowLatency, partTargetSeconds } = this.#options.terms
    if (lowLatency && partTargetSeconds === undefined) {
      this.#early.push({ unit, timeSeconds })
      return
    }
    this.#placeEarly()
    this.#place(unit, timeSeconds)
  }

  /** Completes the segment, which has no media if none came. @param next the first unit of the next segment */
  cut({ atSeconds }: Cut, next?: AccessUnit): void {
    this.#placeEarly()
    const wantedSeconds = next || this.#hasMainTrack ? atSeconds : Math.max(atSeconds, this.#mediaEndSeconds)
    const segment = this.#open ?? this.#openSegment()
    const endSeconds = this.#endOf(segment, wantedSeconds)
    const partsEndSeconds = this.#parts?.finish(endSeconds, next)
    if (!this.#parts) this.#endPart(endSeconds - segment.startSeconds, next)
    // Other renditions have to keep to the cuts of the main one.
    const goesByParts = this.#hasMainTrack && segment.parts.length > 0
    this.#boundarySeconds = goesByParts ? (partsEndSeconds ?? endSeconds) : endSeconds
    segment.durationSeconds = this.#boundarySeconds - segment.startSeconds
    segment.complete = true
    this.#open = undefined
    this.#parts = undefined
    this.window.complete(segment)
    this.#options.onChange()
  }

  /** Ends the period, as nothing more of it comes. */
  finish(cut: Cut): void {
    // Units that are further ahead than the longest last segment are dropped.
    while (this.#cuts.length > 0 && this.#queued.length > 0) this.catchUp(this.#queued[0]!.timeSeconds)
    const limitSeconds = this.#boundarySeconds + this.#options.terms.limitSeconds
    // The pace is that of pictures, for which audio waits.
    this.#writeQueued(
      Math.max(this.#hasMainTrack ? limitSeconds : limitSeconds - this.#pace.stepSeconds, cut.atSeconds),
    )
    this.#queued.length = 0
    for (const earlier of this.#cuts.splice(0)) if (earlier.atSeconds < cut.atSeconds) this.cut(earlier)
    this.cut(cut)
    this.#muxer = undefined
  }

  /** Limits the end of a segment: the boundaries of the main rendition may lie a little before or after those of this one. */
  #endOf({ startSeconds }: Segment, wantedSeconds: number): number {
    const latestSeconds = startSeconds + this.#options.terms.limitSeconds
    return Math.max(startSeconds + MIN_DURATION_SECONDS, Math.min(wantedSeconds, latestSeconds))
  }

  /** The end of the newest frame in the segment being made. */
  get #mediaEndSeconds(): number {
    const { lastSeconds, stepSeconds } = this.#pace
    return this.#open && lastSeconds !== undefined ? lastSeconds + stepSeconds : -Infinity
  }

  #writeQueued(toSeconds: number): void {
    while (this.#queued.length > 0 && this.#queued[0]!.timeSeconds <= toSeconds) {
      const { unit, timeSeconds } = this.#queued.shift()!
      this.write(unit, timeSeconds)
    }
  }

  #placeEarly(): void {
    if (this.#early.length === 0) return
    for (const { unit, timeSeconds } of this.#early.splice(0)) this.#place(unit, timeSeconds)
  }

  #place(unit: AccessUnit, timeSeconds: number): void {
    this.#open ??= this.#openSegment()
    if (!this.#parts) this.#muxer?.write(unit)
    else if (unit.track.id === this.#tracks[0]?.id) this.#parts.main(unit, timeSeconds)
    else this.#parts.other(unit, timeSeconds)
  }

  get #divides(): boolean {
    const { partTargetSeconds } = this.#options.terms
    return partTargetSeconds !== undefined && this.running && this.#pace.fits(partTargetSeconds)
  }

  #reaches({ atSeconds }: Cut, unit: AccessUnit, timeSeconds: number): boolean {
    if (timeSeconds < atSeconds) return false
    const latestSeconds = this.#boundarySeconds + this.#options.terms.limitSeconds - this.#pace.stepSeconds
    return unit.keyframe || timeSeconds >= Math.min(latestSeconds, atSeconds + KEYFRAME_WAIT_SECONDS)
  }

  #openSegment(): Segment {
    const divided = this.#divides
    const startSeconds = this.#boundarySeconds
    const segment: Segment = {
      msn: this.#nextMsn,
      period: this.#period!,
      discontinuity: this.#isFirstOfPeriod && this.#period!.index > 0,
      initName: this.#initName,
      startSeconds,
      durationSeconds: 0,
      parts: [],
      divided,
      complete: false,
    }
    this.#nextMsn += 1
    this.#isFirstOfPeriod = false
    this.window.add(segment)
    this.#open = segment
    const targetSeconds = this.#options.terms.partTargetSeconds
    if (divided && targetSeconds !== undefined) {
      const sink = {
        write: (unit: AccessUnit) => this.#muxer?.write(unit),
        endPart: (durationSeconds: number, next: AccessUnit | undefined) => this.#endPart(durationSeconds, next),
      }
      this.#parts = new PartCutter(sink, { targetSeconds, pace: this.#pace, startSeconds })
    }
    return segment
  }

  #endPart(durationSeconds: number, next: AccessUnit | undefined): boolean {
    const piece = this.#muxer?.take(next)
    const segment = this.#open
    if (!piece || !segment) return false
    this.#pendingBytes = 0
    const { data, independent } = piece
    this.window.addPart(segment, { data, independent, durationSeconds })
    segment.durationSeconds += durationSeconds
    if (segment.divided) this.#options.onChange()
    return true
  }
}
