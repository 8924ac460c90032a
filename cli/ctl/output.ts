import { printable, printableLines } from '../terminal/printable.ts'

/** The width of a terminal that does not report its own, in cells. */
const DEFAULT_WIDTH = 80
const TO_LINE_START = '\r'
const CLEAR_REST = '\u001b[K'

/** The stream that a command writes to. */
type OutputStream = {
  readonly isTTY?: boolean
  readonly columns?: number
  write(data: string | Uint8Array): unknown
}

/** Writes the results of commands: tables and sentences for a person at a terminal, JSON for programs. */
export class Output {
  readonly #stream: OutputStream
  readonly #isJson: boolean
  /** True while the cursor is on a line that `refresh` writes over. */
  #isLineOpen = false

  constructor(stream: OutputStream, { json }: { readonly json: boolean }) {
    this.#stream = stream
    this.#isJson = json || stream.isTTY !== true
  }

  /** Writes a value as JSON, or as the lines that `view` makes of it, which must be printable and fit the width in cells. */
  show(value: unknown, view: (width: number) => readonly string[]): void {
    const lines = this.#isJson ? [printableLines(JSON.stringify(value ?? null, null, 2))] : view(this.#width)
    for (const line of lines) this.#stream.write(`${line}\n`)
  }

  /** Reports success: to a person by a sentence, to a program by the answer of the server as JSON, if there is one. */
  done(sentence: string, answer?: unknown): void {
    if (!this.#isJson) this.#stream.write(`${printable(sentence)}\n`)
    else if (answer !== undefined && answer !== null) this.show(answer, () => [])
  }

  /** Writes a value that replaces the former one: on the same line for a person, as a line of JSON for a program. */
  refresh(value: unknown, view: (width: number) => string): void {
    if (this.#isJson) {
      this.#stream.write(`${printable(JSON.stringify(value ?? null))}\n`)
      return
    }
    this.#stream.write(`${TO_LINE_START}${view(this.#width)}${CLEAR_REST}`)
    this.#isLineOpen = true
  }

  /** True when the output is a terminal, on which only text is readable. */
  get isTerminal(): boolean {
    return this.#stream.isTTY === true
  }

  /** Writes bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.#stream.write(bytes)
  }

  /** Continues on the line below a refreshed one. */
  endLine(): void {
    if (this.#isLineOpen) this.#stream.write('\n')
    this.#isLineOpen = false
  }

  get #width(): number {
    return this.#stream.columns || DEFAULT_WIDTH
  }
}
