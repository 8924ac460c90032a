export type LineBufferLimits = { readonly maxLines: number; readonly maxLength: number }

/** The number of removed places from which on the list is copied without them. */
const MAX_GAP = 1024

/** Lines in order, up to a number and a length of all together; the oldest make room for new ones. */
export class LineBuffer {
  /** The number of lines that made room since `takeDropped` was called. */
  #dropped = 0
  readonly #limits: LineBufferLimits
  #lines: string[] = []
  /** The place of the oldest line; those before it are removed. */
  #first = 0
  #length = 0

  /** @param limits `maxLength` is in characters */
  constructor(limits: LineBufferLimits) {
    this.#limits = limits
  }

  push(line: string): void {
    this.#lines.push(line)
    this.#length += line.length
    const { maxLines, maxLength } = this.#limits
    while (this.#lines.length - this.#first > maxLines || this.#length > maxLength) {
      this.shift()
      this.#dropped += 1
    }
  }

  /** Removes the oldest line, and returns it. */
  shift(): string | undefined {
    const line = this.#lines[this.#first]
    if (line === undefined) return undefined
    this.#lines[this.#first] = ''
    this.#first += 1
    this.#length -= line.length
    if (this.#first > MAX_GAP || this.#first === this.#lines.length) {
      this.#lines = this.#lines.slice(this.#first)
      this.#first = 0
    }
    return line
  }

  /** Returns the number of lines that made room since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }

  /** The lines from the newest to the oldest. */
  *newestFirst(): Generator<string> {
    for (let index = this.#lines.length - 1; index >= this.#first; index--) yield this.#lines[index] ?? ''
  }

  clear(): void {
    this.#lines = []
    this.#first = 0
    this.#length = 0
  }
}
