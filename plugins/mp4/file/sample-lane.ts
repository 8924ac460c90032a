import type { Track } from 'sluice/sdk'
import { Mp4SampleCursor, rescale, type Mp4FileTrack, type Mp4Sample } from 'sluice/sdk/media'

/** The largest sample; larger ones are damaged. */
export const MAX_SAMPLE_SIZE_BYTES = 16 * 1024 * 1024
/** The size below which audio samples are returned in groups: one sample a channel, as G.711 has in a file. */
const TINY_SAMPLE_BYTES = 16
const GROUPS_PER_SECOND = 50
/** The most samples that are searched for a keyframe that is presented early enough. */
const MAX_KEYFRAME_STEPS = 1000

/** A sample of a fragment. */
export type FragmentSample = Mp4Sample & { readonly isSync: boolean }

/** The samples of one track of a file in decoding order: those of its table, then those of fragments that were read. */
export class SampleLane {
  readonly file: Mp4FileTrack
  /** The track of its units. */
  track: Track | undefined
  /** The end of the samples that were read last, in ticks of the file. */
  endDts: number
  /** The time from decoding to presentation of its first sample, which is usually the start of its edit list. */
  firstCts: number | undefined
  /** The time by which units are decoded earlier than in the file, so that none with a negative offset is presented before. */
  earlyTicks: number
  /** The offset that is added to the times of all units. */
  shiftTicks: number
  /** The latest end of all samples that were read. */
  #lastEndDts: number
  #cursor: Mp4SampleCursor
  #fragments: FragmentSample[] = []
  #next = 0

  /** @param file the track, with a prepared table */
  constructor(file: Mp4FileTrack) {
    this.file = file
    this.endDts = this.#lastEndDts = file.table.durationTicks
    this.earlyTicks = -file.table.compositionOffsets.smallest
    this.shiftTicks = file.shiftTicks
    this.#cursor = this.#cursorAt(0)
    this.firstCts = this.#cursor.sample?.cts
  }

  /** The next sample, if it has been read. */
  get current(): Mp4Sample | FragmentSample | undefined {
    return this.#cursor.sample ?? this.#fragments[this.#next]
  }

  /** The number of fragments' samples that wait. */
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
      this.earlyTicks = Math.max(this.earlyTicks, -cts)
    }
  }

  /** Skips the samples of the table, if asked to, and of the fragments that were read. */
  skip(includingTable: boolean): void {
    if (includingTable) this.#cursor = this.#cursorAt(this.file.table.sizes.count)
    this.#fragments = []
    this.#next = 0
  }

  /** The offset of the last samples that are known: the last chunk of the table, or the last sample of the fragments read. */
  get lastOffset(): number {
    if (this.#cursor.sample !== undefined) return this.file.table.chunks.lastOffset
    return this.#fragments.at(-1)?.offset ?? 0
  }

  /** Moves to a sample of the table; those of the first fragment follow the table. */
  moveTo(index: number): void {
    this.skip(false)
    this.endDts = this.file.table.durationTicks
    this.#cursor = this.#cursorAt(index)
  }

  /** Moves to the last keyframe up to a time of the file among the samples of a fragment that were read, or to the first one. */
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

  /** Moves to the first sample of the table that is not decoded before a time of the recording; past all for an infinite one. */
  moveToMs(ms: number): void {
    if (ms === Infinity) return this.skip(true)
    this.moveTo(this.file.table.indexAt(this.ticksAt(ms) + this.earlyTicks))
    if (this.currentMs < ms) this.advance()
  }

  /** The sample of the table that is a keyframe presented at a time of the recording, or the last one before. */
  keyframeAt(ms: number): number {
    const { table } = this.file
    const pts = this.ticksAt(ms)
    // No sample is presented more than the lead before it is decoded.
    let index = table.syncBefore(table.indexAt(pts + this.earlyTicks))
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

  /** The decoding time of a sample, in ticks of the recording. */
  dtsOf({ dts }: Mp4Sample): number {
    return dts + this.shiftTicks - this.earlyTicks
  }

  /** The presentation time of a sample, in ticks of the recording. */
  ptsOf({ dts, cts }: Mp4Sample): number {
    return dts + cts + this.shiftTicks
  }

  /** The decoding time of the next sample, in milliseconds of the recording; infinite when there is none. */
  get currentMs(): number {
    const sample = this.current
    return sample === undefined ? Infinity : rescale(this.dtsOf(sample), this.file.timescale, 1000)
  }

  /** The presentation time of the next sample, in milliseconds of the recording. */
  get startMs(): number {
    const sample = this.current
    return sample === undefined ? 0 : rescale(this.ptsOf(sample), this.file.timescale, 1000)
  }

  /** The end of all samples that were read, in milliseconds of the recording. */
  get endMs(): number {
    return rescale(this.#lastEndDts + (this.firstCts ?? 0) + this.shiftTicks, this.file.timescale, 1000)
  }

  /** Converts a time of the recording to the file's. */
  ticksAt(ms: number): number {
    return rescale(ms, 1000, this.file.timescale) - this.shiftTicks
  }

  #cursorAt(index: number): Mp4SampleCursor {
    const { table, timescale, format } = this.file
    const isTiny = format?.kind === 'audio' && (table.sizes.commonBytes ?? Infinity) <= TINY_SAMPLE_BYTES
    return new Mp4SampleCursor(table, index, isTiny ? Math.max(1, Math.floor(timescale / GROUPS_PER_SECOND)) : 1)
  }
}
