import type { MuxerFormat } from 'sluice/sdk'
import type { SharedMuxer } from './shared-muxer.ts'

/** The muxers of one stream: one for each format, selection of tracks and window. */
export class MuxerTable {
  readonly #variants = new Map<MuxerFormat, Map<string, SharedMuxer>>()
  // Replaced and never changed, so that a muxer may come or go while they are gone through.
  #all: readonly SharedMuxer[] = []

  get all(): readonly SharedMuxer[] {
    return this.#all
  }

  /** The muxer of a format and variant, made when there is none. */
  get(format: MuxerFormat, variant: string, make: () => SharedMuxer): SharedMuxer {
    const variants = this.#variants.get(format) ?? new Map<string, SharedMuxer>()
    const known = variants.get(variant)
    if (known !== undefined) return known
    const muxer = make()
    this.#variants.set(format, variants.set(variant, muxer))
    this.#all = [...this.#all, muxer]
    return muxer
  }

  delete(muxer: SharedMuxer): void {
    this.#all = this.#all.filter((other) => other !== muxer)
    for (const [format, variants] of this.#variants) {
      for (const [variant, other] of variants) if (other === muxer) variants.delete(variant)
      if (variants.size === 0) this.#variants.delete(format)
    }
  }
}
