import { MalformedError } from '../../errors.ts'
import { bodyOf, parseBoxes, parseFullBox } from '../fmp4/box.ts'
import { CHUNK_RUN_SIZE_BYTES, ChunkTable } from './chunk-table.ts'
import { SAMPLE_RUN_SIZE_BYTES, SampleRuns } from './sample-runs.ts'
import { parseSampleSizes, type SampleSizes } from './sample-sizes.ts'

const SYNC_SIZE_BYTES = 4

/**
 * The sample table of a track, `stbl` (ISO/IEC 14496-12 8.5.1): where each sample lies, when it is decoded and presented.
 * The tables stay as they are in the file, since a long recording has millions of samples; they are views of the box.
 */
export class SampleTable {
  readonly sizes: SampleSizes
  /** The time from each sample to the next, `stts`. */
  readonly steps: SampleRuns
  /** Presentation less decoding time, `ctts`; signed in both versions, as some write them so. */
  readonly compositionOffsets: SampleRuns
  readonly chunks: ChunkTable
  readonly #syncs: Buffer | undefined

  /** @throws {MalformedError} when a table is missing or has no head */
  constructor(stbl: Buffer) {
    const boxes = parseBoxes(stbl)
    const entries = (type: string, sizeBytes: number) => entriesOf(bodyOf(boxes, type), sizeBytes)
    const sizes = boxes.find(({ type }) => type === 'stsz' || type === 'stz2')
    const offsetSizeBytes = boxes.some(({ type }) => type === 'co64') ? 8 : 4
    const offsets = entries(offsetSizeBytes === 8 ? 'co64' : 'stco', offsetSizeBytes)
    const steps = entries('stts', SAMPLE_RUN_SIZE_BYTES)
    const chunkRuns = entries('stsc', CHUNK_RUN_SIZE_BYTES)
    if (!sizes || !offsets || !steps || !chunkRuns) throw new MalformedError('track without tables of its samples')
    this.sizes = parseSampleSizes(sizes)
    this.steps = new SampleRuns(steps, false)
    this.compositionOffsets = new SampleRuns(entries('ctts', SAMPLE_RUN_SIZE_BYTES) ?? Buffer.alloc(0), true)
    this.chunks = new ChunkTable(chunkRuns, offsets, offsetSizeBytes)
    this.#syncs = entries('stss', SYNC_SIZE_BYTES)
  }

  /**
   * Goes through the tables once, before they are used; yields often, as that may take long.
   * @throws {MalformedError} when too many of their runs have no samples
   */
  *prepare(): Generator<void> {
    yield* this.steps.prepare()
    yield* this.compositionOffsets.prepare()
    yield* this.chunks.prepare()
  }

  /** The decoding time from the first sample to the end of the last, in ticks of the track. */
  get durationTicks(): number {
    return this.steps.at(this.sizes.count).sum
  }

  /** The sample at a decoding time, which is the last one that is not after it, counted from 0. */
  indexAt(dts: number): number {
    return Math.max(0, Math.min(this.steps.countUpTo(dts), this.sizes.count - 1))
  }

  /** The last sample up to one at which decoding can start; undefined when there is none. */
  syncBefore(index: number): number | undefined {
    if (this.#syncs === undefined) return index >= 0 ? index : undefined
    let low = 0
    let high = this.#syncs.length / SYNC_SIZE_BYTES
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#syncs.readUInt32BE(middle * SYNC_SIZE_BYTES) - 1 <= index) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : this.#syncs.readUInt32BE((low - 1) * SYNC_SIZE_BYTES) - 1
  }
}

/** The entries of a full box that begins with their number; those that are not there are not counted. */
function entriesOf(body: Buffer | undefined, entrySizeBytes: number): Buffer | undefined {
  if (body === undefined) return undefined
  const { fields } = parseFullBox(body)
  const count = Math.min(fields.readUint(4), Math.floor(fields.bytesLeft / entrySizeBytes))
  return fields.readBytes(count * entrySizeBytes)
}
