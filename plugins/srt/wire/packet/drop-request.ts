import { MalformedError } from 'sluice/sdk/media'
import { SEQUENCE_MASK, sequenceDistance } from '../sequence.ts'

const SIZE_BYTES = 8

/** The first and the last sequence number that the sender will not send again (draft-sharabayko-srt-01 section 3.2.9). */
export type DroppedRange = { first: number; last: number }

/** @throws {MalformedError} on less than two words, and where the last comes before the first */
export function parseDroppedRange(bytes: Buffer): DroppedRange {
  if (bytes.length < SIZE_BYTES) throw new MalformedError(`SRT drop request of ${bytes.length} bytes`)
  const range = { first: bytes.readUInt32BE(0) & SEQUENCE_MASK, last: bytes.readUInt32BE(4) & SEQUENCE_MASK }
  if (sequenceDistance(range.first, range.last) < 0) {
    throw new MalformedError(`SRT drop request from ${range.first} back to ${range.last}`)
  }
  return range
}

export function serializeDroppedRange(range: DroppedRange): Buffer {
  const bytes = Buffer.allocUnsafe(SIZE_BYTES)
  bytes.writeUInt32BE(range.first, 0)
  bytes.writeUInt32BE(range.last, 4)
  return bytes
}
