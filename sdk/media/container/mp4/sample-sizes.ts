import { parseFullBox, type ParsedBox } from '../fmp4/box.ts'

/** The size of each sample, and how many there are. */
export type SampleSizes = {
  readonly count: number
  /** The size that all of them have; undefined where each has its own. */
  readonly commonBytes: number | undefined
  /** Returns the size of the samples from one up to another together, without the latter. */
  sum(from: number, to: number): number
}

/**
 * Reads `stsz` or `stz2` (ISO/IEC 14496-12 8.7.3); its table stays a view. A table that ends early has as many samples as it
 * has sizes.
 * @throws {MalformedError} when it has no head
 */
export function parseSampleSizes({ type, body }: ParsedBox): SampleSizes {
  const { fields } = parseFullBox(body)
  const first = fields.readUint(4)
  const told = fields.readUint(4)
  const table = fields.readBytes(fields.bytesLeft)
  if (type === 'stz2') return compactSizes(table, told, first & 0xff)
  if (first !== 0) return { count: told, commonBytes: first, sum: (from, to) => (to - from) * first }
  return ownSizes(Math.min(told, table.length >> 2), (index) => table.readUInt32BE(index * 4))
}

/** @param bits of each size: 4, 8 or 16 */
function compactSizes(table: Buffer, told: number, bits: number): SampleSizes {
  const count = Math.min(told, Math.floor((table.length * 8) / (bits || 8)))
  switch (bits) {
    case 4:
      return ownSizes(count, (index) => (table[index >> 1]! >> (index % 2 === 0 ? 4 : 0)) & 15)
    case 16:
      return ownSizes(count, (index) => table.readUInt16BE(index * 2))
    default:
      return ownSizes(count, (index) => table[index]!)
  }
}

function ownSizes(count: number, sizeAt: (index: number) => number): SampleSizes {
  return {
    count,
    commonBytes: undefined,
    sum(from, to) {
      let sum = 0
      for (let index = from; index < to; index++) sum += sizeAt(index)
      return sum
    },
  }
}
