import { joinOutputs, type Output } from './batch.ts'

/** The largest ratio of a block to the next one at which the two are joined. */
const GROWTH = 2

/** Outputs that follow one another, as one write. */
type Block = {
  /** The index of its first output, counted from the first of the replay. */
  readonly offset: number
  readonly sizeBytes: number
  readonly bytes: Buffer
}

/**
 * The kept group of pictures, in the form in which joining sinks get it: a few blocks that they share, each less than half as
 * large as the one before it. A sink costs a few writes, and media is copied a few times in all, however many sinks join one
 * after another.
 */
export class GopReplay {
  #first: Output | undefined
  #count = 0
  #blocks: Block[] = []

  /** Returns the buffers for a sink that starts at an index of the cache's entries. */
  take(entries: readonly Output[], index: number): readonly Buffer[] {
    if (this.#first !== entries[index]) this.clear()
    const fresh = entries.slice(index + this.#count)
    if (fresh.length > 0) this.#append(entries.slice(index), sizeOf(fresh))
    return this.#blocks.map(({ bytes }) => bytes)
  }

  /** Forgets the blocks, for example when a newer start point makes them out of date. */
  clear(): void {
    this.#first = undefined
    this.#count = 0
    this.#blocks = []
  }

  #append(outputs: readonly Output[], freshBytes: number): void {
    let offset = this.#count
    let sizeBytes = freshBytes
    let last = this.#blocks.at(-1)
    while (last !== undefined && last.sizeBytes <= sizeBytes * GROWTH) {
      offset = last.offset
      sizeBytes += last.sizeBytes
      this.#blocks.pop()
      last = this.#blocks.at(-1)
    }
    this.#blocks.push({ offset, sizeBytes, bytes: joinOutputs(outputs.slice(offset)) })
    this.#first = outputs[0]
    this.#count = outputs.length
  }
}

function sizeOf(outputs: readonly Output[]): number {
  let sizeBytes = 0
  for (const output of outputs) sizeBytes += output.sizeBytes
  return sizeBytes
}
