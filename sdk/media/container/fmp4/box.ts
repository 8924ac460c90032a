import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'

const HEADER_SIZE_BYTES = 8
const LARGE_HEADER_SIZE_BYTES = 16
const FULL_HEADER_SIZE_BYTES = 4
const FLAGS_MASK = 0xff_ffff
const MAX_UINT32 = 0xffff_ffff
/** No box that is read here has as many children. */
const MAX_SIBLINGS = 1000

/** A box to be written (ISO/IEC 14496-12 4.2): its own fields, in pieces that follow each other, then its children. */
export type Box = {
  /** Four characters. */
  readonly type: string
  readonly contents?: readonly Buffer[]
  readonly children?: readonly Box[]
}

/** A box that was read; the body is a view of its fields and children. */
export type ParsedBox = { readonly type: string; readonly body: Buffer }

/** The head of a box: `sizeBytes` is the size of the whole box, 0 when it reaches to the end of the file. */
export type BoxHead = { readonly type: string; readonly headSizeBytes: number; readonly sizeBytes: number }

/** Boxes one after the other, in one new buffer. */
export function serializeBoxes(boxes: readonly Box[]): Buffer {
  let sizeBytes = 0
  for (const box of boxes) sizeBytes += boxSizeBytes(box)
  const out = Buffer.allocUnsafe(sizeBytes)
  writeBoxes(out, 0, boxes)
  return out
}

/** Boxes one after the other, in pieces: their contents are not copied. */
export function boxPieces(boxes: readonly Box[]): Buffer[] {
  return boxes.flatMap((box) => {
    const header = Buffer.allocUnsafe(HEADER_SIZE_BYTES)
    header.writeUInt32BE(boxSizeBytes(box))
    header.write(box.type, 4, 'latin1')
    return [header, ...(box.contents ?? []), ...boxPieces(box.children ?? [])]
  })
}

/**
 * Writes the header of a box with content that is written apart (4.2.2): with a size of 64 bits where one of 32 is too small.
 * @param bodySizeBytes of the content alone
 */
export function serializeBoxHead(type: string, bodySizeBytes: number): Buffer {
  const header = Buffer.alloc(isLargeBody(bodySizeBytes) ? LARGE_HEADER_SIZE_BYTES : HEADER_SIZE_BYTES)
  header.write(type, 4, 'latin1')
  const sizeBytes = header.length + bodySizeBytes
  header.writeUInt32BE(isLargeBody(bodySizeBytes) ? 1 : sizeBytes)
  if (isLargeBody(bodySizeBytes)) header.writeBigUInt64BE(BigInt(sizeBytes), HEADER_SIZE_BYTES)
  return header
}

function isLargeBody(bodySizeBytes: number): boolean {
  return HEADER_SIZE_BYTES + bodySizeBytes > MAX_UINT32
}

/** The size of a box with its header. */
export function boxSizeBytes({ contents = [], children = [] }: Box): number {
  let sizeBytes = HEADER_SIZE_BYTES
  for (const piece of contents) sizeBytes += piece.length
  for (const child of children) sizeBytes += boxSizeBytes(child)
  return sizeBytes
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

/**
 * Cuts bytes into the boxes they are made of. Bytes at the end that are too few for a box are left out.
 * @throws {MalformedError} when a box reaches past the end, or there are more than {@link MAX_SIBLINGS}.
 */
export function parseBoxes(bytes: Buffer): ParsedBox[] {
  const boxes: ParsedBox[] = []
  for (let offset = 0, head = parseBoxHead(bytes); head !== null; head = parseBoxHead(bytes, offset)) {
    const sizeBytes = head.sizeBytes === 0 ? bytes.length - offset : head.sizeBytes
    if (offset + sizeBytes > bytes.length || boxes.length === MAX_SIBLINGS) {
      throw new MalformedError(`box '${head.type}' of ${sizeBytes} bytes at byte ${offset} of ${bytes.length}`)
    }
    boxes.push({ type: head.type, body: bytes.subarray(offset + head.headSizeBytes, offset + sizeBytes) })
    offset += sizeBytes
  }
  return boxes
}

/**
 * Parses the head of a box; null when it is not all there.
 * @throws {MalformedError} for a size that its own head does not fit in.
 */
export function parseBoxHead(bytes: Buffer, offset = 0): BoxHead | null {
  if (bytes.length < offset + HEADER_SIZE_BYTES) return null
  const type = bytes.toString('latin1', offset + 4, offset + HEADER_SIZE_BYTES)
  const shortSizeBytes = bytes.readUInt32BE(offset)
  if (shortSizeBytes !== 1) return checkedHead({ type, headSizeBytes: HEADER_SIZE_BYTES, sizeBytes: shortSizeBytes })
  if (bytes.length < offset + LARGE_HEADER_SIZE_BYTES) return null
  const sizeBytes = bytes.readUInt32BE(offset + 8) * 2 ** 32 + bytes.readUInt32BE(offset + 12)
  return checkedHead({ type, headSizeBytes: LARGE_HEADER_SIZE_BYTES, sizeBytes })
}

function checkedHead(head: BoxHead): BoxHead {
  if (head.sizeBytes === 0 || head.sizeBytes >= head.headSizeBytes) return head
  throw new MalformedError(`box '${head.type}' of ${head.sizeBytes} bytes`)
}

/** The body of the first box of a type. */
export function bodyOf(boxes: readonly ParsedBox[], type: string): Buffer | undefined {
  return boxes.find((box) => box.type === type)?.body
}

/** The body of a box deep within, by the types on the way to it. @throws {MalformedError} as `parseBoxes`. */
export function bodyAt(bytes: Buffer, ...path: readonly string[]): Buffer | undefined {
  let body: Buffer | undefined = bytes
  for (const type of path) body = body && bodyOf(parseBoxes(body), type)
  return body
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

/**
 * Reads the version and flags that a full box begins with; `fields` goes on behind them.
 * @throws {MalformedError} when they are not there.
 */
export function parseFullBox(body: Buffer): { version: number; flags: number; fields: ByteReader } {
  const fields = new ByteReader(body)
  const head = fields.readUint(FULL_HEADER_SIZE_BYTES)
  return { version: head >>> 24, flags: head & FLAGS_MASK, fields }
}
