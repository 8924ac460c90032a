import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { MalformedError } from 'sluice/sdk/media'
import { MAX_DEPTH, mendXml } from './mended-xml.ts'
import { unescapeXmlText } from './xml-text.ts'

/** The longest text that is read, and the most tags in it: a page of a thousand items has about 50,000. */
export const MAX_TEXT_LENGTH = 1024 * 1024
export const MAX_TAGS = 100_000

const TEXT = '#text'
const CDATA = '#cdata'
const START = /<(?:\?xml\s|[A-Za-z_])/u
/** The declarations that entity bombs are made of. No message of the standard has any. */
const DECLARED_TYPE = /<!(?:doctype|entity)/iu

/** Entities are left to this file, which knows those of XML itself and no other. */
const PARSER = new XMLParser({
  preserveOrder: true,
  parseTagValue: false,
  ignoreAttributes: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  processEntities: false,
  cdataPropName: CDATA,
  // The path of each element as a text would take half the time, and nothing here asks for it.
  jPath: false,
  maxNestedTags: MAX_DEPTH,
})

/** An element of a message, with access as lenient as devices need it: names are found in any case, and all texts are trimmed. */
export class XmlElement {
  readonly name: string
  /** Its own text, trimmed; empty without one. */
  readonly value: string
  readonly children: readonly XmlElement[]
  readonly #key: string

  constructor(name: string, value: string, children: readonly XmlElement[]) {
    this.name = name
    this.value = value.trim()
    this.children = children
    this.#key = name.toLowerCase()
  }

  /** The first element of a name within it; undefined without one. */
  child(name: string): XmlElement | undefined {
    const key = name.toLowerCase()
    return this.children.find((child) => child.#key === key)
  }

  /** All elements of a name within it, in their order. */
  all(name: string): XmlElement[] {
    const key = name.toLowerCase()
    return this.children.filter((child) => child.#key === key)
  }

  /** The text of the first element of a name that has one; undefined without. */
  text(name: string): string | undefined {
    const key = name.toLowerCase()
    return this.children.find((child) => child.#key === key && child.value !== '')?.value
  }

  /** The number with which the text of an element begins, whatever unit follows; undefined where it begins with none. */
  number(name: string): number | undefined {
    const digits = /^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})/u.exec(this.text(name) ?? '')?.[0]
    return digits === undefined ? undefined : Number(digits)
  }

  /** A number without what follows its point. */
  integer(name: string): number | undefined {
    const number = this.number(name)
    // Adding 0 makes 0 of −0.
    return number === undefined ? undefined : Math.trunc(number) + 0
  }
}

/**
 * Reads XML as devices write it, and returns its root. What is broken is mended as far as it goes; attributes are not read.
 * @throws {MalformedError} when it has no element, declares a document type, or is too long, too deep or of too many tags
 */
export function parseXml(text: string): XmlElement {
  if (text.length > MAX_TEXT_LENGTH) throw new MalformedError(`XML of more than ${MAX_TEXT_LENGTH} characters`)
  if (DECLARED_TYPE.test(text)) throw new MalformedError('XML with a document type')
  const from = text.search(START)
  if (from < 0) throw new MalformedError('XML without an element')
  const xml = text.slice(from, endOf(text))
  if (hasManyTags(xml)) throw new MalformedError(`XML of more than ${MAX_TAGS} tags`)
  const nodes = nodesOf(XMLValidator.validate(xml) === true ? xml : mendXml(xml))
  const root = contentOf(nodes).children.at(0)
  if (root === undefined) throw new MalformedError('XML without an element')
  return root
}

/** An element by its name, with what it contains, or a text. */
type Node = { readonly [name: string]: string | readonly Node[] }

function nodesOf(xml: string): readonly Node[] {
  try {
    return PARSER.parse(xml)
  } catch (cause) {
    throw new MalformedError(`XML that can't be read: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

function contentOf(nodes: readonly Node[]) {
  let text = ''
  const children: XmlElement[] = []
  for (const node of nodes) {
    for (const [name, content] of Object.entries(node)) {
      if (typeof content === 'string') text += unescapeXmlText(content)
      else if (name === CDATA)
        text += content.flatMap(({ [TEXT]: part }) => (typeof part === 'string' ? part : [])).join('')
      else children.push(elementOf(name, content))
    }
  }
  return { text, children }
}

function elementOf(name: string, nodes: readonly Node[]): XmlElement {
  const { text, children } = contentOf(nodes)
  return new XmlElement(name, text, children)
}

/** The end of the text, without the zeros with which programs in C end theirs. */
function endOf(text: string): number {
  let end = text.length
  while (text[end - 1] === '\0') end -= 1
  return end
}

function hasManyTags(xml: string): boolean {
  let count = 0
  for (let at = xml.indexOf('<'); at >= 0; at = xml.indexOf('<', at + 1)) count += 1
  return count > MAX_TAGS
}
