import { randomBytes } from 'node:crypto'
import type { AccessUnit, PluginContext, Track, UnitReader } from 'sluice/sdk'
import { ChangeListeners } from './change-listeners.ts'
import { LiveRendition } from './live-rendition.ts'
import { buildMultivariant } from './multivariant.ts'
import { numbersByClock, type SequenceNumbers } from './sequence-numbers.ts'
import type { PresentationFile } from './presentation-file.ts'
import { PresentationTerms } from './presentation-terms.ts'
import type { Rendition } from './rendition.ts'
import { SegmentCutter } from './segment-cutter.ts'
import type { Cut } from './segment-cutter.ts'
import type { SegmentFormat } from './segment-muxer.ts'
import { isStillPlan, startRun } from './current-period.ts'
import type { Run } from './current-period.ts'
import { DeclaredTracks } from './declared-tracks.ts'
import type { PlannedTracks } from './declared-tracks.ts'
import { isSameTrack } from './track-plan.ts'
import type { Layout } from './track-plan.ts'
import type { MultivariantPlaylist } from '../wire/multivariant-playlist.ts'

export type PresentationOptions = {
  readonly format: SegmentFormat
  /** Segments are also cut into parts. With `fmp4` only. */
  readonly lowLatency: boolean
  readonly fragmentMs: number
  readonly partMs: number
  /** Segments in a playlist. */
  readonly window: number
  /** The wall clock, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number
  readonly log: PluginContext<unknown>['log']
  /** Those of the presentation whose place it takes go on; by the clock where there was none. */
  readonly numbers?: SequenceNumbers | undefined
}

const ID_SIZE_BYTES = 15

/**
 * A stream as HLS in one format: renditions, their segments and parts, and the playlists that name them. It is fed
 * units, and knows neither timers nor HTTP.
 *
 * Segments of all renditions are cut where those of the leading track are, the first of video or else of audio. What
 * changes the tracks or breaks time begins a new timeline, and playlists show a discontinuity.
 */
export class Presentation {
  /** Unguessable, and never used again: files are named by it. Letters, digits and `_`. */
  readonly id: string = randomBytes(ID_SIZE_BYTES).toString('base64url').replaceAll('-', '_')
  /** To be given to `Subscriber.read`. */
  readonly reader: UnitReader
  readonly #options: PresentationOptions
  readonly #changes: ChangeListeners
  readonly #declared: DeclaredTracks
  readonly #terms: PresentationTerms
  readonly #first: SequenceNumbers
  #layout: Layout | undefined
  #run: Run | undefined
  /** The declared tracks are not those of the timeline that runs. */
  #stale = false
  /** The declared tracks are none that can be carried. */
  #hopeless = false
  #timelines = 0
  /** Where the last timeline ends, on the wall clock. */
  #lastEndMs = 0
  #ready = false
  #failed: string | undefined

  constructor(options: PresentationOptions) {
    this.#options = options
    this.#changes = new ChangeListeners(options.log)
    this.#declared = new DeclaredTracks(options.format)
    const lowLatency = options.lowLatency && options.format === 'fmp4'
    this.#first = options.numbers ?? numbersByClock(options.nowMs())
    this.#terms = new PresentationTerms({ ...options, lowLatency, firstDiscontinuity: this.#first.discontinuity })
    this.reader = {
      track: (track) => this.#take(() => this.#track(track)),
      trackRemoved: (track) => this.#take(() => this.#trackRemoved(track)),
      sourceEnded: () => this.#take(() => this.#sourceEnded()),
      unit: (unit) => this.#take(() => this.#unit(unit)),
    }
  }

  /** Each rendition has a complete segment: playlists can be asked for. */
  get ready(): boolean {
    return this.#ready
  }

  /** Why there is nothing to be had: the stream has no track that the format can carry. */
  get failed(): string | undefined {
    return this.#failed
  }

  /** Of all renditions; fixed once ready. */
  get targetDurationSeconds(): number {
    return this.#terms.targetDurationSeconds
  }

