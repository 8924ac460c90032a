import { MalformedError } from '../../errors.ts'
import { parseMp3FrameHeader } from './frame-header.ts'
import type { Mp3FrameHeader } from './frame-header.ts'

const HEADER_SIZE_BYTES = 4
const CRC_SIZE_BYTES = 2
const UNPROTECTED = 0x01
const BITRATE_AND_PADDING = 0xf2
const MAX_BITRATE_INDEX = 14

/**
 * Makes a frame of an ADU frame of layer III, which has all main data of a frame behind its header and side information,
 * wherever that lay in the stream (RFC 5219 3 and 4.1). The frame has the same main data within itself and refers to none
 * before it: it has the lowest bitrate with room for that, and no checksum.
 * @throws {MalformedError} when it is none of layer III, is cut off, or has more data than a frame can have
 */
export function frameOfAdu(adu: Buffer): Buffer {
  const header = parseMp3FrameHeader(adu)
  if (header.layer !== 3) throw new MalformedError(`ADU frame of layer ${header.layer}`)
  const sideInfoAt = HEADER_SIZE_BYTES + ((adu[1]! & UNPROTECTED) === 0 ? CRC_SIZE_BYTES : 0)
  const sideInfoSizeBytes = sideInfoSizeOf(header)
  if (adu.length < sideInfoAt + sideInfoSizeBytes) throw new MalformedError(`ADU frame of ${adu.length} bytes`)
  const start = Buffer.from(adu.subarray(0, HEADER_SIZE_BYTES))
  start[1]! |= UNPROTECTED
  const sizeBytes = raiseBitrate(start, HEADER_SIZE_BYTES + adu.length - sideInfoAt)
  const frame = Buffer.alloc(sizeBytes)
  start.copy(frame)
  adu.copy(frame, HEADER_SIZE_BYTES, sideInfoAt)
  // main_data_begin, the first 9 bits of the side information, or 8 of MPEG-2.
  frame[HEADER_SIZE_BYTES] = 0
  if (header.version === 1) frame[HEADER_SIZE_BYTES + 1]! &= 0x7f
  return frame
}

function sideInfoSizeOf({ version, channels }: Mp3FrameHeader): number {
  if (version === 1) return channels === 1 ? 17 : 32
  return channels === 1 ? 9 : 17
}

/** Gives the header the lowest bitrate at which the frame has a size, and returns the size that it has then. */
function raiseBitrate(header: Buffer, minSizeBytes: number): number {
  for (let index = 1; index <= MAX_BITRATE_INDEX; index += 1) {
    header[2] = (header[2]! & ~BITRATE_AND_PADDING) | (index << 4)
    const { sizeBytes } = parseMp3FrameHeader(header)
    if (sizeBytes >= minSizeBytes) return sizeBytes
  }
  throw new MalformedError(`ADU frame that needs ${minSizeBytes} bytes is too long for a frame`)
}
