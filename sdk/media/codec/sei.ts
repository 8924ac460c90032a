import { insertEmulationPrevention, removeEmulationPrevention } from '../bits/emulation-prevention.ts'
import { MalformedError } from '../errors.ts'

/** Types that are assigned are below 256 (ISO/IEC 14496-10 D.1.1, 23008-2 D.2.1, 23002-7); this is sixteen times as much. */
export const SEI_MAX_PAYLOAD_TYPE = 4095
/** The most bytes of one message. Its size is coded in unary, a byte for each 255. */
export const SEI_MAX_PAYLOAD_SIZE_BYTES = 64 * 1024
/** The most messages in one NAL unit. Encoders put a few into one. */
export const SEI_MAX_MESSAGES = 256

/** One message of supplemental enhancement information: sei_message() of ISO/IEC 14496-10 7.3.2.3.1 and 23008-2 7.3.5. */
export type SeiMessage = {
  /** payloadType: for example 5 for user_data_unregistered. */
  readonly type: number
  /** The bytes of the payload, without emulation prevention. */
  readonly payload: Buffer
}

/** A byte of this value means that another byte of the same number follows. */
const MORE = 0xff
/** rbsp_trailing_bits() at the beginning of a byte (7.3.2.11): the messages before it are whole bytes. */
const TRAILING_BITS = 0x80

/**
 * Finds the messages of an SEI NAL unit, one after the other as they are asked for. Payloads are views, into a copy where there
 * was emulation prevention. Trailing bits may be missing, as some cameras leave them out.
 * @param headerSizeBytes of the NAL unit's header
 * @throws {MalformedError} where a message is cut off, or a limit is passed
 */
export function* seiMessages(nalu: Buffer, headerSizeBytes: number): Generator<SeiMessage, void, undefined> {
  const rbsp = removeEmulationPrevention(nalu)
  const end = endOf(rbsp)
  let offset = headerSizeBytes
  for (let count = 0; offset < end; count++) {
    if (count === SEI_MAX_MESSAGES) throw new MalformedError(`more than ${SEI_MAX_MESSAGES} SEI messages`)
    const type = readNumber(rbsp, offset, end, SEI_MAX_PAYLOAD_TYPE)
    offset += codedSize(type)
    const size = readNumber(rbsp, offset, end, SEI_MAX_PAYLOAD_SIZE_BYTES)
    offset += codedSize(size)
    if (size > end - offset) {
      throw new MalformedError(`SEI payload of ${size} bytes at byte ${offset}, but only ${end - offset} follow`)
    }
    yield { type, payload: rbsp.subarray(offset, offset + size) }
    offset += size
  }
}

/**
 * Makes an SEI NAL unit of messages, in one new buffer.
 * @param header of the NAL unit
 * @throws {RangeError} when there is no message, or a limit is passed
 */
export function serializeSei(header: Buffer, messages: readonly SeiMessage[]): Buffer {
  if (messages.length === 0 || messages.length > SEI_MAX_MESSAGES) {
    throw new RangeError(`an SEI NAL unit has 1 to ${SEI_MAX_MESSAGES} messages, not ${messages.length}`)
  }
  let sizeBytes = header.length + 1
  for (const { type, payload } of messages) sizeBytes += codedSize(type) + codedSize(payload.length) + payload.length
  const rbsp = Buffer.allocUnsafe(sizeBytes)
  let offset = header.copy(rbsp)
  for (const { type, payload } of messages) {
    offset = writeNumber(rbsp, offset, type, SEI_MAX_PAYLOAD_TYPE)
    offset = writeNumber(rbsp, offset, payload.length, SEI_MAX_PAYLOAD_SIZE_BYTES)
    offset += payload.copy(rbsp, offset)
  }
  rbsp[offset] = TRAILING_BITS
  return insertEmulationPrevention(rbsp)
}

/** Returns the offset of the end of the messages. */
function endOf(rbsp: Buffer): number {
  let end = rbsp.length
  while (end > 0 && rbsp[end - 1] === 0) end -= 1
  return rbsp[end - 1] === TRAILING_BITS ? end - 1 : rbsp.length
}

function codedSize(number: number): number {
  return Math.floor(number / MORE) + 1
}

function readNumber(rbsp: Buffer, start: number, end: number, limit: number): number {
  let number = 0
  for (let offset = start; offset < end; offset++) {
    const byte = rbsp[offset]!
    number += byte
    if (number > limit) throw new MalformedError(`the number at byte ${start} of an SEI message is above ${limit}`)
    if (byte !== MORE) return number
  }
  throw new MalformedError(`SEI message cut off at byte ${end}`)
}

function writeNumber(rbsp: Buffer, start: number, number: number, limit: number): number {
  if (!Number.isInteger(number) || number < 0 || number > limit) {
    throw new RangeError(`the types and sizes of SEI messages are whole numbers up to ${limit}, not ${number}`)
  }
  const last = start + codedSize(number) - 1
  rbsp.fill(MORE, start, last)
  rbsp[last] = number % MORE
  return last + 1
}
