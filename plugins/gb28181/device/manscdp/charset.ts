/** The charsets of bodies: GB/T 28181-2016 names GB2312, the one of 2022 GB18030; some devices send UTF-8. */
export type Charset = 'GB2312' | 'GB18030' | 'UTF-8'

const FIRST_LEAD = 0x81
const LAST_LEAD = 0xfe
const FIRST_TRAIL = 0x40
const UNKNOWN = Buffer.from('?')
/** GB2312 is rows and columns from here on. */
const FIRST_GB2312 = 0xa1
const LAST_GB2312_LEAD = 0xf7
/** The numbers of four bytes, of 126, 10, 126 and 10 values: those of the first plane, and where the others begin. */
const FIRST_PLANE_NUMBERS = 39_420
const FURTHER_PLANES_NUMBER = 189_000
const FIRST_PLANE_SIZE = 0x1_0000

let table: ReadonlyMap<string, Buffer> | undefined

/** Text in a charset. What that has no bytes for is written as `?`. */
export function encodeText(text: string, charset: Charset): Buffer {
  if (charset === 'UTF-8') return Buffer.from(text)
  return Buffer.concat(Array.from(text, (character) => bytesOf(character, charset)))
}

/** Text of bytes, by the charset that an XML declaration in them names; UTF-8 without one. */
export function decodeText(bytes: Buffer): string {
  const [, declared = ''] =
    /^\s*<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/iu.exec(bytes.toString('latin1', 0, 200)) ?? []
  const isChinese = /^(?:gb|hz)/iu.test(declared)
  return new TextDecoder(isChinese ? 'gb18030' : 'utf-8').decode(bytes)
}

function bytesOf(character: string, charset: Charset): Buffer {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return Buffer.of(code)
  table ??= makeTable()
  const bytes = table.get(character)
  if (charset === 'GB2312') return bytes !== undefined && isGb2312(bytes) ? bytes : UNKNOWN
  return bytes ?? (code < FIRST_PLANE_SIZE ? UNKNOWN : fourBytes(code - FIRST_PLANE_SIZE + FURTHER_PLANES_NUMBER))
}

/** The bytes of the characters of the first plane, made from what this process can read. */
function makeTable(): ReadonlyMap<string, Buffer> {
  const decoder = new TextDecoder('gb18030')
  const made = new Map<string, Buffer>()
  const add = (bytes: Buffer) => {
    const character = decoder.decode(bytes)
    if (character.length === 1 && character !== '\uFFFD' && !made.has(character)) made.set(character, bytes)
  }
  for (let lead = FIRST_LEAD; lead <= LAST_LEAD; lead++) {
    for (let trail = FIRST_TRAIL; trail <= LAST_LEAD; trail++) if (trail !== 0x7f) add(Buffer.of(lead, trail))
  }
  for (let number = 0; number < FIRST_PLANE_NUMBERS; number++) add(fourBytes(number))
  return made
}

function isGb2312(bytes: Buffer): boolean {
  const [lead = 0, trail = 0] = bytes
  const isRow = lead >= FIRST_GB2312 && lead <= LAST_GB2312_LEAD && trail >= FIRST_GB2312
  return isRow && bytes.length === 2
}

function fourBytes(number: number): Buffer {
  const [first, second] = [Math.floor(number / 12_600), Math.floor(number / 1260) % 10]
  return Buffer.of(
    FIRST_LEAD + first,
    0x30 + second,
    FIRST_LEAD + (Math.floor(number / 10) % 126),
    0x30 + (number % 10),
  )
}
