import { INTERLEAVED_MARK, isRtpLike, type IsChannel } from './interleaved.ts'

/** The beginning of a response. */
export const RESPONSE_START = 'RTSP/'
/** Known beginnings of messages. Nothing else is taken for one amid bytes that belong to nothing. */
const MESSAGE_STARTS = [
  RESPONSE_START,
  'OPTIONS ',
  'DESCRIBE ',
  'ANNOUNCE ',
  'SETUP ',
  'PLAY ',
  'PAUSE ',
  'RECORD ',
  'TEARDOWN ',
  'REDIRECT ',
  'GET_PARAMETER ',
  'SET_PARAMETER ',
].map((text) => Buffer.from(text))
/** The header of a frame and its first byte of RTP. */
const FRAME_START_BYTES = 5
/** The smallest packet of RTCP; one of RTP has 12 bytes. */
const MIN_PACKET_BYTES = 8
const UPPER_A = 0x41
const UPPER_Z = 0x5a

/** A place in bytes; `isWhole` when enough bytes have come to be sure that a message or frame begins there. */
export type FoundStart = { readonly at: number; readonly isWhole: boolean }

/**
 * Finds the next message, or frame of a channel that is in use, amid bytes that belong to nothing.
 * @returns the end of the bytes where nothing begins
 */
export function findStart(bytes: Buffer, from: number, isChannel: IsChannel): FoundStart {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!
    if (byte === INTERLEAVED_MARK) {
      if (mayBeFrame(bytes, at, isChannel)) return { at, isWhole: bytes.length - at >= FRAME_START_BYTES }
    } else if (byte >= UPPER_A && byte <= UPPER_Z) {
      const start = MESSAGE_STARTS.find((one) => beginsWith(bytes, at, one))
      if (start !== undefined) return { at, isWhole: bytes.length - at >= start.length }
    }
  }
  return { at: bytes.length, isWhole: false }
}

/** True when the bytes so far may be a frame of RTP or RTCP. */
function mayBeFrame(bytes: Buffer, at: number, isChannel: IsChannel): boolean {
  const left = bytes.length - at
  if (left > 1 && !isChannel(bytes[at + 1]!)) return false
  if (left > 3 && bytes.readUInt16BE(at + 2) < MIN_PACKET_BYTES) return false
  return left < FRAME_START_BYTES || isRtpLike(bytes[at + 4]!)
}

/** True when the bytes at a place equal the beginning of `start`, as far as they have come. */
function beginsWith(bytes: Buffer, at: number, start: Buffer): boolean {
  const end = Math.min(at + start.length, bytes.length)
  return bytes.compare(start, 0, end - at, at, end) === 0
}
