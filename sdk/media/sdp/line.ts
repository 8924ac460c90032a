import { MalformedError } from '../errors.ts'

/** One line of a description: `u=…` has the type `u`. */
export type SdpLine = {
  /** One letter. */
  readonly type: string
  /** The text after the equals sign, without blanks around it. */
  readonly value: string
}

/** Most lines in a description, empty ones apart: a browser's offer has some 150 for each medium. */
export const SDP_MAX_LINES = 20_000

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const NUL = 0
const LETTER = /^[a-zA-Z]$/u
const LINE_END = /[\n\r\0]/u
const WORD = /^\S+$/u

/**
 * The lines of a text. They end with `\r\n`, `\n`, `\r` or, as some cameras leave it there, NUL; those that are no line of
 * SDP are passed over.
 * @throws {MalformedError} when there are too many
 */
export function* splitLines(text: string): Generator<SdpLine> {
  let count = 0
  let start = 0
  while (start < text.length) {
    const end = endOfLine(text, start)
    const line = text.slice(start, end).trim()
    start = end + 1
    if (line === '') continue
    count += 1
    if (count > SDP_MAX_LINES) throw new MalformedError(`SDP of more than ${SDP_MAX_LINES} lines`)
    const type = line.charAt(0)
    if (line.charAt(1) === '=' && LETTER.test(type)) yield { type, value: line.slice(2).trim() }
  }
}

function endOfLine(text: string, start: number): number {
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === LINE_FEED || code === CARRIAGE_RETURN || code === NUL) break
    at += 1
  }
  return at
}

/** Writes a line with its end. @throws {MalformedError} when the value would begin another line. */
export function serializeLine({ type, value }: SdpLine): string {
  if (LINE_END.test(value)) throw new MalformedError(`line end within ${JSON.stringify(`${type}=${value}`)}`)
  return `${type}=${value}\r\n`
}

/** Joins the words of a line. @throws {MalformedError} when one of them is empty or has a blank in it. */
export function joinWords(words: readonly (string | number)[]): string {
  const texts = words.map(String)
  const broken = texts.find((text) => !WORD.test(text))
  if (broken !== undefined) throw new MalformedError(`${JSON.stringify(broken)} is no word of SDP`)
  return texts.join(' ')
}

/** The words of a line, the first `limit` of them. */
export function splitWords(value: string, limit: number): string[] {
  return value.split(/\s+/u, limit)
}

/** A number in decimal digits; undefined for anything else, and above `max`. */
export function parseDecimal(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^\d{1,16}$/u.test(text)) return undefined
  const value = Number(text)
  return value <= max ? value : undefined
}
