import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { splitJpegs } from './jpeg-stream.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
/** Tables with bytes in them that look like an end, then coded data with a zero after `ff`, a restart marker, and the end. */
const PICTURE = hex('ffd8 ffdb0006ffd9ffd8 ffff da0004aabb 01ff00ffd002ff00 ffd9')
const SHORT = hex('ffd8 ffda0002 ffd9')

describe('splitJpegs', () => {
  it('takes pictures apart by their markers alone', () => {
    expect(splitJpegs(Buffer.concat([PICTURE, SHORT, PICTURE]))).to.eql([PICTURE, SHORT, PICTURE])
    expect(splitJpegs(Buffer.alloc(0))).to.eql([])
  })

  it('takes one that has several scans', () => {
    const progressive = hex('ffd8 ffda0003aa 0102 ffc40003bb ffda0003aa 03 ffd9')
    expect(splitJpegs(Buffer.concat([progressive, SHORT]))).to.eql([progressive, SHORT])
  })

  const broken = { 'is something else': '00ffd8', 'is cut off': 'ffd8ffda0003aa0102', 'ends in a length': 'ffd8ffdb00' }
  const more = {
    'has no marker': 'ffd800010203',
    'has no length': 'ffd8ffdb0001ffd9',
    'is beyond its end': 'ffd8ffdbffffffd9',
  }
  for (const [name, bytes] of Object.entries({ ...broken, ...more })) {
    it(`refuses what ${name}`, () => expect(() => splitJpegs(hex(bytes))).to.throw(MalformedError))
  }

  it('gives all of the bytes back, or says that they are malformed', () => {
    const pieces = fc.array(fc.constantFrom(PICTURE, SHORT, hex('ff'), hex('00'), hex('ffd9')), { maxLength: 6 })
    fc.assert(
      fc.property(pieces, fc.uint8Array({ maxLength: 12 }), (parts, end) => {
        const bytes = Buffer.concat([...parts, end])
        try {
          expect(Buffer.concat(splitJpegs(bytes))).to.eql(bytes)
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error
        }
      }),
    )
  })
})
