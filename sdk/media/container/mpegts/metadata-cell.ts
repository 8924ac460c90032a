import { MalformedError } from '../../errors.ts'

const HEADER_SIZE_BYTES = 5
const MAX_CELL_SIZE_BYTES = 0xffff
const RANDOM_ACCESS = 0x10
const RESERVED_BITS = 0x0f
const WHOLE = 3

/**
 * A cell of an access unit of metadata (ISO/IEC 13818-1 2.12.4):
 *
 *     metadata service id (8) | sequence number (8) | fragment (2) | decoder configuration (1) | random access (1)
 *     | reserved (4) | length of the data (16) | data
 */
export type MetadataCell = {
  /** The cell has the first part of a unit, and the last one: all of it where both are so. */
  readonly isFirst: boolean
  readonly isLast: boolean
  /** A view. */
  readonly data: Buffer
}

/** Parses the cells of a PES packet. @throws {MalformedError} when one ends early. */
export function parseMetadataCells(bytes: Buffer): MetadataCell[] {
  const cells: MetadataCell[] = []
  for (let offset = 0; offset < bytes.length;) {
    const start = offset + HEADER_SIZE_BYTES
    const end = start <= bytes.length ? start + bytes.readUInt16BE(offset + 3) : Infinity
    if (end > bytes.length) throw new MalformedError(`cell of metadata at byte ${offset} of ${bytes.length} cut off`)
    const fragment = bytes[offset + 2]! >> 6
    cells.push({ isFirst: (fragment & 2) !== 0, isLast: (fragment & 1) !== 0, data: bytes.subarray(start, end) })
    offset = end
  }
  return cells
}

/**
 * Serializes what goes before a unit of service 0 in a cell of its own.
 * @throws {MalformedError} when the unit does not fit one.
 */
export function serializeMetadataCellHeader(sequence: number, dataSizeBytes: number): Buffer {
  if (dataSizeBytes > MAX_CELL_SIZE_BYTES) {
    throw new MalformedError(`unit of ${dataSizeBytes} bytes does not fit a cell of metadata`)
  }
  const bytes = Buffer.alloc(HEADER_SIZE_BYTES)
  bytes[1] = sequence
  bytes[2] = (WHOLE << 6) | RANDOM_ACCESS | RESERVED_BITS
  bytes.writeUInt16BE(dataSizeBytes, 3)
  return bytes
}
