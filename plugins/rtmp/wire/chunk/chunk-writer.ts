import type { MessageHeader } from '../message/raw-message.ts'
import { EXTENDED_TIMESTAMP } from './chunk-stream.ts'

const FORMAT_0 = 0x00
const FORMAT_3 = 0xc0
const MESSAGE_HEADER_SIZE_BYTES = 11

/**
 * A message in chunks: one with a full header (format 0) and absolute time, the others of format 3. So the bytes mean
 * the same whatever was sent before, and one buffer serves every receiver with this chunk size.
 *
 * @param parts the payload; copied once, into the new buffer that is returned
 * @param chunkSizeBytes the size that Set Chunk Size announced to the receiver
 */
export function serializeChunks(header: MessageHeader, parts: readonly Buffer[], chunkSizeBytes: number): Buffer {
  let payloadSize = 0
  for (const part of parts) payloadSize += part.length
  const time = header.timestamp >>> 0
  const extended = time >= EXTENDED_TIMESTAMP
  const continuations = payloadSize > chunkSizeBytes ? Math.ceil(payloadSize / chunkSizeBytes) - 1 : 0
  const chunkHeaderSize = basicHeaderSize(header.chunkStreamId) + (extended ? 4 : 0)
  const size = chunkHeaderSize * (continuations + 1) + MESSAGE_HEADER_SIZE_BYTES + payloadSize
  const bytes = Buffer.allocUnsafe(size)

  let offset = writeBasicHeader(bytes, 0, FORMAT_0, header.chunkStreamId)
  offset = bytes.writeUIntBE(extended ? EXTENDED_TIMESTAMP : time, offset, 3)
  offset = bytes.writeUIntBE(payloadSize, offset, 3)
  offset = bytes.writeUInt8(header.typeId, offset)
  offset = bytes.writeUInt32LE(header.messageStreamId, offset)
  if (extended) offset = bytes.writeUInt32BE(time, offset)

  let room = chunkSizeBytes
  for (const part of parts) {
    for (let start = 0; start < part.length;) {
      if (room === 0) {
        offset = writeBasicHeader(bytes, offset, FORMAT_3, header.chunkStreamId)
        if (extended) offset = bytes.writeUInt32BE(time, offset)
        room = chunkSizeBytes
      }
      const end = Math.min(part.length, start + room)
      part.copy(bytes, offset, start, end)
      offset += end - start
      room -= end - start
      start = end
    }
  }
  return bytes
}

// RTMP 1.0 §5.3.1.1: ids up to 63 in one byte, up to 319 in two, the rest in three with the low byte first.
function basicHeaderSize(chunkStreamId: number): number {
  if (chunkStreamId < 64) return 1
  return chunkStreamId < 320 ? 2 : 3
}

function writeBasicHeader(bytes: Buffer, offset: number, format: number, chunkStreamId: number): number {
  if (chunkStreamId < 64) return bytes.writeUInt8(format | chunkStreamId, offset)
  if (chunkStreamId < 320) {
    bytes[offset] = format
    return bytes.writeUInt8(chunkStreamId - 64, offset + 1)
  }
  bytes[offset] = format | 1
  return bytes.writeUInt16LE(chunkStreamId - 64, offset + 1)
}
