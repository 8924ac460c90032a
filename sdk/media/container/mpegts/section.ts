import { MalformedError } from '../../errors.ts'
import { mpegCrc32 } from '../pes/crc32.ts'

/** `section_length` of program tables has 10 bits and stays below 1022 (ISO/IEC 13818-1 2.4.4.5). */
const TS_MAX_SECTION_SIZE_BYTES = 1024

const LENGTH_END_BYTES = 3
const HEADER_SIZE_BYTES = 8
const CRC_SIZE_BYTES = 4
/** The byte that fills a packet behind its last section. */
export const TS_SECTION_STUFFING = 0xff

/**
 * A section of the long form (2.4.4.10):
 *
 *     table id (8) | 1 | 0 | reserved (2) | length of the rest (12) | table id extension (16) | reserved (2)
 *     | version (5) | current (1) | section number (8) | last section number (8) | body | CRC (32)
 */
export type TsSection = {
  readonly tableId: number
  /** The id of the transport stream in a PAT, of the program in a PMT. */
  readonly tableIdExtension: number
  readonly version: number
  /** The section holds now; false when it announces a later one. */
  readonly current: boolean
  readonly body: Buffer
}

/** Parses a section; its body is a view. @throws {MalformedError} when its size or checksum is wrong. */
export function parseTsSection(bytes: Buffer): TsSection {
  if (bytes.length < HEADER_SIZE_BYTES + CRC_SIZE_BYTES || sectionSize(bytes) !== bytes.length) {
    throw new MalformedError(`MPEG-TS section cut off at ${bytes.length} bytes`)
  }
  if (mpegCrc32(bytes) !== 0) throw new MalformedError(`MPEG-TS section of table ${bytes[0]} with a wrong checksum`)
  return {
    tableId: bytes[0]!,
    tableIdExtension: bytes.readUInt16BE(3),
    version: (bytes[5]! >> 1) & 31,
    current: (bytes[5]! & 1) === 1,
    body: bytes.subarray(HEADER_SIZE_BYTES, -CRC_SIZE_BYTES),
  }
}

/** Serializes the only section of a table. @throws {RangeError} when the body is too long for one. */
export function serializeTsSection({ tableId, tableIdExtension, version, current, body }: TsSection): Buffer {
  const sizeBytes = HEADER_SIZE_BYTES + body.length + CRC_SIZE_BYTES
  if (sizeBytes > TS_MAX_SECTION_SIZE_BYTES) throw new RangeError(`MPEG-TS section of ${sizeBytes} bytes`)
  const bytes = Buffer.alloc(sizeBytes)
  bytes[0] = tableId
  bytes.writeUInt16BE(0xb000 | (sizeBytes - LENGTH_END_BYTES), 1)
  bytes.writeUInt16BE(tableIdExtension, 3)
  bytes[5] = 0xc0 | (version << 1) | (current ? 1 : 0)
  body.copy(bytes, HEADER_SIZE_BYTES)
  bytes.writeUInt32BE(mpegCrc32(bytes.subarray(0, -CRC_SIZE_BYTES)), sizeBytes - CRC_SIZE_BYTES)
  return bytes
}

/** Puts the sections of one PID together from the payloads of its packets. */
export class TsSectionReader {
  readonly #maxSizeBytes: number
  #pending: Buffer = Buffer.alloc(0)
  /** True when the next byte lies within a section, or at a place where one may begin. */
  #open = false

  /** @param maxSizeBytes The size of the largest section; what follows a larger one is not read up to the next start. */
  constructor(maxSizeBytes: number = TS_MAX_SECTION_SIZE_BYTES) {
    this.#maxSizeBytes = maxSizeBytes
  }

  /** Gives the sections that this payload completes, unchecked. They may be views into it. */
  push(payload: Buffer, unitStart: boolean): Buffer[] {
    if (!unitStart) return this.#open ? this.#read(payload) : []
    const start = 1 + (payload[0] ?? 0)
    const sections = this.#open ? this.#read(payload.subarray(1, start)) : []
    this.#pending = Buffer.alloc(0)
    this.#open = true
    return [...sections, ...this.#read(payload.subarray(start))]
  }

  /** Drops the section that has begun, as bytes of it are lost. */
  reset(): void {
    this.#open = false
  }

  #read(bytes: Buffer): Buffer[] {
    const whole = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    const sections: Buffer[] = []
    let offset = 0
    while (whole.length - offset >= LENGTH_END_BYTES) {
      const sizeBytes = sectionSize(whole, offset)
      if (whole[offset] === TS_SECTION_STUFFING || sizeBytes > this.#maxSizeBytes) {
        this.#open = false
        return sections
      }
      if (whole.length - offset < sizeBytes) break
      sections.push(whole.subarray(offset, offset + sizeBytes))
      offset += sizeBytes
    }
    this.#pending = Buffer.from(whole.subarray(offset))
    return sections
  }
}

/** The size of the section that begins at an offset, where three bytes must be there. */
export function sectionSize(bytes: Buffer, offset = 0): number {
  return LENGTH_END_BYTES + (bytes.readUInt16BE(offset + 1) & 0xfff)
}
