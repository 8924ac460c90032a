import { expect } from 'chai'
import fc from 'fast-check'
import { parseByteRange } from './byte-range.ts'

const CASES: readonly (readonly [header: string | undefined, range: readonly [number, number] | 'whole' | 'none'])[] = [
  [undefined, 'whole'],
  ['bytes=0-', [0, 99]],
  ['bytes=0-0', [0, 0]],
  ['Bytes = 10 - 19 ', [10, 19]],
  ['bytes=90-1000', [90, 99]],
  ['bytes=99-99999999999999999999999999', [99, 99]],
  ['bytes=-1', [99, 99]],
  ['bytes=-1000', [0, 99]],
  ['bytes=100-', 'none'],
  ['bytes=100-200', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=20-10', 'whole'],
  ['bytes=-', 'whole'],
  ['bytes=', 'whole'],
  ['bytes=0-0,2-3', 'whole'],
  ['lines=0-1', 'whole'],
  ['bytes=0x1-2', 'whole'],
  ['bytes=1.5-2', 'whole'],
]

describe('a Range header', () => {
  for (const [header, range] of CASES) {
    it(`${header} of 100 bytes asks for ${String(range)}`, () => {
      const found = parseByteRange(header, 100)
      if (range === 'whole') expect(found).to.equal(undefined)
      else if (range === 'none') expect(found).to.equal(null)
      else expect(found).to.eql({ first: range[0], last: range[1] })
    })
  }

  it('asks for nothing of nothing', () => {
    for (const header of ['bytes=0-', 'bytes=-5']) expect(parseByteRange(header, 0)).to.equal(null)
  })

  it('never leads out of the body', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^bytes=\d{0,20}-\d{0,20}$/u))
    fc.assert(
      fc.property(text, fc.nat(1000), (header, sizeBytes) => {
        const range = parseByteRange(header, sizeBytes)
        if (!range) return
        expect(range.first).to.be.within(0, range.last)
        expect(range.last).to.be.below(sizeBytes)
      }),
    )
  })
})
