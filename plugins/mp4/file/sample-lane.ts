import type { Track } from 'sluice/sdk'
import { Mp4SampleCursor, rescale, type Mp4FileTrack, type Mp4Sample } from 'sluice/sdk/media'

/** Larger samples are damaged. */
export const MAX_SAMPLE_SIZE_BYTES = 16 * 1024 * 1024
/** Samples of audio that are smaller are given in groups: one sample a channel, as G.711 has in a file. */
const TINY_SAMPLE_BYTES = 16
const GROUPS_PER_SECOND = 50
/** How many samples are looked at for a keyframe that is presented early enough. */
const MAX_KEYFRAME_STEPS = 1000

/** A sample of a fragment. */
export type FragmentSample = Mp4Sample & { readonly isSync: boolean }

/** The samples of one track of a file in decoding order: those of its table, then those of fragments that were read. */
export class SampleLane {
  readonly file: Mp4FileTrack
  /** What units of it are of. */
  track: Track | undefined
  /** Where the samples end that were read last, in ticks of the file. */
  endDts: number
  /** The time from decoding to presentation of its first sample, which is the start of its edit list mostly. */
  firstCts: number | undefined
  /** How much earlier than the file says units are decoded, so that none with a negative offset is presented before. */
  leadTicks: number
  /** Added to the times of all units. */
  shiftTicks: number
  /** The latest end that was seen. */
  #lastEndDts: number
  #cursor: Mp4SampleCursor
  #fragments: FragmentSample[] = []
  #next = 0

  /** @param file its table was prepared */
  constructor(file: Mp4FileTrack) {
    this.file = file
    this.endDts = this.#lastEndDts = file.table.durationTicks
    this.leadTicks = -file.table.compositionOffsets.smallest
    this.shiftTicks = file.shiftTicks
    this.#cursor = this.#cursorAt(0)
    this.firstCts = this.#cursor.sample?.cts
  }

  /** The next sample, as far as fragments were read. */
  get current(): Mp4Sample | FragmentSample | undefined {
    return this.#cursor.sample ?? this.#fragments[this.#next]
  }

  /** How many samples of fragments wait. */
  get waiting(): number {
    return this.#fragments.length - this.#next
  }

  advance(): void {
    if (this.#cursor.sample !== undefined) return this.#cursor.advance()
    this.#next += 1
    if (this.#next < this.#fragments.length) return
    this.#fragments = []
    this.#next = 0
  }

  /** Takes the samples of the next fragment. */
  append(samples: readonly FragmentSample[], endDts: number): void {
    this.#fragments = [...this.#fragments.slice(this.#next), ...samples]
    this.#next = 0
    this.endDts = endDts
    this.#lastEndDts = Math.max(this.#lastEndDts, endDts)
    for (const { cts } of samples) {
      this.firstCts ??= cts
      this.leadTicks = Math.max(this.leadTicks, -cts)
    }
  }

  /** Leaves out what comes: of the table, if asked to, and of the fragments that were read. */
  skip(includingTable: boolean): void {
    if (includingTable) this.#cursor = this.#cursorAt(this.file.table.sizes.count)
    this.#fragments = []
    this.#next = 0
  }

  /**
   * Where in the file the last samples begin that are known: the last chunk of the table, or the last sample of the fragments
   * read.
   */
  get lastOffset(): number {
    if (this.#cursor.sample !== undefined) return this.file.table.chunks.lastOffset
    return this.#fragments.at(-1)?.offset ?? 0
  }

  /** Goes to a sample of the table, after which those of the first fragment follow. */
  moveTo(index: number): void {
    this.skip(false)
    this.endDts = this.file.table.durationTicks
    this.#cursor = this.#cursorAt(index)
  }

  /** Of the samples of a fragment that were read, goes to the last keyframe up to a time of the file, or to the first one. */
  moveToSync(pts: number): void {
    const isBefore = ({ isSync, dts, cts }: FragmentSample) => isSync && dts + cts <= pts
    const last = this.#fragments.findLastIndex(isBefore)
    this.#next =
      last >= 0
        ? last
        : Math.max(
            0,
            this.#fragments.findIndex(({ isSync }) => isSync),
          )
  }

  /** Goes to the first sample of the table that is not decoded before a time of the recording; past all for an infinite one. */
  moveToMs(ms: number): void {
    if (ms === Infinity) return this.skip(true)
    this.moveTo(this.file.table.indexAt(this.ticksAt(ms) + this.leadTicks))
    if (this.currentMs < ms) this.advance()
  }

  /** The sample of the table that is a keyframe presented at a time of the recording, or the last one before. */
  keyframeAt(ms: number): number {
    const { table } = this.file
    const pts = this.ticksAt(ms)
    // No sample is presented more than the lead before it is decoded.
    let index = table.syncBefore(table.indexAt(pts + this.leadTicks))
    for (
      let steps = 0;
      index !== undefined && steps < MAX_KEYFRAME_STEPS;
      index = table.syncBefore(index - 1), steps++
    ) {
      const sample = new Mp4SampleCursor(table, index).sample
      if (sample === undefined || sample.dts + sample.cts <= pts) break
    }
    return index ?? 0
  }

  /** When a sample is decoded, in ticks of the recording. */
  dtsOf({ dts }: Mp4Sample): number {
    return dts + this.shiftTicks - this.leadTicks
  }

  /** When a sample is presented, in ticks of the recording. */
  ptsOf({ dts, cts }: Mp4Sample): number {
    return dts + cts + this.shiftTicks
  }

  /** When the next sample is decoded, in milliseconds of the recording; infinite when there is none. */
  get currentMs(): number {
    const sample = this.current
    return sample === undefined ? Infinity : rescale(this.dtsOf(sample), this.file.timescale, 1000)
  }

  /** When the next sample is presented, in milliseconds of the recording. */
  get startMs(): number {
    const sample = this.current
    return sample === undefined ? 0 : rescale(this.ptsOf(sample), this.file.timescale, 1000)
  }

  /** When all that was seen of it is over, in milliseconds of the recording. */
  get endMs(): number {
    return rescale(this.#lastEndDts + (this.firstCts ?? 0) + this.shiftTicks, this.file.timescale, 1000)
  }

  /** A time of the recording as the file counts it. */
  ticksAt(ms: number): number {
    return rescale(ms, 1000, this.file.timescale) - this.shiftTicks
  }

  #cursorAt(index: number): Mp4SampleCursor {
    const { table, timescale, format } = this.file
    const isTiny = format?.kind === 'audio' && (table.sizes.commonBytes ?? Infinity) <= TINY_SAMPLE_BYTES
    return new Mp4SampleCursor(table, index, isTiny ? Math.max(1, Math.floor(timescale / GROUPS_PER_SECOND)) : 1)
  }
}
