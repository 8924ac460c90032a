import type { SampleRunReader } from './sample-runs.ts'
import type { SampleTable } from './sample-table.ts'

/** A sample of a file: where it lies in it, and its times in ticks of the track. */
export type Mp4Sample = {
  readonly offset: number
  readonly sizeBytes: number
  readonly dts: number
  /** Presentation less decoding time; may be negative. */
  readonly cts: number
  /** The number of its sample entry in the track, from 0. */
  readonly description: number
}

/** Goes through the samples of a table that was prepared, one by one or, where each is tiny, in groups. */
export class Mp4SampleCursor {
  readonly #table: SampleTable
  readonly #groupSize: number
  readonly #steps: SampleRunReader
  readonly #offsets: SampleRunReader
  #index: number
  #dts: number
  /** The next run of chunks. */
  #nextRun = 0
  #chunk = 0
  #endChunk = 0
  #samplesPerChunk = 0
  #leftInChunk = 0
  #description = 0
  #offset = 0

  /**
   * @param index the sample that it begins at, from 0
   * @param groupSize how many are given as one, as long as they lie side by side
   */
  constructor(table: SampleTable, index: number, groupSize = 1) {
    const { reader, sum } = table.steps.at(index)
    this.#table = table
    this.#groupSize = groupSize
    this.#steps = reader
    this.#offsets = table.compositionOffsets.at(index).reader
    this.#index = index
    this.#dts = sum
    this.#findChunk(index)
  }

  /** Undefined past the last one, or past what the tables tell of. */
  get sample(): Mp4Sample | undefined {
    const count = this.#count
    if (count === 0) return undefined
    return {
      offset: this.#offset,
      sizeBytes: this.#table.sizes.sum(this.#index, this.#index + count),
      dts: this.#dts,
      cts: this.#offsets.value ?? 0,
      description: this.#description,
    }
  }

  advance(): void {
    const count = this.#count
    if (count === 0) return
    this.#offset += this.#table.sizes.sum(this.#index, this.#index + count)
    this.#index += count
    this.#dts += this.#steps.skip(count)
    this.#offsets.skip(count)
    this.#leftInChunk -= count
    if (this.#leftInChunk === 0) this.#enterChunk(this.#chunk + 1)
  }

  /** The number of samples that it gives as the next one. */
  get #count(): number {
    if (this.#steps.value === undefined) return 0
    return Math.max(0, Math.min(this.#groupSize, this.#leftInChunk, this.#table.sizes.count - this.#index))
  }

  #findChunk(index: number): void {
    const found = index < this.#table.sizes.count ? this.#table.chunks.runOf(index) : undefined
    if (found === undefined) return
    this.#enterRun(found.number)
    this.#enterChunk(this.#chunk + Math.floor(found.before / this.#samplesPerChunk))
    const passed = found.before % this.#samplesPerChunk
    this.#offset += this.#table.sizes.sum(index - passed, index)
    this.#leftInChunk -= passed
  }

  #enterChunk(chunk: number): void {
    this.#chunk = chunk
    if (chunk >= this.#endChunk && !this.#enterRun(this.#nextRun)) return
    this.#leftInChunk = this.#samplesPerChunk
    this.#offset = this.#table.chunks.offset(this.#chunk)
  }

  /** Goes to a run of chunks, or to the next one that has samples. */
  #enterRun(number: number): boolean {
    const found = this.#table.chunks.next(number)
    if (found === undefined) return false
    this.#nextRun = found.number + 1
    this.#chunk = found.run.firstChunk
    this.#endChunk = found.run.endChunk
    this.#samplesPerChunk = found.run.samplesPerChunk
    this.#description = found.run.description
    return true
  }
}
