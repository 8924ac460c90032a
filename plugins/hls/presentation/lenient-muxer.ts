import type { AccessUnit, PluginContext, Track } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { createSegmentMuxer } from './segment-muxer.ts'
import type { SegmentFormat, SegmentMuxer } from './segment-muxer.ts'

export type LenientMuxerOptions = {
  readonly format: SegmentFormat
  readonly tracks: readonly Track[]
  /** The rendition's name, for the log. */
  readonly rendition: string
  readonly log: PluginContext<unknown>['log']
}

/** A segment muxer that leaves malformed units out, and logs the first one. */
export class LenientMuxer implements SegmentMuxer {
  readonly #muxer: SegmentMuxer
  readonly #rendition: string
  readonly #log: PluginContext<unknown>['log']
  #complained = false

  /** @throws {MalformedError} when a configuration is broken. */
  constructor({ format, tracks, rendition, log }: LenientMuxerOptions) {
    this.#muxer = createSegmentMuxer(format, tracks)
    this.#rendition = rendition
    this.#log = log
  }

  get init(): Buffer | undefined {
    return this.#muxer.init
  }

  write(unit: AccessUnit): void {
    try {
      this.#muxer.write(unit)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      if (!this.#complained) this.#log.warn({ err: error, rendition: this.#rendition }, 'a broken unit is left out')
      this.#complained = true
    }
  }

  take(next: AccessUnit | undefined): ReturnType<SegmentMuxer['take']> {
    return this.#muxer.take(next)
  }
}
