/** The characters that XML 1.0 does not have (2.2): most control characters, and halves of surrogate pairs. */
const NO_CHARACTER = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu
const MARKUP = /[&<>]/gu
const REFERENCE = /&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/giu
const MAX_CODE_POINT = 0x10_ffff

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
])
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Writes a text between tags. What XML can't hold is left out. */
export function escapeXmlText(text: string): string {
  return text.replace(NO_CHARACTER, '').replace(MARKUP, (character) => ESCAPES.get(character)!)
}

/**
 * Reads a text between tags: the five references that XML itself has, and numbers of characters. An `&` that begins none of these
 * stands for itself. What XML can't hold is left out.
 */
export function unescapeXmlText(text: string): string {
  const plain = text.includes('&') ? text.replace(REFERENCE, referenced) : text
  return plain.replace(NO_CHARACTER, '')
}

function referenced(_all: string, name?: string, decimal?: string, hex?: string): string {
  if (name !== undefined) return NAMED.get(name.toLowerCase())!
  const codePoint = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal)
  return codePoint <= MAX_CODE_POINT ? String.fromCodePoint(codePoint) : ''
}
