import { joinOutputs, type Output } from './batch.ts'

/** How much of a burst may be new since its head was joined, before head and rest are joined anew. */
const MAX_REST = 1 / 4

/**
 * The kept outputs as viewers get them who join one after another within a group of pictures: a large head that they
 * share, and the rest since. So the media kept is neither copied nor held in memory once per viewer.
 */
export class JoinBurst {
  readonly #frame: (bytes: Buffer) => Buffer
  #first: Output | undefined
  #count = 0
  #bytes = 0
  #head: Buffer | undefined

  constructor(frame: (bytes: Buffer) => Buffer) {
    this.#frame = frame
  }

  /** The buffers for a viewer that starts at an index of the cache's entries. */
  take(entries: readonly Output[], index: number): readonly Buffer[] {
    const rest = this.#head && this.#first === entries[index] ? entries.slice(index + this.#count) : undefined
    if (this.#head === undefined || rest === undefined || sizeOf(rest) > this.#bytes * MAX_REST) {
      const outputs = entries.slice(index)
      this.#first = outputs[0]
      this.#count = outputs.length
      this.#bytes = sizeOf(outputs)
      this.#head = this.#frame(joinOutputs(outputs))
      return [this.#head]
    }
    return rest.length === 0 ? [this.#head] : [this.#head, this.#frame(joinOutputs(rest))]
  }

  /** Lets the head go, for example when a newer start point makes it out of date. */
  clear(): void {
    this.#first = undefined
    this.#head = undefined
  }
}

function sizeOf(outputs: readonly Output[]): number {
  let sizeBytes = 0
  for (const output of outputs) sizeBytes += output.sizeBytes
  return sizeBytes
}
