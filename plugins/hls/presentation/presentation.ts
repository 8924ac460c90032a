import type { AccessUnit, PluginContext, Track, UnitReader } from 'sluice/sdk'
import { ChangeListeners } from './change-listeners.ts'
import type { LiveRendition } from './live-rendition.ts'
import { buildMultivariant } from './multivariant.ts'
import { numbersByClock, type SequenceNumbers } from './sequence-numbers.ts'
import { PeriodClock } from './period-clock.ts'
import { PresentationTerms } from './presentation-terms.ts'
import type { Rendition } from './rendition.ts'
import { Renditions } from './renditions.ts'
import { SegmentCutter, type Cut } from './segment-cutter.ts'
import { whyLeftOut, type SegmentFormat } from './segment-muxer.ts'
import type { PresentationFile } from './segment-window.ts'
import { isStillPlan, placeTracks, type CurrentPeriod } from './current-period.ts'
import { DeclaredTracks, type PlannedTracks } from './declared-tracks.ts'
import { isSameTrack, type Layout } from './track-plan.ts'
import type { MultivariantPlaylist } from '../wire/multivariant-playlist.ts'

export type PresentationOptions = {
  /** The id of the presentation in file names: unguessable, and never used again. */
  readonly id: string
  readonly format: SegmentFormat
  /** True to cut segments into parts, too. With `fmp4` only. */
  readonly lowLatency: boolean
  readonly fragmentMs: number
  readonly partMs: number
  /** The number of segments in a playlist. */
  readonly window: number
  /** The wall clock, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number
  readonly log: PluginContext<unknown>['log']
  /** The numbers to continue with, those of the presentation that is replaced; by the clock when there was none. */
  readonly numbers?: SequenceNumbers | undefined
  /** The renditions to create, whatever the tracks; by default those that suit the tracks. */
  readonly layout?: Layout | undefined
}

/**
 * A stream as HLS in one format: renditions, their segments, parts and playlists. It has neither timers nor HTTP.
 *
 * Segments of all renditions are cut where those of the main track are, the first of video or else of audio. A change of
 * tracks or a jump of time begins a new period, and playlists contain a discontinuity.
 */
export class Presentation {
  readonly id: string
  /** The reader for `Subscriber.read`. */
  readonly reader: UnitReader
  readonly #options: PresentationOptions
  readonly #changes: ChangeListeners
  readonly #declared: DeclaredTracks
  readonly #terms: PresentationTerms
  readonly #first: SequenceNumbers
  readonly #clock: PeriodClock
  #renditions = Renditions.NONE
  #layout: Layout | undefined
  #current: CurrentPeriod | undefined
  /** True when the current period has to end: the declared tracks have changed, or the source does not continue its former media. */
  #stale = false
  /** True when none of the declared tracks can be carried. */
  #hopeless = false
  #ready = false
  #failed: string | undefined
  /** True when a malformed unit has been logged. */
  #complained = false

