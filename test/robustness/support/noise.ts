/** Bytes without order, the same each time (a linear congruential generator). */
export function noise(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(sizeBytes)
  let state = seed
  for (let index = 0; index < sizeBytes; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}
