import { MalformedError } from '../../errors.ts'
import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../nalu.ts'

/** Types of open bitstream units (AV1 specification 6.2.2). */
export const AV1_OBU_TYPE = {
  SEQUENCE_HEADER: 1,
  TEMPORAL_DELIMITER: 2,
  FRAME_HEADER: 3,
  TILE_GROUP: 4,
  METADATA: 5,
  FRAME: 6,
  REDUNDANT_FRAME_HEADER: 7,
  TILE_LIST: 8,
  PADDING: 15,
} as const

/** One open bitstream unit (AV1 specification 5.3). The bytes are views. */
export type Av1Obu = {
  readonly type: number
  /** Its one or two header bytes. */
  readonly header: Buffer
  readonly payload: Buffer
}

/** A temporal unit has a few headers and, for each layer, tiles in a few groups: encoders write one or two. */
export const MAX_OBUS_PER_TEMPORAL_UNIT = 1000

const MAX_LEB128_SIZE_BYTES = 8
const FORBIDDEN = 0x80
const EXTENSION = 0x04
const HAS_SIZE = 0x02

/**
 * Cuts a temporal unit into its units. One without a size reaches to the end.
 * @throws {MalformedError} when a size points outside the bytes, or when a limit is passed.
 */
export function splitObus(temporalUnit: Buffer): Av1Obu[] {
  if (temporalUnit.length > MAX_ACCESS_UNIT_SIZE_BYTES) {
    throw new MalformedError(`temporal unit of ${temporalUnit.length} bytes, above ${MAX_ACCESS_UNIT_SIZE_BYTES}`)
  }
  const obus: Av1Obu[] = []
  for (let offset = 0; offset < temporalUnit.length;) {
    if (obus.length === MAX_OBUS_PER_TEMPORAL_UNIT) {
      throw new MalformedError(`temporal unit of more than ${MAX_OBUS_PER_TEMPORAL_UNIT} OBUs`)
    }
    const { obu, end } = readObu(temporalUnit, offset)
    obus.push(obu)
    offset = end
  }
  return obus
}

function readObu(bytes: Buffer, offset: number): { obu: Av1Obu; end: number } {
  const head = bytes[offset]!
  if ((head & FORBIDDEN) !== 0) throw new MalformedError(`OBU header ${head.toString(16)} at byte ${offset}`)
  const headerEnd = offset + ((head & EXTENSION) === 0 ? 1 : 2)
  if (headerEnd > bytes.length) throw new MalformedError(`OBU header cut off at byte ${offset}`)
  let start = headerEnd
  let end = bytes.length
  if ((head & HAS_SIZE) !== 0) {
    const size = readLeb128(bytes, headerEnd)
    start = headerEnd + size.sizeBytes
    end = start + size.value
    if (end > bytes.length) throw new MalformedError(`OBU of ${size.value} bytes at ${offset} of ${bytes.length}`)
  }
  const obu = { type: (head >> 3) & 15, header: bytes.subarray(offset, headerEnd), payload: bytes.subarray(start, end) }
  return { obu, end }
}

/**
 * Reads leb128(): seven bits a byte, lowest first, while the top bit is set (AV1 specification 4.10.5).
 * @throws {MalformedError} when it is cut off or above 2^32 - 1.
 */
export function readLeb128(bytes: Buffer, offset: number): { value: number; sizeBytes: number } {
  let value = 0
  for (let index = 0; index < MAX_LEB128_SIZE_BYTES; index++) {
    const byte = bytes[offset + index]
    if (byte === undefined) throw new MalformedError(`leb128 cut off at byte ${offset}`)
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) {
      if (value >= 2 ** 32) throw new MalformedError(`leb128 of ${value} at byte ${offset}`)
      return { value, sizeBytes: index + 1 }
    }
  }
  throw new MalformedError(`leb128 of more than ${MAX_LEB128_SIZE_BYTES} bytes at byte ${offset}`)
}

/** Units with a size each and without temporal delimiters, as containers store them, in one new buffer. */
export function joinObus(obus: readonly Av1Obu[]): Buffer {
  const parts: Buffer[] = []
  for (const obu of obus) {
    if (obu.type !== AV1_OBU_TYPE.TEMPORAL_DELIMITER) parts.push(sizedObuHeader(obu), obu.payload)
  }
  return Buffer.concat(parts)
}

/** Returns the header and size of a unit with a size, which come before its payload. */
export function sizedObuHeader({ header, payload }: Av1Obu): Buffer {
  return Buffer.from([header[0]! | HAS_SIZE, ...header.subarray(1), ...serializeLeb128(payload.length)])
}

/** Returns the header of a unit without a size, which comes before its payload. */
export function unsizedObuHeader({ header }: Av1Obu): Buffer {
  return (header[0]! & HAS_SIZE) === 0 ? header : Buffer.from([header[0]! & ~HAS_SIZE, ...header.subarray(1)])
}

/** The shortest leb128() of a number of up to 32 bits. */
export function serializeLeb128(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80)
  bytes.push(rest)
  return Buffer.from(bytes)
}