  constructor(options: PresentationOptions) {
    this.id = options.id
    this.#options = options
    this.#changes = new ChangeListeners(options.log)
    this.#declared = new DeclaredTracks(options.format)
    const lowLatency = options.lowLatency && options.format === 'fmp4'
    this.#clock = new PeriodClock(options.nowMs)
    this.#first = options.numbers ?? numbersByClock(options.nowMs())
    this.#terms = new PresentationTerms({ ...options, lowLatency, firstDiscontinuity: this.#first.discontinuity })
    this.reader = {
      track: this.#guarded((track: Track) => this.#track(track)),
      trackRemoved: this.#guarded((track: Track) => this.#trackRemoved(track)),
      discontinuity: () => void (this.#stale = this.#current !== undefined),
      sourceEnded: this.#guarded(() => this.#sourceEnded()),
      unit: this.#guarded((unit: AccessUnit) => this.#unit(unit)),
    }
  }

  /** True when each rendition has enough for a first playlist, so that playlists can be requested. */
  get ready(): boolean {
    return this.#ready
  }

  /** The reason for which there are no playlists: the stream has no track that the format can carry. */
  get failed(): string | undefined {
    return this.#failed
  }

  /** The target duration of all renditions; fixed once ready. */
  get targetDurationSeconds(): number {
    return this.#terms.targetDurationSeconds
  }

  /** The renditions by name, in the order of the multivariant playlist; they stay once the presentation is ready. */
  get renditions(): ReadonlyMap<string, Rendition> {
    return this.#renditions.byName
  }

  /** The numbers for the presentation that replaces this one, so that players see their playlists continue, with a discontinuity. */
  get nextNumbers(): SequenceNumbers {
    return this.#ready ? this.#renditions.numbersAfter(this.#first, this.#clock.periods) : this.#first
  }

  /** The size of all segments held, in bytes. */
  get sizeBytes(): number {
    return this.#renditions.sizeBytes
  }

  /**
   * Calls `listener` synchronously after any part or segment was added, when the presentation becomes ready or fails, and at the end.
   * @returns a function that removes the listener
   */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener)
  }

  /** The reader has all tracks of the stream: when none can be carried, the presentation fails without waiting for a unit. */
  tracksTold(): void {
    this.#guarded(() => {
      const planned = this.#declared.plan(this.#fixedLayout)
      if (planned.mainTrack !== undefined || this.#ready) return
      this.#hopeless = true
      this.#report(planned)
    })()
  }

  /** The multivariant playlist, which names renditions as `video.m3u8`. @throws {Error} before the presentation is ready */
  multivariant(): MultivariantPlaylist {
    if (!this.#ready || !this.#layout) throw new Error('the presentation is not ready')
    return buildMultivariant(this.#layout, this.#renditions.all, this.#terms)
  }

  /** Finds a file by its name, `{id}-…`; undefined when it does not exist, or no longer. */
  file(name: string): PresentationFile | undefined {
    const prefix = `${this.id}-`
    return name.startsWith(prefix) ? this.#renditions.file(name.slice(prefix.length)) : undefined
  }

  /** Completes the newest segments and ends the playlists, as no more media comes. Idempotent. */
  end(): void {
    this.#guarded(() => {
      this.#finishPeriod()
      this.#checkReady(true)
      this.#terms.ended = true
      this.#changes.mark()
    })()
  }

  /** Wraps a step of the media path: its errors are logged, and listeners are called for its changes. */
  #guarded<Value = void>(step: (value: Value) => void): (value: Value) => void {
    return (value) => {
      if (this.#terms.ended) return
      try {
        step(value)
      } catch (error) {
        if (!this.#complained) this.#options.log.error({ err: error }, 'a unit could not be put into a segment')
        this.#complained = true
      }
      this.#changes.call()
    }
  }

  #track(track: Track): void {
    this.#declared.set(track)
    this.#hopeless = false
    this.#stale = this.#isStale()
  }

  #trackRemoved(track: Track): void {
    this.#declared.delete(track)
    this.#stale = this.#isStale()
  }

  #sourceEnded(): void {
    this.#finishPeriod()
    this.#checkReady(true)
    this.#declared.clear()
    this.#stale = false
  }

  #isStale(): boolean {
    const planned = this.#declared.plan(this.#fixedLayout)
    return this.#current !== undefined && !isStillPlan(this.#current, this.#declared, planned)
  }

  /** The layout that viewers know, or the one that was asked for. */
  get #fixedLayout(): Layout | undefined {
    return this.#ready ? this.#layout : this.#options.layout
  }

  #unit(unit: AccessUnit): void {
    const timeSeconds = unit.dts / unit.track.timescale
    if (!(timeSeconds >= 0) || this.#hopeless) return
    // Media that no viewer has seen is dropped without a discontinuity.
    if (this.#stale && this.#isTimeToChange(unit)) {
      if (this.#ready) this.#finishPeriod()
      this.#current = undefined
    }
    const period = this.#current ?? this.#begin(unit, timeSeconds)
    const entry = period?.tracks.get(unit.track.id)
    // A track that is new, or changed, waits for the next period.
    if (!period || !entry || (this.#stale && !isSameTrack(unit.track, entry.track))) return
    const { cutter, mainTrack, mainRendition } = period
    // The first cut uses the pace of pictures up to the one that causes it.
    if (unit.track.id === mainTrack.id) mainRendition.pace.take(timeSeconds)
    for (let cut = cutter.nextCut(unit, timeSeconds); cut; cut = cutter.nextCut(unit, timeSeconds)) {
      if (cut === 'jump' || this.#stale) {
        this.#finishPeriod(cut === 'jump' ? undefined : cut)
        return this.#unit(unit)
      }
      this.#cut(period, cut, unit)
    }
    cutter.take(unit, timeSeconds)
    this.#write(period, entry.rendition, unit, timeSeconds)
  }

  #write(current: CurrentPeriod, rendition: LiveRendition, unit: AccessUnit, timeSeconds: number): void {
    const { period, mainTrack } = current
    const { clockSeconds } = current.cutter
    const isMain = unit.track.id === mainTrack.id
    if (!isMain) rendition.queue(unit, timeSeconds)
    for (const each of this.#renditions.all) each.catchUp(clockSeconds)
    if (isMain) rendition.write(unit, timeSeconds)
    if (this.#ready) return
    if (this.#changes.changed) this.#checkReady()
    this.#clock.follow(period, timeSeconds)
  }

  /** True when a period with other tracks may begin at the unit: at a keyframe of its main track, or when the former main track is gone. */
  #isTimeToChange(unit: AccessUnit): boolean {
    const { mainTrack } = this.#declared.plan(this.#fixedLayout)
    if (!this.#current || mainTrack === undefined || this.#declared.current(this.#current.mainTrack) === undefined)
      return true
    return unit.track.id === mainTrack.id && unit.keyframe
  }

  /** Begins a period with the declared tracks, at a unit of one of them. */
  #begin(unit: AccessUnit, startSeconds: number): CurrentPeriod | undefined {
    this.#stale = false
    const planned = this.#declared.plan(this.#fixedLayout)
    if (planned.mainTrack === undefined) {
      this.#hopeless = true
      this.#report(planned)
      return undefined
    }
    if (!planned.tracks.includes(unit.track)) return undefined
    this.#report(planned)
    if (!this.#ready) this.#lay(planned.layout)
    const period = this.#clock.begin(startSeconds)
    const { plan, mainTrack } = planned
    this.#renditions.begin(period, plan, mainTrack, startSeconds)
    const tracks = placeTracks(planned, this.#renditions)
    const mainRendition = tracks.get(mainTrack.id)!.rendition
    const cutter = new SegmentCutter({
      fragmentSeconds: this.#options.fragmentMs / 1e3,
      targetSeconds: this.#terms.isFixed ? this.#terms.targetDurationSeconds : undefined,
      mainTrack,
      startSeconds,
      pace: mainRendition.pace,
    })
    return (this.#current = { period, plan, mainTrack, mainRendition, cutter, tracks })
  }

  /** Creates the renditions; no viewer knows of earlier ones. */
  #lay(layout: Layout): void {
    this.#layout = layout
    this.#clock.reset()
    this.#terms.reset()
    const common = { presentationId: this.id, firstMsn: this.#first.msn, terms: this.#terms, log: this.#options.log }
    this.#renditions = Renditions.create(layout, { ...common, onChange: this.#changes.mark })
  }

  #report({ tracks }: PlannedTracks): void {
    const { format, log } = this.#options
    const { codecs, reason } = whyLeftOut(format, this.#declared.beside(tracks))
    if (reason !== undefined) log.warn({ codecs, reason }, 'tracks are left out')
    const failed = tracks.length > 0 ? undefined : reason
    if (failed !== this.#failed) this.#changes.mark()
    this.#failed = failed
  }

  #cut({ cutter, mainRendition }: CurrentPeriod, cut: Cut, unit: AccessUnit): void {
    this.#terms.fix(cutter, this.#renditions)
    mainRendition.cutNow(cut, unit)
    for (const rendition of this.#renditions.all) if (rendition !== mainRendition) rendition.cutLater(cut)
    cutter.startAt(mainRendition.boundarySeconds)
    this.#changes.mark()
  }

  /** Completes the segments of the current period. */
  #finishPeriod(cut?: Cut): void {
    const current = this.#current
    if (!current) return
    this.#current = undefined
    const end = cut ?? current.cutter.finish()
    this.#terms.fix(current.cutter, this.#renditions)
    for (const rendition of this.#renditions.all) rendition.finish(end)
    this.#clock.end(current.period, end.atSeconds)
    this.#changes.mark()
    this.#checkReady()
  }

  /** @param isOver true when no more media is to be expected for now */
  #checkReady(isOver = false): void {
    if (this.#ready || !this.#renditions.suffice(this.#first.msn, isOver || this.#terms.lowLatency)) return
    this.#ready = true
    this.#changes.mark()
  }
}
