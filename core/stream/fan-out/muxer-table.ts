import type { MuxerFormat, MuxerStart, SubscribeConfig } from 'sluice/sdk'
import type { Logger } from 'pino'
import type { GopCache, UnitEntry } from '../gop-cache.ts'
import type { MergeWindow } from './merge-window.ts'
import { SharedMuxer } from './shared-muxer.ts'
import type { StreamSubscriber } from '../stream-subscriber.ts'
import type { TimeShift } from './time-shift.ts'
import { selectionKey } from '../track-selection.ts'

type MuxerTableOptions = {
  readonly log: Logger
  readonly mergeWindow: Pick<MergeWindow, 'autoMs'>
  readonly source: () => MuxerStart
  /** The media that the stream keeps: a muxer that is made late begins with it. */
  readonly cache: GopCache<UnitEntry>
}

/** The properties that the subscribers of a muxer share. */
type Variant = {
  readonly format: MuxerFormat
  readonly selection: string
  readonly writeMerge: number | 'auto'
  readonly shift: TimeShift | undefined
}

/** The muxers of one stream: one for each format, selection of tracks, window and shift in time; or more where the format asks for it. */
export class MuxerTable {
  readonly #options: MuxerTableOptions
  readonly #variants = new Map<SharedMuxer, Variant>()
  // The array is replaced and never changed, so that muxers may be added and removed while it is iterated.
  #all: readonly SharedMuxer[] = []

  constructor(options: MuxerTableOptions) {
    this.#options = options
  }

  get all(): readonly SharedMuxer[] {
    return this.#all
  }

  /** Returns the muxer that a subscriber shares with others of its kind; makes it for the first of them. */
  get(format: MuxerFormat, subscriber: StreamSubscriber): SharedMuxer {
    const { selection, config, shift, playing, muxer: former } = subscriber
    const suits = (muxer: SharedMuxer) => !playing || former === undefined || muxer.follows(former)
    const variant = { format, selection: selectionKey(selection), writeMerge: writeMergeOf(format, config), shift }
    for (const [muxer, known] of this.#variants) if (isSame(known, variant) && suits(muxer)) return muxer
    const muxer = this.#create(format, subscriber)
    this.#variants.set(muxer, variant)
    this.#all = [...this.#all, muxer]
    return muxer
  }

  /** Removes a subscriber from its muxer, which is closed with its last sink. */
  detach({ queue, muxer }: StreamSubscriber): void {
    if (queue === undefined || muxer === undefined || !muxer.detach(queue)) return
    muxer.close()
    this.#variants.delete(muxer)
    this.#all = this.#all.filter((other) => other !== muxer)
  }

  #create(format: MuxerFormat, { selection, config, shift, muxer: former }: StreamSubscriber): SharedMuxer {
    const { log, mergeWindow, source, cache } = this.#options
    const { maxMergeMs = Infinity } = format
    const writeMerge = writeMergeOf(format, config)
    const muxer = new SharedMuxer({
      format,
      selection,
      windowMs: writeMerge === 'auto' ? () => Math.min(mergeWindow.autoMs, maxMergeMs) : () => writeMerge,
      source,
      bufferMs: cache.bufferMs,
      shift,
      former,
      log,
    })
    // Subscribers that were moved had other media at the time of the kept units.
    if (shift === undefined) muxer.prime(cache.entries)
    return muxer
  }
}

function isSame(one: Variant, other: Variant): boolean {
  const { format, selection, writeMerge, shift } = other
  return one.format === format && one.shift === shift && one.selection === selection && one.writeMerge === writeMerge
}

/** The time for which output of a format is gathered, in milliseconds; `auto` depends on the load of the process. */
function writeMergeOf({ maxMergeMs = Infinity }: MuxerFormat, { writemerge }: SubscribeConfig): number | 'auto' {
  return writemerge === 'auto' ? writemerge : Math.min(writemerge, maxMergeMs)
}
