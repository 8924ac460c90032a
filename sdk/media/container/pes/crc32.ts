const POLYNOMIAL = 0x04c1_1db7

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ POLYNOMIAL : crc << 1
  return crc
})

/** The checksum of sections (ISO/IEC 13818-1 annex A); over a section that ends with its own it is 0. */
export function mpegCrc32(bytes: Buffer): number {
  let crc = -1
  for (const byte of bytes) crc = (crc << 8) ^ TABLE[(crc >>> 24) ^ byte]!
  return crc >>> 0
}
