const RUN_SIZE_BYTES = 8
/** Distance of the places that reading can begin at without going through all before. */
const RUNS_PER_MARK = 1024
/** Runs that are gone through at once when a table is prepared. */
const RUNS_PER_STEP = 16 * RUNS_PER_MARK

/** A place in a table: what comes before it. */
type Mark = { readonly count: number; readonly sum: number }

/** A table that gives values in runs: for how many samples, and the value of each of them. It stays as it is in the file. */
export class SampleRuns {
  readonly #runs: Buffer
  readonly #signed: boolean
  readonly #marks: Mark[] = []
  #smallest = 0

  /** @param runs a view of the runs alone */
  constructor(runs: Buffer, signed: boolean) {
    this.#runs = runs
    this.#signed = signed
  }

  /** The smallest value, or 0 when none is below it. */
  get smallest(): number {
    return this.#smallest
  }

  /** Goes through the table once, so that places in it are found soon; yields every now and then, as that may take long. */
  *prepare(): Generator<void> {
    let count = 0
    let sum = 0
    const total = Math.floor(this.#runs.length / RUN_SIZE_BYTES)
    for (let run = 0; run < total; run++) {
      if (run % RUNS_PER_MARK === 0) this.#marks.push({ count, sum })
      if (run % RUNS_PER_STEP === RUNS_PER_STEP - 1) yield
      const samples = this.#runs.readUInt32BE(run * RUN_SIZE_BYTES)
      const value = this.#valueAt(run)
      count += samples
      sum += samples * value
      if (value < this.#smallest) this.#smallest = value
    }
  }

  /** Reads on from a sample, counted from 0. */
  at(index: number): { readonly reader: SampleRunReader; readonly sum: number } {
    const { reader, mark } = this.#nearest(({ count }) => count <= index)
    return { reader, sum: mark.sum + reader.skip(index - mark.count) }
  }

  /** How many samples' values add up to no more than a sum; for a table of values that are not negative. */
  countUpTo(sum: number): number {
    const { reader, mark } = this.#nearest((other) => other.sum <= sum)
    return mark.count + reader.skipUpTo(sum - mark.sum)
  }

  #valueAt(run: number): number {
    const position = run * RUN_SIZE_BYTES + 4
    return this.#signed ? this.#runs.readInt32BE(position) : this.#runs.readUInt32BE(position)
  }

  /** The last place for which something holds that holds for those before it. */
  #nearest(holds: (mark: Mark) => boolean): { readonly reader: SampleRunReader; readonly mark: Mark } {
    let low = 0
    let high = this.#marks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (holds(this.#marks[middle]!)) low = middle + 1
      else high = middle
    }
    const index = Math.max(0, low - 1)
    const position = index * RUNS_PER_MARK * RUN_SIZE_BYTES
    return {
      reader: new SampleRunReader(this.#runs.subarray(position), this.#signed),
      mark: this.#marks[index] ?? { count: 0, sum: 0 },
    }
  }
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

  /** That of the sample that it stands at; undefined past the last one. */
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
    while (this.#left === 0 && this.#position + RUN_SIZE_BYTES <= this.#runs.length) {
      this.#left = this.#runs.readUInt32BE(this.#position)
      this.#value = this.#signed
        ? this.#runs.readInt32BE(this.#position + 4)
        : this.#runs.readUInt32BE(this.#position + 4)
      this.#position += RUN_SIZE_BYTES
    }
  }
}
