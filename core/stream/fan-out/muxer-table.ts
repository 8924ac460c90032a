import type { MuxerFormat, MuxerStart } from 'sluice/sdk'
import type { Logger } from 'pino'
import type { GopCache, UnitEntry } from '../gop-cache.ts'
import type { MergeWindow } from './merge-window.ts'
import { SharedMuxer } from './shared-muxer.ts'
import type { StreamSubscriber } from '../stream-subscriber.ts'
import { selectionKey } from '../track-selection.ts'

type MuxerTableOptions = {
  readonly log: Logger
  readonly mergeWindow: MergeWindow
  readonly source: () => MuxerStart
  /** The media that the stream keeps: a muxer that is made late begins with it. */
  readonly cache: GopCache<UnitEntry>
}

/** The muxers of one stream: one for each format, selection of tracks and window. */
export class MuxerTable {
  readonly #options: MuxerTableOptions
  readonly #variants = new Map<MuxerFormat, Map<string, SharedMuxer>>()
  // Replaced and never changed, so that a muxer may come or go while they are gone through.
  #all: readonly SharedMuxer[] = []

  constructor(options: MuxerTableOptions) {
    this.#options = options
  }

  get all(): readonly SharedMuxer[] {
    return this.#all
  }

  /** Returns the muxer that a subscriber shares with others of its kind; makes it for the first of them. */
  get(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer {
    const variant = `${selectionKey(subscriber.selection)} ${subscriber.config.writemerge}`
    const variants = this.#variants.get(format) ?? new Map<string, SharedMuxer>()
    const known = variants.get(variant)
    if (known !== undefined) return known
    const muxer = this.#create(format, subscriber)
    this.#variants.set(format, variants.set(variant, muxer))
    this.#all = [...this.#all, muxer]
    return muxer
  }

  /** Takes a subscriber out of its muxer, which goes with its last sink. */
  detach({ queue, muxer }: StreamSubscriber): void {
    if (queue === undefined || muxer === undefined || !muxer.detach(queue)) return
    muxer.close()
    this.#all = this.#all.filter((other) => other !== muxer)
    for (const [format, variants] of this.#variants) {
      for (const [variant, other] of variants) if (other === muxer) variants.delete(variant)
      if (variants.size === 0) this.#variants.delete(format)
    }
  }

  #create(format: MuxerFormat, { selection, config }: StreamSubscriber): SharedMuxer {
    const { log, mergeWindow, source, cache } = this.#options
    const { writemerge } = config
    const muxer = new SharedMuxer({
      format,
      selection,
      windowMs: writemerge === 'auto' ? () => mergeWindow.autoMs : () => writemerge,
      source,
      bufferMs: cache.bufferMs,
      log,
    })
    muxer.prime(cache.entries)
    return muxer
  }
}
