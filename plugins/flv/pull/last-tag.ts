import {
  FLV_TAG_HEADER_SIZE_BYTES,
  FLV_TAG_TRAILER_SIZE_BYTES,
  MalformedError,
  parseFlvTagHeader,
} from 'sluice/sdk/media'
import type { RecordingBytes } from 'sluice/sdk'

/** The time of the last tag of a recording; undefined when it does not end with a tag, as one that was cut off. */
export async function lastTagMs(bytes: RecordingBytes): Promise<number | undefined> {
  const trailerOffset = bytes.sizeBytes - FLV_TAG_TRAILER_SIZE_BYTES
  const trailer = await bytes.read(Math.max(0, trailerOffset), FLV_TAG_TRAILER_SIZE_BYTES)
  if (trailer.length < FLV_TAG_TRAILER_SIZE_BYTES) return undefined
  const tagSizeBytes = trailer.readUInt32BE()
  const offset = trailerOffset - tagSizeBytes
  if (tagSizeBytes < FLV_TAG_HEADER_SIZE_BYTES || offset < 0) return undefined
  const header = await bytes.read(offset, FLV_TAG_HEADER_SIZE_BYTES)
  if (header.length < FLV_TAG_HEADER_SIZE_BYTES) return undefined
  try {
    const { timestampMs, bodySizeBytes } = parseFlvTagHeader(header, 0)
    return bodySizeBytes + FLV_TAG_HEADER_SIZE_BYTES === tagSizeBytes ? timestampMs : undefined
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}
