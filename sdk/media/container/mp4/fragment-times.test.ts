import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../../errors.ts'
import { parseFragmentTable, type FragmentTime } from './fragment-times.ts'

const u32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}
const box = (type: string, ...parts: readonly Buffer[]) => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u32(body.length + 8), Buffer.from(type), body])
}

/** @param version 1 has numbers of 64 bits */
function table(trackId: number, entries: readonly FragmentTime[], version: 0 | 1, sizes = 0): Buffer {
  const number = (value: number) => (version === 1 ? u32(Math.floor(value / 2 ** 32), value % 2 ** 32) : u32(value))
  const more = Buffer.alloc(3 + (sizes >> 4) + ((sizes >> 2) & 3) + (sizes & 3), 1)
  const rows = entries.map(({ time, moofOffset }) => Buffer.concat([number(time), number(moofOffset), more]))
  return box('tfra', u32(version * 2 ** 24, trackId, sizes, entries.length), Buffer.concat(rows))
}

function result(work: ReturnType<typeof parseFragmentTable>): {
  readonly steps: number
  readonly entries: FragmentTime[] | undefined
} {
  for (let steps = 0; ; steps++) {
    const { done, value } = work.next()
    if (done === true) return { steps, entries: value }
  }
}

const entriesOf = (count: number, step: number) =>
  Array.from({ length: count }, (_, index) => ({ time: index * step, moofOffset: 24 + index * step * 3 }))

describe('the table of fragments', () => {
  for (const [version, step, sizes] of [
    [0, 90_000, 0],
    [1, 2 ** 33, 0],
    [0, 7, 0b11_01_10],
  ] as const) {
    it(`tells where fragments are, in version ${version} with numbers of sizes ${sizes}`, () => {
      const entries = entriesOf(50, step)
      const bytes = box('mfra', table(2, entriesOf(3, 1), version, sizes), table(1, entries, version, sizes))
      expect(result(parseFragmentTable(bytes, 1)).entries).to.eql(entries)
      expect(result(parseFragmentTable(bytes, 3)).entries).to.equal(undefined)
    })
  }

  it('reads only what was asked for, a part at a time, and no more than a week of it', () => {
    const other = table(2, entriesOf(200_000, 1), 0)
    const bytes = box('mfra', other, other, table(1, entriesOf(5000, 1), 0))
    expect(result(parseFragmentTable(bytes, 1)).steps).to.equal(5)
    const endless = result(parseFragmentTable(box('mfra', table(1, entriesOf(300_001, 1), 0)), 1))
    expect(endless.entries).to.have.length(300_000)
    expect(endless.steps).to.equal(Math.ceil(300_000 / 1024))
  })

  it('takes any bytes without harm', () => {
    const whole = box('mfra', table(1, entriesOf(20, 90_000), 0), table(2, entriesOf(20, 90_000), 1))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 5 }),
        fc.nat(whole.length),
        (changes, end) => {
          const bytes = Buffer.from(whole)
          for (const [at, value] of changes) bytes[at] = value
          try {
            result(parseFragmentTable(bytes.subarray(0, end), 2))
          } catch (error) {
            expect(error).to.be.instanceOf(MalformedError)
          }
        },
      ),
    )
  })
})
