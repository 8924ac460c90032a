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
