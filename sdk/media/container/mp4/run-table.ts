import { uint32 } from '../fmp4/boxes/fields.ts'
import { FieldTable } from './field-table.ts'

/** Values in runs: how many samples have one, and the value (`stts` and `ctts`, ISO/IEC 14496-12 8.6.1). */
export class RunTable {
  readonly #closed = new FieldTable()
  #length = 0
  #value = 0

  /** Adds the value of the next sample, which may be negative, or of so many. */
  push(value: number, sampleCount = 1): void {
    if (sampleCount === 0) return
    if (value !== this.#value && this.#length > 0) {
      this.#closed.push(this.#length)
      this.#closed.push(this.#value)
      this.#length = 0
    }
    this.#value = value
    this.#length += sampleCount
  }

  /** The entries of the box, with the value of one more sample at the end. */
  endedBy(last: number): { readonly count: number; readonly pieces: readonly Buffer[] } {
    const isSame = this.#length === 0 || last === this.#value
    const tail = isSame ? [this.#length + 1, last] : [this.#length, this.#value, 1, last]
    return {
      count: (this.#closed.count + tail.length) / 2,
      pieces: [...this.#closed.pieces, uint32(...tail.map((field) => field >>> 0))],
    }
  }
}
