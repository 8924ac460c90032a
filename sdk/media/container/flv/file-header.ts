import { MalformedError } from '../../errors.ts'

export const FLV_FILE_HEADER_SIZE_BYTES = 9
/** A header may grow in later versions; all known ones have 9 bytes. */
export const FLV_MAX_FILE_HEADER_SIZE_BYTES = 1024

const AUDIO_FLAG = 0x04
const VIDEO_FLAG = 0x01

/** The start of an FLV file (FLV 10.1 E.2). Its flags for tracks are often wrong. */
export type FlvFileHeader = { readonly audio: boolean; readonly video: boolean }

/** The header and the size of the tag before the first, which is 0. */
export function serializeFlvFileHeader(header: FlvFileHeader): Buffer {
  const flags = (header.audio ? AUDIO_FLAG : 0) | (header.video ? VIDEO_FLAG : 0)
  return Buffer.of(0x46, 0x4c, 0x56, 1, flags, 0, 0, 0, FLV_FILE_HEADER_SIZE_BYTES, 0, 0, 0, 0)
}

/**
 * Reads the header from the first 9 bytes of a file.
 * @returns the header and its size, which may be more than the bytes at hand.
 * @throws {MalformedError} when it isn't FLV, or the size is out of bounds.
 */
export function parseFlvFileHeader(bytes: Buffer): { readonly header: FlvFileHeader; readonly sizeBytes: number } {
  if (bytes.length < FLV_FILE_HEADER_SIZE_BYTES || bytes.toString('latin1', 0, 3) !== 'FLV') {
    throw new MalformedError(`FLV: a file that starts with 0x${bytes.toString('hex', 0, 4)}`)
  }
  const sizeBytes = bytes.readUInt32BE(5)
  if (sizeBytes < FLV_FILE_HEADER_SIZE_BYTES || sizeBytes > FLV_MAX_FILE_HEADER_SIZE_BYTES) {
    throw new MalformedError(`FLV: a file header of ${sizeBytes} bytes`)
  }
  const flags = bytes[4]!
  return { header: { audio: (flags & AUDIO_FLAG) !== 0, video: (flags & VIDEO_FLAG) !== 0 }, sizeBytes }
}
