/** An element of XML, with the text directly in it. */
export type XmlElement = { readonly name: string; readonly text: string; readonly children: readonly XmlElement[] }

/** The deepest nesting of elements. */
export const MAX_XML_DEPTH = 16
/** The most elements of a document: a page of a list has a thousand objects, each with a few elements. */
export const MAX_XML_ELEMENTS = 50_000

type Open = { readonly name: string; text: string; readonly children: XmlElement[] }

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const MAX_CODE_POINT = 0x10ffff

/** The tokens of a document: skipped markup, CDATA, the end of an element, the start of an element with its attributes, text. */
const TOKEN = new RegExp(
  [
    String.raw`<\?[^]*?\?>|<!--[^]*?-->`,
    String.raw`<!\[CDATA\[(?<raw>[^]*?)\]\]>`,
    String.raw`<\/(?<end>[^\s<>/]+)\s*>`,
    String.raw`<(?<start>[^\s<>/!?]+)(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?\/?(?<=(?<empty>\/?))>`,
    String.raw`(?<text>[^<]+)`,
  ].join('|'),
  'uy',
)

/**
 * Parses an answer of an S3 server: elements and text. Attributes and the prefixes of names are left out; documents with a type
 * are refused.
 * @returns the outermost element
 * @throws {SyntaxError} when the document is not well formed, or too large
 */
export function parseXml(document: string): XmlElement {
  const root: Open = { name: '', text: '', children: [] }
  const open = [root]
  let count = 0
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < document.length) {
    const at = TOKEN.lastIndex
    const { raw, end, start, empty, text } = TOKEN.exec(document)?.groups ?? fail(at)
    const inner = open.at(-1) ?? fail(at)
    if (start !== undefined) {
      const element = { name: localName(start), text: '', children: [] }
      inner.children.push(element)
      if (++count > MAX_XML_ELEMENTS) fail(at)
      if (empty !== '/' && open.push(element) > MAX_XML_DEPTH + 1) fail(at)
    } else if (end !== undefined) {
      if (open.length === 1 || inner.name !== localName(end)) fail(at)
      open.pop()
    } else {
      inner.text += raw ?? (text ?? '').replace(/&([^;&\s]{1,10});/gu, (whole, name: string) => decoded(name) ?? whole)
    }
  }
  const [outermost] = root.children
  if (outermost === undefined || open.length > 1 || root.children.length > 1) fail(document.length)
  return outermost
}

/** Returns the text of the first child of a name; empty when there is none. */
export function textOf({ children }: XmlElement, name: string): string {
  return children.find((child) => child.name === name)?.text ?? ''
}

/** Escapes the text of an element. */
export function escapeXml(text: string): string {
  return text.replace(/[<>&]/gu, (sign) => `&#${sign.charCodeAt(0)};`)
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function decoded(name: string): string | undefined {
  const digits = /^#(?:x([0-9a-f]+)|(\d+))$/iu.exec(name)
  if (digits === null) return ENTITIES[name]
  const [, hex, decimal] = digits
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
  return point <= MAX_CODE_POINT ? String.fromCodePoint(point) : undefined
}

function fail(at: number): never {
  throw new SyntaxError(`the answer is no XML that can be read, at character ${at}`)
}
