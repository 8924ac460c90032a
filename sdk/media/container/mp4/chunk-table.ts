import { checkEmptyRuns, RUNS_PER_MARK } from './sample-runs.ts'

/** The size of a run of chunks in the file. */
export const CHUNK_RUN_SIZE_BYTES = 12

/** Chunks that are alike: from the first up to the end, which is not one of them. Chunks are counted from 0. */
export type ChunkRun = {
  readonly firstChunk: number
  readonly endChunk: number
  readonly samplesPerChunk: number
  readonly description: number
}

/** The chunks of a track: their offsets, `stco` or `co64`, and their samples, `stsc` (ISO/IEC 14496-12 8.7.4 and 8.7.5). */
export class ChunkTable {
  readonly #runs: Buffer
  readonly #offsets: Buffer
  readonly #offsetSizeBytes: 4 | 8
  /** The number of samples before each place that reading can begin at. */
  readonly #marks: number[] = []
  #emptyRuns = 0

  /** @param runs and `offsets` are views of the entries alone */
  constructor(runs: Buffer, offsets: Buffer, offsetSizeBytes: 4 | 8) {
    this.#runs = runs
    this.#offsets = offsets
    this.#offsetSizeBytes = offsetSizeBytes
  }

  /** Goes through the table once, as `SampleRuns.prepare` does. */
  *prepare(): Generator<void> {
    let samples = 0
    for (let number = 0; number < this.#runCount; number += RUNS_PER_MARK) {
      this.#marks.push(samples)
      samples += this.#samplesFrom(number, Math.min(number + RUNS_PER_MARK, this.#runCount))
      checkEmptyRuns(this.#emptyRuns)
      yield
    }
  }

  /** The number of the run that has a sample, and how many samples of it come before; undefined past the last one. */
  runOf(index: number): { readonly number: number; readonly before: number } | undefined {
    const mark = Math.max(
      0,
      this.#marks.findLastIndex((samples) => samples <= index),
    )
    let before = index - (this.#marks[mark] ?? 0)
    for (let number = mark * RUNS_PER_MARK; number < this.#runCount; number++) {
      const samples = this.#samplesIn(number)
      if (before < samples) return { number, before }
      before -= samples
    }
    return undefined
  }

  /** The next run that has samples, from one on; undefined after the last. */
  next(from: number): { readonly number: number; readonly run: ChunkRun } | undefined {
    for (let number = from; number < this.#runCount; number++) {
      if (this.#samplesIn(number) > 0) return { number, run: this.#run(number) }
    }
    return undefined
  }

  /** Returns the offset of a chunk in the file. */
  offset(chunk: number): number {
    const position = chunk * this.#offsetSizeBytes
    if (this.#offsetSizeBytes === 4) return this.#offsets.readUInt32BE(position)
    return this.#offsets.readUInt32BE(position) * 2 ** 32 + this.#offsets.readUInt32BE(position + 4)
  }

  /** The offset of the last chunk in the file; 0 where there is none. */
  get lastOffset(): number {
    const chunkCount = this.#chunkCount
    return chunkCount === 0 ? 0 : this.offset(chunkCount - 1)
  }

  get #chunkCount(): number {
    return this.#offsets.length / this.#offsetSizeBytes
  }

  get #runCount(): number {
    return this.#runs.length / CHUNK_RUN_SIZE_BYTES
  }

  /** Returns the number of samples in the runs from one up to another, without the latter. */
  #samplesFrom(from: number, to: number): number {
    let samples = 0
    for (let number = from; number < to; number++) {
      const more = this.#samplesIn(number)
      if (more === 0) this.#emptyRuns++
      samples += more
    }
    return samples
  }

  #samplesIn(number: number): number {
    const firstChunk = this.#firstChunk(number)
    if (firstChunk < 0) return 0
    const samplesPerChunk = this.#runs.readUInt32BE(number * CHUNK_RUN_SIZE_BYTES + 4)
    return Math.max(0, this.#endChunk(number) - firstChunk) * samplesPerChunk
  }

  #firstChunk(number: number): number {
    return this.#runs.readUInt32BE(number * CHUNK_RUN_SIZE_BYTES) - 1
  }

  #endChunk(number: number): number {
    const chunkCount = this.#chunkCount
    return number + 1 < this.#runCount ? Math.min(this.#firstChunk(number + 1), chunkCount) : chunkCount
  }

  #run(number: number): ChunkRun {
    const position = number * CHUNK_RUN_SIZE_BYTES
    return {
      firstChunk: this.#firstChunk(number),
      endChunk: this.#endChunk(number),
      samplesPerChunk: this.#runs.readUInt32BE(position + 4),
      description: this.#runs.readUInt32BE(position + 8) - 1,
    }
  }
}
