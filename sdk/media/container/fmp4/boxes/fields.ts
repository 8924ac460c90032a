import type { ByteReader } from '../../../bits/byte-reader.ts'
import { MalformedError } from '../../../errors.ts'

/** Fields of one byte each. */
export function uint8(...values: readonly number[]): Buffer {
  return Buffer.from(values)
}

/** Fields of two bytes each. */
export function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 2)
  let offset = 0
  for (const value of values) offset = bytes.writeUInt16BE(value, offset)
  return bytes
}

/** Fields of four bytes each. */
export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(values.length * 4)
  let offset = 0
  for (const value of values) offset = bytes.writeUInt32BE(value, offset)
  return bytes
}

/** A field of eight bytes. @throws {RangeError} for a value below 0. */
export function uint64(value: number): Buffer {
  return uint32(Math.floor(value / 2 ** 32), value % 2 ** 32)
}

/** Reads a field of eight bytes. @throws {MalformedError} past the end, and for a number that is no safe integer. */
export function readUint64(fields: ByteReader): number {
  return checkedSafe(fields.readUint(4) * 2 ** 32 + fields.readUint(4))
}

/** Reads a signed field of four bytes. @throws {MalformedError} past the end. */
export function readInt32(fields: ByteReader): number {
  return fields.readUint(4) | 0
}

/** Reads a signed field of eight bytes. @throws {MalformedError} past the end, and for a number that is no safe integer. */
export function readInt64(fields: ByteReader): number {
  return checkedSafe(readInt32(fields) * 2 ** 32 + fields.readUint(4))
}

function checkedSafe(value: number): number {
  if (!Number.isSafeInteger(value)) throw new MalformedError(`64-bit field of ${value}`)
  return value
}

/** Signed in edit lists, of which all four boxes keep to the same limit. */
const MAX_SHORT_TIME = 0x7fff_ffff

/** One, in fixed point with 16 bits behind the point. */
export const FIXED_ONE = 0x0001_0000
/** The transformation that changes nothing (ISO/IEC 14496-12 6.2.2). */
export const UNITY_MATRIX = uint32(FIXED_ONE, 0, 0, 0, FIXED_ONE, 0, 0, 0, 0x4000_0000)

/** Returns the bytes of a date, or of a duration of the whole, in `mvhd`, `tkhd` and `mdhd` of a version. */
export function timeSizeBytes(version: number): number {
  return version === 1 ? 8 : 4
}

/** The version of `mvhd`, `tkhd`, `mdhd` and `elst` that times have room in. */
export function timeVersion(...times: readonly number[]): 0 | 1 {
  return times.some((time) => time > MAX_SHORT_TIME) ? 1 : 0
}

/** Dates or durations in a version. @throws {RangeError} for one below 0, or that the version has no room for. */
export function timeFields(version: 0 | 1, ...times: readonly number[]): Buffer {
  return version === 0 ? uint32(...times) : Buffer.concat(times.map(uint64))
}
