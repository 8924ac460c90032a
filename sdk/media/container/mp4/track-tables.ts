import { MovieLimitError } from '../../errors.ts'
import { fullBox, type Box } from '../fmp4/box.ts'
import { uint32 } from '../fmp4/boxes/fields.ts'
import { isSyncSample, type RunSample } from '../fmp4/boxes/track-run.ts'
import type { SampleRun } from '../fmp4/fragment.ts'
import { FieldTable } from './field-table.ts'
import { RunTable } from './run-table.ts'

const MAX_UINT32 = 0xffff_ffff

/** Samples with data that follow one another in the `mdat`, from an offset in it on. */
export type Chunk = {
  readonly offset: number
  /** The number of their sample entry, from 1. */
  readonly descriptionIndex: number
  /** Decoding time of the first one, in ticks of the track. */
  readonly dts: number
  readonly samples: SampleRun['samples']
}

/** The sample table of a track (ISO/IEC 14496-12 8.5.1), as it grows by samples in decoding order. */
export class TrackTables {
  /** Decoding time of the first sample, in ticks of the track. */
  #firstDts = 0
  #firstCts = 0
  #lastDts = 0
  #lastCts = 0
  #lastDurationTicks = 0
  /** The end of the sample that is presented last. */
  #endPts = 0
  #isSigned = false
  readonly #steps = new RunTable()
  readonly #compositionOffsets = new RunTable()
  /** None for G.711, where all are alike. */
  readonly #sizes = new FieldTable()
  /** Numbers of the samples that decoding can start at; undefined as long as it can at all. */
  #syncs: FieldTable | undefined
  readonly #chunkRuns = new FieldTable()
  #runDescription = 0
  #runSamples = 0
  /** Offsets in the `mdat`, in two fields each. */
  readonly #chunkOffsets = new FieldTable()
  readonly #pcmFrameSizeBytes: number | undefined
  #sampleCount = 0

  /**
   * @param pcmFrameSizeBytes of G.711, which has other samples here than frames: a sample is what is heard at one time, as
   *   QuickTime has it
   */
  constructor(pcmFrameSizeBytes?: number) {
    this.#pcmFrameSizeBytes = pcmFrameSizeBytes
  }

  /** The presentation time of the first sample, in ticks of the track. */
  get startPts(): number {
    return this.#firstDts + this.earlyTicks
  }

