import type { FrameRhythm } from './frame-rhythm.ts'
import { choosePartTarget } from './part-target.ts'
import type { SegmentCutter } from './segment-cutter.ts'
import type { SegmentFormat } from './segment-muxer.ts'

export type PresentationTermsOptions = {
  readonly format: SegmentFormat
  readonly lowLatency: boolean
  readonly partMs: number
  readonly window: number
  readonly firstDiscontinuity: number
}

/** The terms that hold for all renditions of a presentation. */
export class PresentationTerms {
  readonly format: SegmentFormat
  /** Parts are made. */
  readonly lowLatency: boolean
  /** Segments in a playlist. */
  readonly window: number
  /** Number of the first period. */
  readonly firstDiscontinuity: number
  readonly #partMs: number
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

  /** Whether the target durations are known; they stay from then on. */
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

  /**
   * Takes what the first cut tells: how long segments may be, and how frames come; what was fixed before stays.
   * @param renditions `rhythms`: of the track of each that its parts are cut by
   */
  fix({ targetSeconds, limitSeconds }: SegmentCutter, renditions: { readonly rhythms: readonly FrameRhythm[] }): void {
    if (this.#fixed || targetSeconds === undefined) return
    const partTargetSeconds = this.lowLatency ? choosePartTarget(this.#partMs, renditions.rhythms) : undefined
    this.#fixed = { targetDurationSeconds: targetSeconds, partTargetSeconds }
    this.#limitSeconds = limitSeconds
  }

  /** Nothing was told to anybody; all begins anew. */
  reset(): void {
    this.#fixed = undefined
    this.#limitSeconds = Infinity
  }
}
