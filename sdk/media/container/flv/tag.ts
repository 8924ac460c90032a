import { MalformedError } from '../../errors.ts'

/** Tag types (FLV 10.1 E.4.1), which are also the RTMP message types. */
export const FLV_TAG_TYPE = { audio: 8, video: 9, script: 18 } as const
export type FlvTagType = (typeof FLV_TAG_TYPE)[keyof typeof FLV_TAG_TYPE]

/** The size of the header before each tag's body. */
export const FLV_TAG_HEADER_SIZE_BYTES = 11
/** The size of the trailer after each tag, which has the tag's size again. */
export const FLV_TAG_TRAILER_SIZE_BYTES = 4

/** The largest body read; the format itself ends at 16 MiB. A keyframe of 8K video at 400 Mbit/s is about 6 MB. */
export const FLV_MAX_TAG_SIZE_BYTES = 8 * 1024 * 1024

const MAX_BODY_SIZE_BYTES = 0xff_ff_ff

/** The header of a tag, without the stream id. */
export type FlvTagHeader = {
  readonly type: FlvTagType
  /** Milliseconds modulo 2^32. */
  readonly timestampMs: number
  readonly bodySizeBytes: number
}

/** One tag of an FLV. */
export type FlvTag = {
  readonly type: FlvTagType
  /** Milliseconds modulo 2^32. */
  readonly timestampMs: number
  readonly body: Buffer
}

/**
 * Reads a tag's header at `offset`; 11 bytes must be there.
 * @throws {MalformedError} for a type that isn't audio, video or script, an encrypted tag, or a body that is too large.
 */
export function parseFlvTagHeader(bytes: Buffer, offset: number): FlvTagHeader {
  const type = bytes[offset]!
  if (type !== FLV_TAG_TYPE.audio && type !== FLV_TAG_TYPE.video && type !== FLV_TAG_TYPE.script) {
    throw new MalformedError(`FLV: tag type ${type}`)
  }
  const bodySizeBytes = bytes.readUIntBE(offset + 1, 3)
  if (bodySizeBytes > FLV_MAX_TAG_SIZE_BYTES) throw new MalformedError(`FLV: a tag of ${bodySizeBytes} bytes`)
  // The high byte of the timestamp comes last, as it was added later.
  const timestampMs = bytes.readUIntBE(offset + 4, 3) + bytes[offset + 7]! * 0x1_00_00_00
  return { type, timestampMs, bodySizeBytes }
}

/**
 * A whole tag, its trailing size included, in one new buffer.
 * @param timestampMs any integer; the tag carries it modulo 2^32.
 * @throws {RangeError} when the parts together pass the format's 24-bit size.
 */
export function serializeFlvTag(type: FlvTagType, timestampMs: number, parts: readonly Buffer[]): Buffer {
  let bodySizeBytes = 0
  for (const part of parts) bodySizeBytes += part.length
  if (bodySizeBytes > MAX_BODY_SIZE_BYTES) throw new RangeError(`FLV: a tag of ${bodySizeBytes} bytes`)
  const tagSizeBytes = FLV_TAG_HEADER_SIZE_BYTES + bodySizeBytes
  const tag = Buffer.allocUnsafe(tagSizeBytes + FLV_TAG_TRAILER_SIZE_BYTES)
  tag.writeUInt32BE(((type << 24) | bodySizeBytes) >>> 0, 0)
  const wrapped = timestampMs >>> 0
  tag.writeUInt32BE(((wrapped << 8) | (wrapped >>> 24)) >>> 0, 4)
  tag[8] = tag[9] = tag[10] = 0
  let offset = FLV_TAG_HEADER_SIZE_BYTES
  for (const part of parts) {
    tag.set(part, offset)
    offset += part.length
  }
  tag.writeUInt32BE(tagSizeBytes, tagSizeBytes)
  return tag
}
