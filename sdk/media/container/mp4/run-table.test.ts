import { expect } from 'chai'
import fc from 'fast-check'
import { FieldTable } from './field-table.ts'
import { RunTable } from './run-table.ts'
import { SampleRunReader } from './sample-runs.ts'

describe('a table of fields', () => {
  it('has all fields in their order, without having copied one', () => {
    const table = new FieldTable()
    const first = table.pieces[0]!
    for (let value = 0; value < 300_000; value++) table.push(value)
    table.push(-1)
    expect(table.count).to.equal(300_001)
    const bytes = Buffer.concat(table.pieces)
    const isInOrder = (field: number) => bytes.readUInt32BE(field * 4) === field
    expect(Array.from({ length: 300_000 }, (_, field) => field).every(isInOrder)).to.equal(true)
    expect(bytes.length).to.equal(300_001 * 4)
    expect(bytes.readInt32BE(300_000 * 4)).to.equal(-1)
    expect(table.pieces[0]!.buffer).to.equal(first.buffer)
  })
})

describe('a table of runs', () => {
  it('is read as what was put in, in no more runs than there are', () => {
    const value = fc.oneof(fc.constantFrom(0, 1, -1), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }))
    fc.assert(
      fc.property(fc.array(fc.tuple(value, fc.nat(3))), value, (groups, last) => {
        const table = new RunTable()
        for (const [each, count] of groups) table.push(each, count)
        const { pieces, count } = table.endedBy(last)
        const wanted = [...groups.flatMap(([each, times]) => Array.from({ length: times }, () => each)), last]
        const reader = new SampleRunReader(Buffer.concat(pieces), true)
        const found: number[] = []
        for (let next = reader.value; next !== undefined; next = reader.value) {
          found.push(next)
          reader.skip(1)
        }
        expect(found).to.eql(wanted)
        expect(count).to.equal(wanted.filter((each, index) => index === 0 || each !== wanted[index - 1]).length)
        expect(Buffer.concat(pieces)).to.have.length(count * 8)
      }),
    )
  })
})
