import { MalformedError } from '../errors.ts'
import { MAX_NALUS_PER_ACCESS_UNIT, splitAnnexB, splitLengthPrefixed } from './nalu.ts'

/** A last NAL unit that lacks no more than this is whole: its length counts itself, or is one too long. */
const MAX_EXCESS_BYTES = 4

/** Returns true when bytes are NAL units with lengths of 4 bytes before them, to the last byte. */
export function isLengthPrefixed(bytes: Buffer): boolean {
  let offset = 0
  while (offset + 4 <= bytes.length) offset += 4 + bytes.readUInt32BE(offset)
  return offset === bytes.length
}

/**
 * Cuts NAL units with lengths before them of encoders that write them wrong: with bytes behind the last one, with a last
 * length that is too long, or as a byte stream with start codes. Bytes outside NAL units are left out.
 * @throws {MalformedError} when there is not one whole NAL unit, or when a limit is passed
 */
export function recoverNalus(bytes: Buffer, lengthSize: number): Buffer[] {
  // No picture begins with a NAL unit of one byte.
  if (startCodeSize(bytes) === 4) return checked(splitAnnexB(bytes))
  const { nalus, offset } = wholeNalus(bytes, lengthSize)
  const left = bytes.length - offset - lengthSize
  if (left < 0) return checked(nalus)
  const excess = bytes.readUIntBE(offset, lengthSize) - left
  if (left > 0 && excess <= MAX_EXCESS_BYTES) return checked([...nalus, bytes.subarray(offset + lengthSize)])
  return startCodeSize(bytes) === 3 ? checked(splitAnnexB(bytes)) : checked(nalus)
}

/** Returns the NAL units with lengths that fit into the bytes, and the offset of their end. */
function wholeNalus(bytes: Buffer, lengthSize: number): { readonly nalus: Buffer[]; readonly offset: number } {
  let offset = 0
  while (offset + lengthSize <= bytes.length) {
    const end = offset + lengthSize + bytes.readUIntBE(offset, lengthSize)
    if (end > bytes.length) break
    offset = end
  }
  return { nalus: splitLengthPrefixed(bytes.subarray(0, offset), lengthSize), offset }
}

/** The size of the start code that the bytes begin with; 0 without one. */
function startCodeSize(bytes: Buffer): number {
  if (bytes[0] !== 0 || bytes[1] !== 0) return 0
  if (bytes[2] === 1) return 3
  return bytes[2] === 0 && bytes[3] === 1 ? 4 : 0
}

function checked(nalus: Buffer[]): Buffer[] {
  if (nalus.length === 0) throw new MalformedError('not one whole NAL unit')
  if (nalus.length > MAX_NALUS_PER_ACCESS_UNIT) throw new MalformedError('too many NAL units')
  return nalus
}
