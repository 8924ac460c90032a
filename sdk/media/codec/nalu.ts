import { MalformedError } from '../errors.ts'

/** More than ten times the largest keyframe of common 8K streams. */
export const MAX_ACCESS_UNIT_SIZE_BYTES = 16 * 1024 * 1024
/** H.265 allows 600 slice segments a picture (ISO/IEC 23008-2 A.4.1); the rest is room for SEI messages. */
export const MAX_NALUS_PER_ACCESS_UNIT = 1000

const SHORT_START_CODE = Buffer.from([0, 0, 1])
const START_CODE = Buffer.from([0, 0, 0, 1])

/**
 * Cuts a byte stream with start codes of 3 or 4 bytes (ISO/IEC 14496-10 Annex B) into NAL units.
 * The units are views. Bytes before the first start code, zeros around start codes and empty units are dropped.
 * @throws {MalformedError} when there are bytes but no start code, or when a limit is passed.
 */
export function splitAnnexB(bytes: Buffer): Buffer[] {
  checkSize(bytes)
  const nalus: Buffer[] = []
  let startCode = bytes.indexOf(SHORT_START_CODE)
  if (startCode < 0 && bytes.length > 0) throw new MalformedError(`no start code within ${bytes.length} bytes`)
  while (startCode >= 0) {
    const start = startCode + SHORT_START_CODE.length
    startCode = bytes.indexOf(SHORT_START_CODE, start)
    // A NAL unit never ends in a zero byte: those belong to a longer start code or are trailing zeros (B.1.1).
    let end = startCode < 0 ? bytes.length : startCode
    while (end > start && bytes[end - 1] === 0) end -= 1
    if (end > start) pushNalu(nalus, bytes.subarray(start, end))
  }
  return nalus
}

/**
 * Cuts NAL units with lengths before them (ISO/IEC 14496-15 4.3.3.2). The units are views; empty ones are dropped.
 * @param lengthSize Bytes of a length, 1 to 4: `lengthSize` of the configuration record.
 * @throws {MalformedError} when a length points outside the bytes, or when a limit is passed.
 */
export function splitLengthPrefixed(bytes: Buffer, lengthSize = 4): Buffer[] {
  checkSize(bytes)
  const nalus: Buffer[] = []
  let offset = 0
  while (offset < bytes.length) {
    const start = offset + lengthSize
    if (start > bytes.length) throw new MalformedError(`NAL unit length cut off at byte ${offset} of ${bytes.length}`)
    const size = bytes.readUIntBE(offset, lengthSize)
    if (size > bytes.length - start) {
      throw new MalformedError(`NAL unit of ${size} bytes at byte ${offset}, but only ${bytes.length - start} follow`)
    }
    offset = start + size
    if (size > 0) pushNalu(nalus, bytes.subarray(start, offset))
  }
  return nalus
}

/** NAL units with a 4-byte start code before each, in one new buffer. */
export function joinAnnexB(nalus: readonly Buffer[]): Buffer {
  const bytes = Buffer.allocUnsafe(joinedSize(nalus))
  let offset = 0
  for (const nalu of nalus) {
    offset += START_CODE.copy(bytes, offset)
    offset += nalu.copy(bytes, offset)
  }
  return bytes
}

/** NAL units with a 4-byte length before each, in one new buffer. */
export function joinLengthPrefixed(nalus: readonly Buffer[]): Buffer {
  const bytes = Buffer.allocUnsafe(joinedSize(nalus))
  let offset = 0
  for (const nalu of nalus) {
    offset = bytes.writeUInt32BE(nalu.length, offset)
    offset += nalu.copy(bytes, offset)
  }
  return bytes
}

function joinedSize(nalus: readonly Buffer[]): number {
  let size = 0
  for (const nalu of nalus) size += 4 + nalu.length
  return size
}

function pushNalu(nalus: Buffer[], nalu: Buffer): void {
  if (nalus.length === MAX_NALUS_PER_ACCESS_UNIT) {
    throw new MalformedError(`access unit of more than ${MAX_NALUS_PER_ACCESS_UNIT} NAL units`)
  }
  nalus.push(nalu)
}

function checkSize(bytes: Buffer): void {
  if (bytes.length > MAX_ACCESS_UNIT_SIZE_BYTES) {
    throw new MalformedError(`access unit of ${bytes.length} bytes, above ${MAX_ACCESS_UNIT_SIZE_BYTES}`)
  }
}
