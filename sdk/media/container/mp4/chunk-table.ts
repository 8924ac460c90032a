const RUN_SIZE_BYTES = 12
const RUNS_PER_MARK = 1024
const RUNS_PER_STEP = 16 * RUNS_PER_MARK

/** Chunks that are alike: from the first up to the end, which is not one of them. Chunks are counted from 0. */
export type ChunkRun = {
  readonly firstChunk: number
  readonly endChunk: number
  readonly samplesPerChunk: number
  readonly description: number
}

/** Where the chunks of a track lie, `stco` or `co64`, and which samples they have, `stsc` (ISO/IEC 14496-12 8.7.4 and 8.7.5). */
export class ChunkTable {
  readonly #runs: Buffer
  readonly #offsets: Buffer
  readonly #offsetSizeBytes: 4 | 8
  /** How many samples come before each place that reading can begin at. */
  readonly #marks: number[] = []

  /** @param runs and `offsets` are views of the entries alone */
  constructor(runs: Buffer, offsets: Buffer, offsetSizeBytes: 4 | 8) {
    this.#runs = runs
    this.#offsets = offsets
    this.#offsetSizeBytes = offsetSizeBytes
  }

  /** As that of `SampleRuns`. */
  *prepare(): Generator<void> {
    let samples = 0
    for (let number = 0; number < this.#runCount; number++) {
      if (number % RUNS_PER_MARK === 0) this.#marks.push(samples)
      if (number % RUNS_PER_STEP === RUNS_PER_STEP - 1) yield
      samples += samplesIn(this.#run(number))
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
      const samples = samplesIn(this.#run(number))
      if (before < samples) return { number, before }
      before -= samples
    }
    return undefined
  }

  /** The next run that has samples, from one on; undefined after the last. */
  next(from: number): { readonly number: number; readonly run: ChunkRun } | undefined {
    for (let number = from; number < this.#runCount; number++) {
      const run = this.#run(number)
      if (samplesIn(run) > 0) return { number, run }
    }
    return undefined
  }

  /** Where a chunk begins in the file. */
  offset(chunk: number): number {
    const position = chunk * this.#offsetSizeBytes
    if (this.#offsetSizeBytes === 4) return this.#offsets.readUInt32BE(position)
    return this.#offsets.readUInt32BE(position) * 2 ** 32 + this.#offsets.readUInt32BE(position + 4)
  }

  get #runCount(): number {
    return this.#runs.length / RUN_SIZE_BYTES
  }

  #run(number: number): ChunkRun {
    const position = number * RUN_SIZE_BYTES
    const chunkCount = this.#offsets.length / this.#offsetSizeBytes
    const isLast = number + 1 >= this.#runCount
    const end = isLast ? chunkCount : this.#runs.readUInt32BE(position + RUN_SIZE_BYTES) - 1
    return {
      firstChunk: this.#runs.readUInt32BE(position) - 1,
      endChunk: Math.min(end, chunkCount),
      samplesPerChunk: this.#runs.readUInt32BE(position + 4),
      description: this.#runs.readUInt32BE(position + 8) - 1,
    }
  }
}

function samplesIn({ firstChunk, endChunk, samplesPerChunk }: ChunkRun): number {
  return firstChunk < 0 ? 0 : Math.max(0, endChunk - firstChunk) * samplesPerChunk
}
