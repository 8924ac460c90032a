import { printable, printableLines } from '../terminal/printable.ts'

/** Of a terminal that does not say how wide it is. */
const DEFAULT_WIDTH = 80
const TO_LINE_START = '\r'
const CLEAR_REST = '\u001b[K'

/** Where a command writes. */
type OutputStream = {
  readonly isTTY?: boolean
  readonly columns?: number
  write(data: string | Uint8Array): unknown
}

/** Writes what commands found: tables and sentences for a person at a terminal, JSON for all else. */
export class Output {
  readonly #stream: OutputStream
  readonly #isJson: boolean
  /** The line that the cursor is on is to be written over. */
  #isLineOpen = false

  constructor(stream: OutputStream, { json }: { readonly json: boolean }) {
    this.#stream = stream
    this.#isJson = json || stream.isTTY !== true
  }

  /** Writes a value: as JSON, or the lines that `view` makes of it, which must be printable and fit the width in cells. */
  show(value: unknown, view: (width: number) => readonly string[]): void {
    const lines = this.#isJson ? [printableLines(JSON.stringify(value ?? null, null, 2))] : view(this.#width)
    for (const line of lines) this.#stream.write(`${line}\n`)
  }

  /** Tells that something was done: a person by a sentence, a program by the exit code and what the server answered. */
  done(sentence: string, answer?: unknown): void {
    if (!this.#isJson) this.#stream.write(`${printable(sentence)}\n`)
    else if (answer !== undefined && answer !== null) this.show(answer, () => [])
  }

  /** Writes a value that takes the place of the one before: on the same line for a person, a line of JSON each otherwise. */
  refresh(value: unknown, view: (width: number) => string): void {
    if (this.#isJson) {
      this.#stream.write(`${printable(JSON.stringify(value ?? null))}\n`)
      return
    }
    this.#stream.write(`${TO_LINE_START}${view(this.#width)}${CLEAR_REST}`)
    this.#isLineOpen = true
  }

  /** Tells whether a person reads it: what is no text is not for a terminal. */
  get isTerminal(): boolean {
    return this.#stream.isTTY === true
  }

  /** Writes bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.#stream.write(bytes)
  }

  /** Goes on below what was refreshed. */
  endLine(): void {
    if (this.#isLineOpen) this.#stream.write('\n')
    this.#isLineOpen = false
  }

  get #width(): number {
    return this.#stream.columns || DEFAULT_WIDTH
  }
}
