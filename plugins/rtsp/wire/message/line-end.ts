const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const BLANK = 0x20
const DELETE = 0x7f

/** The place of the first CR or LF, either of which ends a line (RFC 2326 4), or the end of the bytes. */
export function findLineEnd(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1
  return at
}

/** The place of the first control character other than a tab, line ends among them, or the end of the bytes. */
export function findControl(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && !isControl(bytes[at]!)) at += 1
  return at
}

/** The number of bytes of a line end: CR, LF or both; 0 when there is none. */
export function lineEndSize(bytes: Buffer, at: number): number {
  if (bytes[at] === LF) return 1
  if (bytes[at] !== CR) return 0
  return bytes[at + 1] === LF ? 2 : 1
}

/** True when the bytes begin with the second half of a line end. */
export function beginsWithLf(bytes: Buffer): boolean {
  return bytes[0] === LF
}

/** True when the last byte may be the first half of a line end. */
export function endsWithCr(bytes: Buffer): boolean {
  return bytes.at(-1) === CR
}

function isControl(byte: number): boolean {
  return (byte < BLANK && byte !== TAB) || byte === DELETE
}
