const EMULATION_PREVENTION = Buffer.from([0, 0, 3])

/**
 * A NAL unit without its emulation prevention bytes (the 3 of `00 00 03`, ISO/IEC 14496-10 7.3.1).
 * Gives back the very same buffer when there are none; otherwise a copy.
 */
export function removeEmulationPrevention(nalu: Buffer): Buffer {
  let found = nalu.indexOf(EMULATION_PREVENTION)
  if (found < 0) return nalu
  const clean = Buffer.allocUnsafe(nalu.length)
  let size = 0
  let from = 0
  while (found >= 0) {
    size += nalu.copy(clean, size, from, found + 2)
    from = found + 3
    found = nalu.indexOf(EMULATION_PREVENTION, from)
  }
  size += nalu.copy(clean, size, from)
  return clean.subarray(0, size)
}

/**
 * The reverse: a NAL unit in which no three bytes look like a start code, nor like an emulation prevention byte after
 * two zeros, and which does not end in two zeros (7.4.1.1). Gives back the very same buffer when there is nothing to
 * insert; otherwise a copy.
 */
export function insertEmulationPrevention(clean: Buffer): Buffer {
  const places: number[] = []
  let zeros = 0
  for (let offset = 0; offset < clean.length; offset++) {
    const byte = clean[offset]!
    if (zeros === 2 && byte <= 3) {
      places.push(offset)
      zeros = 0
    }
    zeros = byte === 0 ? zeros + 1 : 0
  }
  if (zeros === 2) places.push(clean.length)
  return places.length === 0 ? clean : withBytesBefore(clean, places)
}

function withBytesBefore(clean: Buffer, places: readonly number[]): Buffer {
  const nalu = Buffer.allocUnsafe(clean.length + places.length)
  let size = 0
  let from = 0
  for (const place of places) {
    size += clean.copy(nalu, size, from, place)
    size = nalu.writeUInt8(3, size)
    from = place
  }
  clean.copy(nalu, size, from)
  return nalu
}
