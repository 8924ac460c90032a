import type { ByteReader } from '../bits/byte-reader.ts'
import { MalformedError } from '../errors.ts'

/** Configuration records give parameter sets a 16-bit length. */
const MAX_PARAMETER_SET_SIZE_BYTES = 0xffff

/**
 * Reads parameter sets as `avcC` and `hvcC` have them, each after its length. They are views; empty ones, which some
 * writers produce, are left out.
 * @throws {MalformedError} when one is cut off.
 */
export function readParameterSets(reader: ByteReader, count: number): Buffer[] {
  const sets: Buffer[] = []
  for (let left = count; left > 0; left--) {
    const set = reader.readBytes(reader.readUint(2))
    if (set.length > 0) sets.push(set)
  }
  return sets
}

/** Parameter sets as {@link readParameterSets} takes them, in pieces. @throws {MalformedError} when one is too long. */
export function serializeParameterSets(sets: readonly Buffer[]): Buffer[] {
  return sets.flatMap((set) => {
    if (set.length > MAX_PARAMETER_SET_SIZE_BYTES) throw new MalformedError(`parameter set of ${set.length} bytes`)
    return [Buffer.from([set.length >> 8, set.length & 0xff]), set]
  })
}
