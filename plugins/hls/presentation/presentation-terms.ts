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

/** The properties that all renditions of a presentation share. */
export class PresentationTerms {
  readonly format: SegmentFormat
  /** True when parts are made. */
  readonly lowLatency: boolean
  /** The number of segments in a playlist. */
  readonly window: number
  /** The number of the first period. */
  readonly firstDiscontinuity: number
  readonly #partMs: number
  /** True when no more media comes. */
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

  /** True when the target durations are known; they stay from then on. */
  get isFixed(): boolean {
    return this.#fixed !== undefined
  }

  get targetDurationSeconds(): number {
    return this.#fixed?.targetDurationSeconds ?? 0
  }

  /** The part target; undefined also when no parts are made. */
  get partTargetSeconds(): number | undefined {
    return this.#fixed?.partTargetSeconds
  }

  /** The longest duration of a segment. */
  get limitSeconds(): number {
    return this.#limitSeconds
  }

  /**
   * Fixes the target durations at the first cut, by the longest segment and the rhythms of frames; later calls change nothing.
   * @param renditions `rhythms`: those of the track in each rendition by which its parts are cut
   */
  fix({ targetSeconds, limitSeconds }: SegmentCutter, renditions: { readonly rhythms: readonly FrameRhythm[] }): void {
    if (this.#fixed || targetSeconds === undefined) return
    const partTargetSeconds = this.lowLatency ? choosePartTarget(this.#partMs, renditions.rhythms) : undefined
    this.#fixed = { targetDurationSeconds: targetSeconds, partTargetSeconds }
    this.#limitSeconds = limitSeconds
  }

  /** Forgets the target durations, as no viewer knows them. */
  reset(): void {
    this.#fixed = undefined
    this.#limitSeconds = Infinity
  }
}
