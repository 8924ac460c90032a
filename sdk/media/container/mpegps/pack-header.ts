const PACK_SIZE_BYTES = 14
/** The rate that is stated, in 50 bytes a second: 2.5 MB/s, which no receiver goes by. */
const MUX_RATE = 50_000
const SYSTEM_HEADER_SIZE_BYTES = 12
const STREAM_BOUND_SIZE_BYTES = 3
const FIRST_VIDEO_ID = 0xe0

/**
 * Writes the header of a pack (ISO/IEC 13818-1 2.5.3.3):
 *
 *     00 00 01 BA | 01 | clock (33 bits, with markers) 1 | extension (9) 1 | rate (22) 1 1 | reserved (5) | stuffing (3)
 * @param clock 90 kHz, less than 2^33
 */
export function serializePackHeader(clock: number): Buffer {
  const bytes = Buffer.allocUnsafe(PACK_SIZE_BYTES)
  const low = clock % 2 ** 30
  const [top, middle, bottom] = [Math.floor(clock / 2 ** 30), low >>> 15, low & 0x7fff]
  bytes.writeUInt32BE(0x0000_01ba, 0)
  bytes.writeUInt32BE(((1 << 30) | (top << 27) | (1 << 26) | (middle << 11) | (1 << 10) | (bottom >> 5)) >>> 0, 4)
  bytes.writeUInt16BE(((bottom & 0x1f) << 11) | (1 << 10) | 1, 8)
  bytes.writeUInt32BE(((MUX_RATE << 10) | (3 << 8) | 0xf8) >>> 0, 10)
  return bytes
}

/** Writes a system header (2.5.3.5) with bounds for these streams. */
export function serializeSystemHeader(streamIds: readonly number[]): Buffer {
  const videoCount = streamIds.filter((id) => id >= FIRST_VIDEO_ID).length
  const bytes = Buffer.alloc(SYSTEM_HEADER_SIZE_BYTES + streamIds.length * STREAM_BOUND_SIZE_BYTES)
  bytes.writeUInt32BE(0x0000_01bb, 0)
  bytes.writeUInt16BE(bytes.length - 6, 4)
  bytes.writeUIntBE(0x80_0001 | (MUX_RATE << 1), 6, 3)
  bytes[9] = (streamIds.length - videoCount) << 2
  bytes[10] = 0x20 | videoCount
  bytes[11] = 0x7f
  for (const [index, id] of streamIds.entries()) {
    const at = SYSTEM_HEADER_SIZE_BYTES + index * STREAM_BOUND_SIZE_BYTES
    bytes[at] = id
    // Buffers of 8 kB for sound and 1 MB for pictures, in 128 or 1,024 bytes.
    bytes.writeUInt16BE(id >= FIRST_VIDEO_ID ? 0xe000 | 1024 : 0xc000 | 64, at + 1)
  }
  return bytes
}
