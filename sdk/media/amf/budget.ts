import { MalformedError } from '../errors.ts'

/** The deepest nesting of objects. Commands and metadata of real peers stay under 5. */
export const AMF_MAX_DEPTH = 16
/** The most values of a message, repeated by reference or not. The largest known use is a file's keyframe index. */
export const AMF_MAX_VALUES = 65_536
/** The longest string or property name. */
export const AMF_MAX_STRING_BYTES = 65_536
/** The most text of a message, repeated by reference or not. */
export const AMF_MAX_TEXT_BYTES = 1_048_576

/** The cost of a part of a message, to be charged again by each reference to it. */
export type AmfCost = { readonly values: number; readonly textBytes: number }

/**
 * Counts the values and the text of one message. A reference costs as much as what it repeats: a few bytes of
 * references to references would otherwise stand for a tree of any size.
 */
export class AmfBudget {
  #values = 0
  #textBytes = 0

  get spent(): AmfCost {
    return { values: this.#values, textBytes: this.#textBytes }
  }

  since(start: AmfCost): AmfCost {
    return { values: this.#values - start.values, textBytes: this.#textBytes - start.textBytes }
  }

  charge(cost: AmfCost): void {
    this.#values += cost.values
    this.#textBytes += cost.textBytes
    if (this.#values > AMF_MAX_VALUES) throw new MalformedError(`AMF: more than ${AMF_MAX_VALUES} values`)
    if (this.#textBytes > AMF_MAX_TEXT_BYTES)
      throw new MalformedError(`AMF: more than ${AMF_MAX_TEXT_BYTES} bytes of text`)
  }

  value(): void {
    if (++this.#values > AMF_MAX_VALUES) throw new MalformedError(`AMF: more than ${AMF_MAX_VALUES} values`)
  }

  text(sizeBytes: number): void {
    if (sizeBytes > AMF_MAX_STRING_BYTES) throw new MalformedError(`AMF: a string of ${sizeBytes} bytes`)
    this.#textBytes += sizeBytes
    if (this.#textBytes > AMF_MAX_TEXT_BYTES)
      throw new MalformedError(`AMF: more than ${AMF_MAX_TEXT_BYTES} bytes of text`)
  }
}

/** A complex value that a later reference may name: `null` until it is whole, so that nothing contains itself. */
export class AmfReferences<Value> {
  readonly #entries: ({ readonly value: Value; readonly cost: AmfCost } | null)[] = []
  readonly #budget: AmfBudget

  constructor(budget: AmfBudget) {
    this.#budget = budget
  }

  /** Reads a complex value and keeps it under the next number. */
  keep<V extends Value>(read: () => V): V {
    const index = this.#entries.push(null) - 1
    const start = this.#budget.spent
    const value = read()
    this.#entries[index] = { value, cost: this.#budget.since(start) }
    return value
  }

  get(index: number): Value {
    const entry = this.#entries[index]
    if (!entry) throw new MalformedError(`AMF: a reference to value ${index}, which is not there or not complete`)
    this.#budget.charge(entry.cost)
    return entry.value
  }
}
