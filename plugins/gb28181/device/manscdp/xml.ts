import { MalformedError } from 'sluice/sdk/media'

/** The most elements of a document that is read, and the deepest nesting. */
const XML_MAX_ELEMENTS = 20_000
const XML_MAX_DEPTH = 32

/** An element of a document: the text in it, or further elements. */
export type XmlElement = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string | number>>
  readonly text: string
  readonly children: readonly XmlElement[]
}

/** The content of an element: a text, a number, or elements; undefined makes none. */
export type XmlContent = string | number | readonly (XmlElement | undefined)[]

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const ESCAPES: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;', '"': '&quot;' }
/** A comment, a section of plain text, a declaration, an end tag, a start tag, or text. */
const TOKEN =
  /<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<[?!][^>]*>|<\/\s*([^\s>]+)\s*>|<([^\s/>]+)((?:"[^"]*"|'[^']*'|[^"'>])*?)(\/?)>|([^<]+)/gu

/** Makes an element. */
export function element(name: string, content: XmlContent, attributes: XmlElement['attributes'] = {}): XmlElement {
  const isText = typeof content === 'string' || typeof content === 'number'
  return {
    name,
    attributes,
    text: isText ? String(content) : '',
    children: isText ? [] : content.filter((child) => child !== undefined),
  }
}

/** Makes elements of the fields of an object, in their order; those that are undefined are left out. */
export function elementsOf(fields: Readonly<Record<string, XmlContent | undefined>>): XmlElement[] {
  return Object.entries(fields).flatMap(([name, content]) => (content === undefined ? [] : [element(name, content)]))
}

/** Writes an element, a line for each. */
export function serializeXml({ name, attributes, text, children }: XmlElement): string {
  const fields = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  const start = `<${name}${fields.join('')}>`
  if (children.length === 0) return `${start}${escapeXml(text)}</${name}>\r\n`
  return `${start}\r\n${children.map(serializeXml).join('')}</${name}>\r\n`
}

/**
 * Reads a document and returns its outermost element.
 * @throws {MalformedError} when elements don't nest, or there are too many.
 */
export function parseXml(text: string): XmlElement {
  type Open = { name: string; attributes: Record<string, string>; text: string; children: XmlElement[] }
  const root: Open = { name: '', attributes: {}, text: '', children: [] }
  const open: Open[] = [root]
  let count = 0
  for (const [, plain, end, start, attributes = '', slash, characters] of text.matchAll(TOKEN)) {
    const current = open.at(-1) ?? root
    if (plain !== undefined) current.text += plain
    else if (characters !== undefined) current.text += unescapeXml(characters)
    else if (start !== undefined) {
      count += 1
      if (count > XML_MAX_ELEMENTS || open.length > XML_MAX_DEPTH) throw new MalformedError('too many elements')
      const begun: Open = { name: start, attributes: parseAttributes(attributes), text: '', children: [] }
      if (slash === '/') current.children.push(begun)
      else open.push(begun)
    } else if (end !== undefined) {
      if (open.length === 1 || current.name !== end) throw new MalformedError(`an end of ${current.name} is missing`)
      open.pop()
      open.at(-1)?.children.push({ ...current, text: current.text.trim() })
    }
  }
  const [outermost] = root.children
  if (open.length !== 1 || outermost === undefined) throw new MalformedError('a document that has no end')
  return outermost
}

/** The text of the first child of a name; undefined where there is none. */
export function textOf({ children }: XmlElement, name: string): string | undefined {
  return children.find((child) => child.name === name)?.text
}

function parseAttributes(text: string): Record<string, string> {
  const found = text.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gu)
  return Object.fromEntries(
    [...found].map(([, name = '', first, second]) => [name, unescapeXml(first ?? second ?? '')]),
  )
}

function escapeXml(text: string): string {
  return text.replaceAll(/[<>&"]/gu, (character) => ESCAPES[character] ?? character)
}

function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/giu,
    (whole, decimal, hex, name: string | undefined) => {
      if (name !== undefined) return ENTITIES[name] ?? whole
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10_ffff ? String.fromCodePoint(code) : whole
    },
  )
}
