import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fromHex } from './fixtures/bytes.ts'
import { FLV_MAX_TAG_SIZE_BYTES, FLV_TAG_TYPE, parseFlvTagHeader, serializeFlvTag } from './tag.ts'
import type { FlvTagType } from './tag.ts'

const CASES: readonly { name: string; hex: string; type: FlvTagType; timestampMs: number; body: string }[] = [
  { name: 'audio', hex: '08 000002 000000 00 000000 aabb 0000000d', type: 8, timestampMs: 0, body: 'aabb' },
  { name: 'video', hex: '09 000001 000028 00 000000 aa 0000000c', type: 9, timestampMs: 40, body: 'aa' },
  { name: 'script data', hex: '12 000000 000000 00 000000 0000000b', type: 18, timestampMs: 0, body: '' },
  { name: 'a time of 24 bits', hex: '08 000000 ffffff 00 000000 0000000b', type: 8, timestampMs: 0xffffff, body: '' },
  { name: 'a time of 25 bits', hex: '08 000000 000000 01 000000 0000000b', type: 8, timestampMs: 0x1000000, body: '' },
  { name: 'the last time', hex: '08 000000 fffffe ff 000000 0000000b', type: 8, timestampMs: 0xfffffffe, body: '' },
]

const MALFORMED_CASES: readonly (readonly [name: string, hex: string])[] = [
  ['a type that is none', '07 000000 000000 00 000000'],
  ['an encrypted tag', '29 000000 000000 00 000000'],
  ['a body that is too large', `08 ${(FLV_MAX_TAG_SIZE_BYTES + 1).toString(16).padStart(6, '0')} 000000 00 000000`],
]

describe('FLV tag', () => {
  for (const { name, hex, type, timestampMs, body } of CASES) {
    it(`reads ${name}`, () => {
      const header = { type, timestampMs, bodySizeBytes: body.length / 2 }
      expect(parseFlvTagHeader(fromHex(`ff ${hex}`), 1)).to.deep.equal(header)
    })

    it(`writes ${name}`, () => {
      const bytes = serializeFlvTag(type, timestampMs, [fromHex(body)])
      expect(bytes.toString('hex')).to.equal(fromHex(hex).toString('hex'))
    })
  }

  for (const [name, hex] of MALFORMED_CASES) {
    it(`refuses ${name}`, () => expect(() => parseFlvTagHeader(fromHex(hex), 0)).to.throw(MalformedError))
  }

  it('joins the parts of a body', () => {
    const bytes = serializeFlvTag(FLV_TAG_TYPE.video, 0, [fromHex('aa'), Buffer.alloc(0), fromHex('bbcc')])
    expect(bytes.toString('hex', 11)).to.equal('aabbcc0000000e')
  })

  it('wraps times past 32 bits, and negative ones', () => {
    const timeOf = (timestampMs: number) => parseFlvTagHeader(serializeFlvTag(8, timestampMs, []), 0).timestampMs
    expect(timeOf(2 ** 32 + 5)).to.equal(5)
    expect(timeOf(2 ** 40 + 7)).to.equal(7)
    expect(timeOf(-1)).to.equal(0xffffffff)
  })

  it('refuses to write a body that has no size', () => {
    expect(() => serializeFlvTag(FLV_TAG_TYPE.video, 0, [Buffer.alloc(0x1000000)])).to.throw(RangeError)
  })
})