  /** The time from the decoding of the first sample to its presentation. */
  get earlyTicks(): number {
    return Math.max(0, this.#firstCts)
  }

  /** The decoding time from the first sample to the end of the last. */
  get mediaDuration(): number {
    return this.#lastDts + this.#lastDurationTicks - this.#firstDts
  }

  /** The time from the presentation of the first sample to the end of the last one. */
  get presentationDuration(): number {
    return Math.max(this.#endPts, this.#lastDts + this.#lastDurationTicks) - this.startPts
  }

  /**
   * Adds samples. Where they begin after the end of those before, the last of these lasts until then; where they begin before
   * it, they are moved just as far as order needs.
   * @throws {MovieLimitError} for a gap that its field has no room for.
   */
  add({ offset, descriptionIndex, dts, samples }: Chunk): void {
    const before = this.#sampleCount
    let told = dts
    for (const sample of samples) {
      this.#addSample(told, sample)
      told += sample.durationTicks
    }
    if (this.#sampleCount > before) this.#addChunk(offset, this.#sampleCount - before, descriptionIndex)
  }

  /**
   * The boxes of `stbl` but `stsd`.
   * @param mdatOffset where in the file the content of the `mdat` begins; undefined for boxes of which only the size is asked
   */
  boxes(mdatOffset: number | undefined, offsetSizeBytes: 4 | 8): Box[] {
    const steps = this.#steps.endedBy(this.#lastDurationTicks)
    const offsets = this.#compositionOffsets.endedBy(this.#lastCts)
    const hasOffsets = offsets.count > 1 || this.#lastCts !== 0
    const syncs = this.#syncs
    return [
      fullBox('stts', 0, 0, [uint32(steps.count), ...steps.pieces]),
      // Offsets are signed in version 1.
      ...(hasOffsets ? [fullBox('ctts', this.#isSigned ? 1 : 0, 0, [uint32(offsets.count), ...offsets.pieces])] : []),
      ...(syncs ? [fullBox('stss', 0, 0, [uint32(syncs.count), ...syncs.pieces])] : []),
      fullBox('stsc', 0, 0, [uint32(this.#chunkRuns.count / 3), ...this.#chunkRuns.pieces]),
      fullBox('stsz', 0, 0, [uint32(this.#pcmFrameSizeBytes ?? 0, this.#sampleCount), ...this.#sizes.pieces]),
      this.#chunkBox(mdatOffset, offsetSizeBytes),
    ]
  }

  get #chunkCount(): number {
    return this.#chunkOffsets.count / 2
  }

  #addChunk(offset: number, sampleCount: number, descriptionIndex: number): void {
    if (sampleCount !== this.#runSamples || descriptionIndex !== this.#runDescription) {
      for (const field of [this.#chunkCount + 1, sampleCount, descriptionIndex]) this.#chunkRuns.push(field)
      this.#runSamples = sampleCount
      this.#runDescription = descriptionIndex
    }
    this.#chunkOffsets.push(Math.floor(offset / 2 ** 32))
    this.#chunkOffsets.push(offset % 2 ** 32)
  }

  #addSample(told: number, { sizeBytes, durationTicks, flags, cts: toldCts }: RunSample): void {
    const isFirst = this.#sampleCount === 0
    const count = this.#pcmFrameSizeBytes === undefined ? 1 : Math.floor(sizeBytes / this.#pcmFrameSizeBytes)
    if (count === 0) return
    const stepTicks = Math.floor(durationTicks / count)
    const dts = isFirst ? told : Math.max(told, this.#lastDts + 1)
    const cts = told + toldCts - dts
    if (isFirst) {
      this.#firstDts = dts
      this.#firstCts = cts
    } else {
      this.#steps.push(checkedStep(dts - this.#lastDts))
      this.#compositionOffsets.push(this.#lastCts)
    }
    this.#steps.push(stepTicks, count - 1)
    this.#compositionOffsets.push(cts, count - 1)
    this.#lastDts = dts + (count - 1) * stepTicks
    this.#lastCts = cts
    this.#lastDurationTicks = durationTicks - (count - 1) * stepTicks
    this.#endPts = Math.max(this.#endPts, dts + cts + durationTicks)
    if (cts < 0) this.#isSigned = true
    this.#sampleCount += count
    if (this.#pcmFrameSizeBytes === undefined) this.#sizes.push(sizeBytes)
    this.#sync(isSyncSample({ flags }))
  }

  #sync(isSync: boolean): void {
    const number = this.#sampleCount
    if (!isSync && this.#syncs === undefined) {
      this.#syncs = new FieldTable()
      for (let before = 1; before < number; before++) this.#syncs.push(before)
    }
    if (isSync) this.#syncs?.push(number)
  }

  #chunkBox(mdatOffset: number | undefined, offsetSizeBytes: 4 | 8): Box {
    const entries = Buffer.allocUnsafeSlow(this.#chunkCount * offsetSizeBytes)
    if (mdatOffset !== undefined) {
      let position = 0
      for (const piece of this.#chunkOffsets.pieces) {
        // Blocks have both fields of an offset.
        for (let at = 0; at < piece.length; at += 8) {
          const offset = piece.readUInt32BE(at) * 2 ** 32 + piece.readUInt32BE(at + 4)
          position = writeOffset(entries, position, mdatOffset + offset, offsetSizeBytes)
        }
      }
    }
    return fullBox(offsetSizeBytes === 8 ? 'co64' : 'stco', 0, 0, [uint32(this.#chunkCount), entries])
  }
}

function writeOffset(entries: Buffer, position: number, offset: number, sizeBytes: 4 | 8): number {
  if (sizeBytes === 4) return entries.writeUInt32BE(offset, position)
  return entries.writeUInt32BE(offset % 2 ** 32, entries.writeUInt32BE(Math.floor(offset / 2 ** 32), position))
}

function checkedStep(ticks: number): number {
  if (ticks <= MAX_UINT32) return ticks
  throw new MovieLimitError(
    `MP4 has no room for a gap of ${ticks} ticks within a track: take what is before it and after it apart`,
  )
}
