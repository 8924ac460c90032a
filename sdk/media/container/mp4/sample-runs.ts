import { MalformedError } from '../../errors.ts'

/** The size of a run in the file. */
export const SAMPLE_RUN_SIZE_BYTES = 8
/** Distance of the places of a table of runs that reading can begin at without going through all before. */
export const RUNS_PER_MARK = 1024
/** The most runs of a table that may have no samples; they are passed over in one go. */
export const MAX_EMPTY_RUNS = 1024

/** The state of a table at a mark: the samples before it, and the sum of their values. */
type Mark = { readonly count: number; readonly sum: number }

/** A table that gives values in runs: for how many samples, and the value of each of them. It stays as it is in the file. */
export class SampleRuns {
  readonly #runs: Buffer
  readonly #signed: boolean
  readonly #marks: Mark[] = []
  #smallest = 0
  #count = 0
  #emptyRuns = 0
  #sum = 0

  /** @param runs a view of the runs alone */
  constructor(runs: Buffer, signed: boolean) {
    this.#runs = runs
    this.#signed = signed
  }

  /** The smallest value, or 0 when none is below it. */
  get smallest(): number {
    return this.#smallest
  }

  /**
   * Goes through the table once, so that places in it are found soon; yields often, as that may take long.
   * @throws {MalformedError} when there are more than {@link MAX_EMPTY_RUNS} runs without samples
   */
  *prepare(): Generator<void> {
    const total = Math.floor(this.#runs.length / SAMPLE_RUN_SIZE_BYTES)
    for (let run = 0; run < total; run += RUNS_PER_MARK) {
      this.#marks.push({ count: this.#count, sum: this.#sum })
      this.#pass(run, Math.min(run + RUNS_PER_MARK, total))
      checkEmptyRuns(this.#emptyRuns)
      yield
    }
  }

  /** Reads on from a sample, counted from 0. */
  at(index: number): { readonly reader: SampleRunReader; readonly sum: number } {
    const { reader, mark } = this.#nearest(({ count }) => count <= index)
    return { reader, sum: mark.sum + reader.skip(index - mark.count) }
  }

  /** Returns the number of samples with values that add up to no more than a sum; for a table of values that are not negative. */
  countUpTo(sum: number): number {
    const { reader, mark } = this.#nearest((other) => other.sum <= sum)
    return mark.count + reader.skipUpTo(sum - mark.sum)
  }

  // The engine makes a function of its own fast, as it does not a generator.
  #pass(from: number, to: number): void {
    for (let run = from; run < to; run++) {
      const samples = this.#runs.readUInt32BE(run * SAMPLE_RUN_SIZE_BYTES)
      const value = this.#valueAt(run)
      if (samples === 0) this.#emptyRuns++
      this.#count += samples
      this.#sum += samples * value
      if (value < this.#smallest) this.#smallest = value
    }
  }

  #valueAt(run: number): number {
    const position = run * SAMPLE_RUN_SIZE_BYTES + 4
    return this.#signed ? this.#runs.readInt32BE(position) : this.#runs.readUInt32BE(position)
  }

  /** A binary search for the last mark that `holds` is true for; it is true up to some mark, and false from there on. */
  #nearest(holds: (mark: Mark) => boolean): { readonly reader: SampleRunReader; readonly mark: Mark } {
    let low = 0
    let high = this.#marks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (holds(this.#marks[middle]!)) low = middle + 1
      else high = middle
    }
    const index = Math.max(0, low - 1)
    const position = index * RUNS_PER_MARK * SAMPLE_RUN_SIZE_BYTES
    return {
      reader: new SampleRunReader(this.#runs.subarray(position), this.#signed),
      mark: this.#marks[index] ?? { count: 0, sum: 0 },
    }
  }
}

/** @throws {MalformedError} when a table has more runs without samples than {@link MAX_EMPTY_RUNS} */
export function checkEmptyRuns(count: number): void {
  if (count > MAX_EMPTY_RUNS) throw new MalformedError(`more than ${MAX_EMPTY_RUNS} runs of a table have no samples`)
}

/** Goes through runs sample by sample. */
export class SampleRunReader {
  readonly #runs: Buffer
  readonly #signed: boolean
  #position = 0
  #left = 0
  #value = 0

  constructor(runs: Buffer, signed: boolean) {
    this.#runs = runs
    this.#signed = signed
    this.#load()
  }

  /** The value of the sample that it stands at; undefined past the last one. */
  get value(): number | undefined {
    return this.#left > 0 ? this.#value : undefined
  }

  /** Goes on by so many samples, or to the end, and returns the sum of the values of those that were passed. */
  skip(count: number): number {
    let sum = 0
    for (let left = count; left > 0 && this.#left > 0;) {
      const passed = Math.min(left, this.#left)
      sum += passed * this.#value
      left -= passed
      this.#left -= passed
      this.#load()
    }
    return sum
  }

  /** Goes on as far as the sum of the values allows, and returns how many samples were passed. */
  skipUpTo(sum: number): number {
    let count = 0
    for (let left = sum; this.#left > 0; this.#load()) {
      const fits = this.#value > 0 ? Math.floor(left / this.#value) : this.#left
      const passed = Math.max(0, Math.min(fits, this.#left))
      count += passed
      left -= passed * this.#value
      this.#left -= passed
      if (this.#left > 0) break
    }
    return count
  }

  /** Goes to the next run that has samples, when it is through with one. */
  #load(): void {
    while (this.#left === 0 && this.#position + SAMPLE_RUN_SIZE_BYTES <= this.#runs.length) {
      this.#left = this.#runs.readUInt32BE(this.#position)
      this.#value = this.#signed
        ? this.#runs.readInt32BE(this.#position + 4)
        : this.#runs.readUInt32BE(this.#position + 4)
      this.#position += SAMPLE_RUN_SIZE_BYTES
    }
  }
}
