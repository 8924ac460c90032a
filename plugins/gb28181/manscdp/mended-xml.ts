import { MalformedError } from 'sluice/sdk/media'
import { escapeXmlText } from './xml-text.ts'

/** The deepest element: messages of the standard have six levels. */
export const MAX_DEPTH = 32

/** A comment, a text in CDATA (1), an instruction, or a tag: its slash (2), name (3), attributes (4) and end (5). */
const TOKEN =
  /<(?:!--[\s\S]*?(?:-->|$)|!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|[!?][^<>]*>?|(\/?)([a-z_][\w.:-]*)([^<>]*)(>?))/giu

/**
 * Makes well-formed XML of what a device meant for it, so that one broken item costs no other: ends that are missing are put in, those
 * that end nothing are left out, as are attributes, and `<` that begins no tag is text. Two things of MANSCDP tell where an end is
 * missing: an element has text or elements, never both; and none has another of its own name within it.
 * @throws {MalformedError} when it is too deep
 */
export function mendXml(xml: string): string {
  const mended = new MendedXml()
  let at = 0
  for (const match of xml.matchAll(TOKEN)) {
    const [token, cdata, slash, name, attributes = '', end] = match
    mended.text(xml.slice(at, match.index))
    at = match.index + token.length
    if (cdata !== undefined) mended.text(escapeXmlText(cdata))
    else if (name === undefined) continue
    else if (slash !== '') mended.end(name)
    else if (end === '') mended.text(token)
    else mended.start(name, attributes.endsWith('/'))
  }
  mended.text(xml.slice(at))
  return mended.finish()
}

class MendedXml {
  readonly #parts: string[] = []
  /** The names of the elements that are open, the root first. */
  readonly #open: string[] = []
  /** True when the innermost element has text. */
  #hasText = false

  text(text: string): void {
    if (this.#open.length === 0) return
    if (text.trim() !== '') this.#hasText = true
    this.#parts.push(text.replaceAll('<', '&lt;'))
  }

  start(name: string, isEmpty: boolean): void {
    if (this.#hasText && this.#open.length > 1) this.#close()
    const same = this.#indexOf(name)
    if (same > 0) this.#closeTo(same)
    if (this.#open.length >= MAX_DEPTH) throw new MalformedError(`XML of more than ${MAX_DEPTH} levels`)
    this.#parts.push(`<${name}>`)
    this.#open.push(name)
    this.#hasText = false
    if (isEmpty) this.#close()
  }

  /** The root ends with the text: what comes behind its end belongs to it all the same. */
  end(name: string): void {
    const index = this.#indexOf(name)
    if (index > 0) this.#closeTo(index)
  }

  finish(): string {
    this.#closeTo(0)
    return this.#parts.join('')
  }

  #closeTo(index: number): void {
    while (this.#open.length > index) this.#close()
  }

  #close(): void {
    this.#parts.push(`</${this.#open.pop()}>`)
    this.#hasText = false
  }

  #indexOf(name: string): number {
    const wanted = name.toLowerCase()
    return this.#open.findLastIndex((open) => open.toLowerCase() === wanted)
  }
}
