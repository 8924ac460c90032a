const HEADER_SIZE_BYTES = 8
const FULL_HEADER_SIZE_BYTES = 4

/** A box (ISO/IEC 14496-12 4.2): its own fields, in pieces that follow each other, then the boxes within it. */
export type Box = {
  /** Four characters. */
  readonly type: string
  readonly contents?: readonly Buffer[]
  readonly children?: readonly Box[]
}

/** A box that begins with a version and flags. */
export function fullBox(
  type: string,
  version: number,
  flags: number,
  contents: readonly Buffer[] = [],
  children: readonly Box[] = [],
): Box {
  const head = Buffer.allocUnsafe(FULL_HEADER_SIZE_BYTES)
  head.writeUInt32BE(version * 2 ** 24 + flags)
  return { type, contents: [head, ...contents], children }
}

/** Of the box with its header. */
export function boxSizeBytes({ contents = [], children = [] }: Box): number {
  let sizeBytes = HEADER_SIZE_BYTES
  for (const piece of contents) sizeBytes += piece.length
  for (const child of children) sizeBytes += boxSizeBytes(child)
  return sizeBytes
}

/** Boxes one after the other, in one new buffer. */
export function serializeBoxes(boxes: readonly Box[]): Buffer {
  let sizeBytes = 0
  for (const box of boxes) sizeBytes += boxSizeBytes(box)
  const out = Buffer.allocUnsafe(sizeBytes)
  writeBoxes(out, 0, boxes)
  return out
}

function writeBoxes(out: Buffer, offset: number, boxes: readonly Box[]): number {
  let position = offset
  for (const box of boxes) {
    const start = position
    position += HEADER_SIZE_BYTES
    for (const piece of box.contents ?? []) position += piece.copy(out, position)
    position = writeBoxes(out, position, box.children ?? [])
    out.writeUInt32BE(position - start, start)
    out.write(box.type, start + 4, 'latin1')
  }
  return position
}

/** Fields of one byte each. */
export function uint8(...values: readonly number[]): Buffer {
  return Buffer.from(values)
}

export function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2)
  return bytes
}

export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

/** @throws {RangeError} below 0. */
export function uint64(value: number): Buffer {
  return uint32(Math.floor(value / 2 ** 32), value % 2 ** 32)
}
