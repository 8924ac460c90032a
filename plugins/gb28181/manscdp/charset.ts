import { isAscii, isUtf8 } from 'node:buffer'
import iconv from 'iconv-lite'

/** The charsets of bodies: GB2312 by the standard of 2016, GB18030 by that of 2022, and UTF-8 as many devices send it. */
export type GbCharset = 'GB2312' | 'GB18030' | 'UTF-8'

/** The declaration stands at the beginning, but for what some devices send before it. */
const MAX_DECLARATION_BYTES = 256
const DECLARATION = /<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)["']/iu
const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf])
const UTF16_MARKS = [
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
] as const

/** Characters that take three bytes or more in UTF-8, as all Chinese ones do. */
const WIDE = /[\u0800-\uFFFC\u{10000}-\u{10FFFF}]/u
const ALL_WIDE = new RegExp(WIDE, 'gu')
const REPLACEMENT = /\uFFFD/gu

/**
 * Reads the text of a body. Bytes that can only be UTF-8 are read as such, and bytes that can't as GB18030, which includes GB2312
 * and GBK, whatever the XML declares: on many devices the declaration is a constant. Where bytes are both, as short names can be,
 * the declaration decides, then `preferred`, then UTF-8. A character that is cut off, as devices do it with long names, costs no
 * more than itself.
 * @param preferred the setting of the device
 */
export function decodeGbText(bytes: Buffer, preferred?: GbCharset): string {
  for (const [mark, encoding] of UTF16_MARKS) {
    if (startsWith(bytes, mark)) return new TextDecoder(encoding).decode(bytes)
  }
  if (startsWith(bytes, UTF8_MARK)) return bytes.toString('utf8', UTF8_MARK.length)
  if (isAscii(bytes)) return bytes.toString('latin1')
  const text = bytes.toString('utf8')
  return isRead(text, bytes, preferred) ? text : new TextDecoder('gb18030').decode(bytes)
}

/**
 * Writes a text. GB2312 is written as GB18030, whose bytes are the same for all that GB2312 has: so a character that it lacks, as of
 * many a place's name, comes to devices that know more than they say, and nothing becomes a question mark.
 */
export function encodeGbText(text: string, charset: GbCharset): Buffer {
  return charset === 'UTF-8' ? Buffer.from(text) : iconv.encode(text, 'gb18030')
}

/** True when a text that bytes are in UTF-8 is what they mean. */
function isRead(text: string, bytes: Buffer, preferred: GbCharset | undefined): boolean {
  // Two bytes of GB are seldom one character of UTF-8, and still more seldom a part of a wide one.
  if (!isUtf8(bytes)) return (text.match(ALL_WIDE)?.length ?? 0) > (text.match(REPLACEMENT)?.length ?? 0)
  return WIDE.test(text) || (declaredIn(bytes) ?? preferred ?? 'UTF-8') === 'UTF-8'
}

function declaredIn(bytes: Buffer): GbCharset | undefined {
  const name = DECLARATION.exec(bytes.toString('latin1', 0, MAX_DECLARATION_BYTES))?.[1]
  if (name === undefined) return undefined
  if (/^utf-?8$/iu.test(name)) return 'UTF-8'
  return /^(?:gb|cp936|ms936)/iu.test(name) ? 'GB18030' : undefined
}

function startsWith(bytes: Buffer, mark: Buffer): boolean {
  return bytes.subarray(0, mark.length).equals(mark)
}
