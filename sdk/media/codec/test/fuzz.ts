import fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { MalformedError } from '../../errors.ts'

const RUNS = rounds(400)
const MAX_BYTES = 200

/**
 * Runs `check` with random bytes and with changed, cut and grown copies of `seeds`: it must either return or throw
 * MalformedError, and leave the bytes as they were.
 */
export function fuzz(seeds: readonly Buffer[], check: (bytes: Buffer) => void): void {
  const random = fc.uint8Array({ maxLength: MAX_BYTES })
  const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
  const mutated = fc
    .tuple(fc.constantFrom(...seeds), fc.array(change, { maxLength: 4 }), fc.nat({ max: 8 }), random)
    .map(([seed, changes, cut, tail]) => mutate(seed, changes, cut, tail))
  fc.assert(
    fc.property(fc.oneof(random, mutated), (bytes) => {
      const given = Buffer.from(bytes)
      const before = Buffer.from(given)
      try {
        check(given)
      } catch (error) {
        if (!(error instanceof MalformedError)) throw error
      }
      if (!given.equals(before)) throw new Error(`changed its input ${before.toString('hex')}`)
    }),
    { numRuns: RUNS },
  )
}

function mutate(seed: Buffer, changes: readonly [number, number][], cut: number, tail: Uint8Array): Uint8Array {
  const bytes = Buffer.from(seed)
  if (bytes.length > 0) for (const [at, value] of changes) bytes[at % bytes.length] = value
  // Half of the copies keep their length, a quarter each gets shorter or longer.
  if (cut % 4 === 0) return bytes.subarray(0, Math.max(0, bytes.length - cut))
  return cut % 4 === 1 ? Buffer.concat([bytes, tail]) : bytes
}