  /** By name, in the order of the multivariant playlist; those that are there stay once it is ready. */
  get renditions(): ReadonlyMap<string, Rendition> {
    return this.#terms.renditions
  }

  /** For the one that takes its place, so that players see their playlists go on, with a discontinuity. */
  get nextNumbers(): SequenceNumbers {
    return this.#ready ? this.#terms.numbersAfter(this.#first, this.#timelines) : this.#first
  }

  /** Bytes held. */
  get sizeBytes(): number {
    return this.#terms.sizeBytes
  }

  /**
   * Told synchronously after any part or segment was added, when it becomes ready or fails, and at the end.
   * @returns what ends it.
   */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener)
  }

  /**
   * Names renditions as `video.m3u8`.
   * @throws {Error} before it is ready.
   */
  multivariant(): MultivariantPlaylist {
    if (!this.#ready || !this.#layout) throw new Error('the presentation is not ready')
    return buildMultivariant(this.#layout, this.#terms)
  }

  /** A file by its name, `{id}-…`; undefined for what is not there, or no longer. */
  file(name: string): PresentationFile | undefined {
    const prefix = `${this.id}-`
    return name.startsWith(prefix) ? this.#terms.file(name.slice(prefix.length)) : undefined
  }

  /** No more media comes: what is there is completed, and playlists say that they end. Idempotent. */
  end(): void {
    this.#take(() => {
      this.#finishRun()
      this.#terms.ended = true
      this.#changes.mark()
    })
  }

  #take(step: () => void): void {
    if (!this.#terms.ended) this.#changes.run(step)
  }

  #track(track: Track): void {
    this.#declared.set(track)
    this.#hopeless = false
    this.#compare()
  }

  #trackRemoved(track: Track): void {
    this.#declared.delete(track)
    this.#compare()
  }

  #sourceEnded(): void {
    this.#finishRun()
    this.#declared.clear()
    this.#stale = false
  }

  #compare(): void {
    if (this.#run) this.#stale = !isStillPlan(this.#run, this.#declared, this.#declared.plan(this.#fixedLayout))
  }

  /** The layout that viewers know of. */
  get #fixedLayout(): Layout | undefined {
    return this.#ready ? this.#layout : undefined
  }

  #unit(unit: AccessUnit): void {
    const timeSeconds = unit.dts / unit.track.timescale
    if (!(timeSeconds >= 0) || this.#hopeless) return
    if (this.#stale && this.#isTimeToChange(unit)) this.#changeTracks()
    const run = this.#run ?? this.#begin(unit, timeSeconds)
    const entry = run?.tracks.get(unit.track)
    // A track that is new, or changed, waits for the next timeline.
    if (!run || !entry || (this.#stale && !isSameTrack(this.#declared.snapshot(unit.track), entry.snapshot))) return
    // The first cut asks how pictures come, up to the one that makes it.
    if (unit.track === run.lead) run.leadRendition.pace.take(timeSeconds)
    for (const cut of run.cutter.cutsBefore(unit, timeSeconds)) {
      if (cut === 'jump' || this.#stale) {
        this.#finishRun(cut === 'jump' ? undefined : cut)
        return this.#unit(unit)
      }
      this.#cut(run, cut, unit)
    }
    run.cutter.take(unit, timeSeconds)
    this.#write(run, entry.rendition, unit, timeSeconds)
  }

  #write(run: Run, rendition: LiveRendition, unit: AccessUnit, timeSeconds: number): void {
    const before = this.#terms.revision
    if (unit.track !== run.lead) rendition.queue(unit, timeSeconds)
    for (const each of this.#terms.renditions.values()) each.catchUp(run.cutter.clockSeconds)
    if (unit.track === run.lead) rendition.write(unit, timeSeconds)
    if (this.#terms.revision !== before) this.#changes.mark()
    if (this.#ready) return
    this.#checkReady()
    // Units may come in a burst at first, from the past: the one that is the least late tells the clock.
    const { timeline } = run
    if (timeline.index === 0) timeline.originMs = Math.min(timeline.originMs, this.#originMs(timeSeconds))
  }

  /** The wall clock of the media time 0, by a unit that has just come. */
  #originMs(timeSeconds: number): number {
    return this.#options.nowMs() - timeSeconds * 1000
  }

  #changeTracks(): void {
    // What viewers know nothing of is not worth a discontinuity.
    if (this.#ready) this.#finishRun()
    else this.#run = undefined
  }

  /** Other tracks have to wait for a place to start at, unless there is nothing to wait for. */
  #isTimeToChange(unit: AccessUnit): boolean {
    const { lead } = this.#declared.plan(this.#fixedLayout)
    if (!this.#run || lead === undefined || this.#declared.snapshot(this.#run.lead) === undefined) return true
    return unit.track === lead && unit.keyframe
  }

  /** Begins a timeline with the tracks there are, at a unit of one of them. */
  #begin(unit: AccessUnit, startSeconds: number): Run | undefined {
    this.#stale = false
    const planned = this.#declared.plan(this.#fixedLayout)
    if (planned.lead === undefined) {
      this.#hopeless = true
      this.#report(planned)
      return undefined
    }
    if (!planned.tracks.includes(unit.track)) return undefined
    this.#report(planned)
    if (!this.#ready) this.#lay(planned.layout)
    const originMs = Math.max(this.#originMs(startSeconds), this.#lastEndMs - startSeconds * 1000)
    const timeline = { index: this.#timelines, originMs }
    this.#timelines += 1
    const targetSeconds = this.#terms.isFixed ? this.#terms.targetDurationSeconds : undefined
    const fragmentSeconds = this.#options.fragmentMs / 1000
    const cutter = new SegmentCutter({ fragmentSeconds, targetSeconds, lead: planned.lead, startSeconds })
    for (const [name, rendition] of this.#terms.renditions) {
      rendition.begin(timeline, planned.plan.get(name) ?? [], planned.lead, startSeconds)
    }
    return (this.#run = startRun(this.#declared, { ...planned, lead: planned.lead }, this.#terms, timeline, cutter))
  }

  /** Makes the renditions; what there was of earlier ones nobody knows of. */
  #lay(layout: Layout): void {
    this.#layout = layout
    this.#timelines = 0
    this.#terms.reset()
    const { log } = this.#options
    for (const name of [...layout.video, ...layout.audio]) {
      const init = { name, presentationId: this.id, firstMsn: this.#first.msn, terms: this.#terms, log }
      this.#terms.renditions.set(name, new LiveRendition(init))
    }
  }

  #report({ tracks }: PlannedTracks): void {
    const { format, log } = this.#options
    const codecs = this.#declared.all.filter((track) => !tracks.includes(track)).map(({ codec }) => codec)
    if (codecs.length > 0) log.warn({ codecs, format }, 'tracks are left out')
    const failed = tracks.length > 0 ? undefined : `HLS (${format}) carries none of: ${codecs.join(', ')}`
    if (failed !== this.#failed) this.#changes.mark()
    this.#failed = failed
  }

  #cut(run: Run, cut: Cut, unit: AccessUnit): void {
    this.#terms.fix(run.cutter)
    for (const rendition of this.#terms.renditions.values()) {
      if (rendition !== run.leadRendition) rendition.cutLater(cut)
      else rendition.cutNow(cut, unit)
    }
    run.cutter.startAt(run.leadRendition.boundarySeconds)
    this.#changes.mark()
  }

  /** Completes what there is of the timeline that runs. */
  #finishRun(cut?: Cut): void {
    const run = this.#run
    if (!run) return
    this.#run = undefined
    const end = cut ?? run.cutter.finish()
    this.#terms.fix(run.cutter)
    for (const rendition of this.#terms.renditions.values()) rendition.finish(end)
    this.#lastEndMs = run.timeline.originMs + end.atSeconds * 1000
    this.#changes.mark()
    this.#checkReady()
  }

  #checkReady(): void {
    if (this.#ready || this.#terms.renditions.size === 0) return
    this.#ready = [...this.#terms.renditions.values()].every((rendition) => rendition.has(this.#first.msn))
    if (this.#ready) this.#changes.mark()
  }
}
