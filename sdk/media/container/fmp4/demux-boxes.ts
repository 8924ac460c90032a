import { MalformedError } from '../../errors.ts'

/** Nothing that is read here has as many boxes side by side. */
const MAX_SIBLINGS = 1000

/** A box that was read; the body is a view. */
export type ReadBox = { readonly type: string; readonly body: Buffer }
/** The head of a box: `sizeBytes` is that of the whole, 0 when it reaches to the end of the file. */
export type BoxHead = { readonly type: string; readonly headSizeBytes: number; readonly sizeBytes: number }

/**
 * Reads the head of a box (ISO/IEC 14496-12 4.2); null when it is not all there.
 * @throws {MalformedError} for a size that its own head does not fit in.
 */
export function readBoxHead(bytes: Buffer, offset = 0): BoxHead | null {
  if (bytes.length < offset + 8) return null
  const type = bytes.toString('latin1', offset + 4, offset + 8)
  const short = bytes.readUInt32BE(offset)
  if (short !== 1) return checked({ type, headSizeBytes: 8, sizeBytes: short })
  if (bytes.length < offset + 16) return null
  const sizeBytes = bytes.readUInt32BE(offset + 8) * 2 ** 32 + bytes.readUInt32BE(offset + 12)
  return checked({ type, headSizeBytes: 16, sizeBytes })
}

/**
 * Cuts bytes into the boxes they are made of. What is too short for a box at the end is left out.
 * @throws {MalformedError} when a box reaches past the end, or there are very many.
 */
export function readBoxes(bytes: Buffer): ReadBox[] {
  const boxes: ReadBox[] = []
  for (let offset = 0, head = readBoxHead(bytes); head !== null; head = readBoxHead(bytes, offset)) {
    const sizeBytes = head.sizeBytes === 0 ? bytes.length - offset : head.sizeBytes
    if (offset + sizeBytes > bytes.length || boxes.length === MAX_SIBLINGS) {
      throw new MalformedError(`box '${head.type}' of ${sizeBytes} bytes at byte ${offset} of ${bytes.length}`)
    }
    boxes.push({ type: head.type, body: bytes.subarray(offset + head.headSizeBytes, offset + sizeBytes) })
    offset += sizeBytes
  }
  return boxes
}

/** The body of the first box of a type. */
export function bodyOf(boxes: readonly ReadBox[], type: string): Buffer | undefined {
  return boxes.find((box) => box.type === type)?.body
}

/** The body of a box deep within, by the types on the way to it. @throws {MalformedError} as `readBoxes` */
export function bodyAt(bytes: Buffer, ...path: readonly string[]): Buffer | undefined {
  let body: Buffer | undefined = bytes
  for (const type of path) body = body && bodyOf(readBoxes(body), type)
  return body
}

function checked(head: BoxHead): BoxHead {
  if (head.sizeBytes === 0 || head.sizeBytes >= head.headSizeBytes) return head
  throw new MalformedError(`box '${head.type}' of ${head.sizeBytes} bytes`)
}
