import type { Readable } from 'node:stream'
import { maskUrl } from 'sluice/sdk'

/** The longest line; the rest of a longer one is cut off. */
const MAX_LINE_LENGTH = 512
/** The last lines, which are logged when the program has failed. */
const KEPT_LINES = 10
/** The most lines that are logged in a window; the others are counted. */
const MAX_LINES = 50
const WINDOW_MS = 1000
const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/giu

/** The lines that a program writes for people: limited in number and length, and without the secrets of addresses in them. */
export class OutputLines {
  readonly #log: (line: string) => void
  #kept: string[] = []
  #pending = ''
  #windowMs = 0
  #logged = 0
  #leftOut = 0

  /** Settles when the program's output has ended. */
  readonly ended: Promise<void>

  constructor(output: Readable, log: (line: string) => void) {
    this.#log = log
    output.setEncoding('utf8')
    output.on('data', (text: string) => this.#push(text))
    output.on('end', () => this.#end())
    output.on('error', () => {})
    this.ended = new Promise((resolve) => void output.once('close', resolve))
  }

  /** The last lines. */
  get last(): readonly string[] {
    return this.#kept
  }

  /** The number of lines that were not logged, as there were too many at a time. */
  get leftOut(): number {
    return this.#leftOut
  }

  #push(text: string): void {
    // Programs show progress by writing one line again and again.
    const lines = text.split(/[\r\n]+/u)
    for (const [index, part] of lines.entries()) {
      if (index > 0) this.#end()
      this.#pending = (this.#pending + part).slice(0, MAX_LINE_LENGTH)
    }
  }

  #end(): void {
    const line = this.#pending
      .replaceAll(URL_IN_TEXT, maskUrl)
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim()
    this.#pending = ''
    if (line === '') return
    this.#kept = [...this.#kept.slice(1 - KEPT_LINES), line]
    const nowMs = performance.now()
    if (nowMs - this.#windowMs > WINDOW_MS) {
      this.#windowMs = nowMs
      this.#logged = 0
    }
    if (++this.#logged <= MAX_LINES) this.#log(line)
    else this.#leftOut += 1
  }
}
