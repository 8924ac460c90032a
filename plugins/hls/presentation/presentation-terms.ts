import type { LiveRendition } from './live-rendition.ts'
import type { SequenceNumbers } from './sequence-numbers.ts'
import { choosePartTarget } from './part-target.ts'
import type { PresentationFile } from './presentation-file.ts'
import type { SegmentCutter } from './segment-cutter.ts'
import type { SegmentFormat } from './segment-muxer.ts'

export type PresentationTermsOptions = {
  readonly format: SegmentFormat
  readonly lowLatency: boolean
  readonly partMs: number
  readonly window: number
  readonly firstDiscontinuity: number
}

/** The renditions of a presentation, and what holds for all of them. */
export class PresentationTerms {
  readonly format: SegmentFormat
  /** Parts are made. */
  readonly lowLatency: boolean
  /** Segments in a playlist. */
  readonly window: number
  /** Number of the first timeline. */
  readonly firstDiscontinuity: number
  readonly #partMs: number
  readonly renditions = new Map<string, LiveRendition>()
  /** No more media comes. */
  ended = false
  #fixed: { readonly targetDurationSeconds: number; readonly partTargetSeconds: number | undefined } | undefined
  #limitSeconds = Infinity

  constructor({ format, lowLatency, partMs, window, firstDiscontinuity }: PresentationTermsOptions) {
    this.format = format
    this.lowLatency = lowLatency
    this.#partMs = partMs
    this.window = window
    this.firstDiscontinuity = firstDiscontinuity
  }

  /** What follows is known, and stays. */
  get isFixed(): boolean {
    return this.#fixed !== undefined
  }

  get targetDurationSeconds(): number {
    return this.#fixed?.targetDurationSeconds ?? 0
  }

  /** Undefined also where no parts are made. */
  get partTargetSeconds(): number | undefined {
    return this.#fixed?.partTargetSeconds
  }

  /** No segment is longer. */
  get limitSeconds(): number {
    return this.#limitSeconds
  }

  /** Moves whenever one of their playlists changes. */
  get revision(): number {
    let revision = 0
    for (const rendition of this.renditions.values()) revision += rendition.revision
    return revision
  }

  get sizeBytes(): number {
    let sizeBytes = 0
    for (const rendition of this.renditions.values()) sizeBytes += rendition.sizeBytes
    return sizeBytes
  }

  /** The first cut tells how long segments may be, and how frames come; what was fixed before stays. */
  fix({ targetSeconds, limitSeconds }: SegmentCutter): void {
    if (this.#fixed || targetSeconds === undefined) return
    const running = [...this.renditions.values()].filter((rendition) => rendition.running)
    const rhythms = this.lowLatency ? running.map(({ pace }) => pace.rhythm) : undefined
    const partTargetSeconds = rhythms && choosePartTarget(this.#partMs, rhythms)
    this.#fixed = { targetDurationSeconds: targetSeconds, partTargetSeconds }
    this.#limitSeconds = limitSeconds
  }

  /** A file by its name without the presentation's id: that of its rendition, and what that calls it. */
  file(name: string): PresentationFile | undefined {
    const [rendition = '', file, ...rest] = name.split('-')
    return file === undefined || rest.length > 0 ? undefined : this.renditions.get(rendition)?.file(file)
  }

  /** For the presentation that takes this one's place. */
  numbersAfter(first: SequenceNumbers, timelines: number): SequenceNumbers {
    const shown = [...this.renditions.values()].map(({ lastMsn }) => lastMsn)
    return { msn: Math.max(...shown) + 1, discontinuity: first.discontinuity + timelines }
  }

  /** Nothing was told to anybody; all begins anew. */
  reset(): void {
    this.renditions.clear()
    this.#fixed = undefined
    this.#limitSeconds = Infinity
  }
}
