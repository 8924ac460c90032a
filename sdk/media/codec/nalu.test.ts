import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../errors.ts'
import {
  joinAnnexB,
  joinLengthPrefixed,
  MAX_ACCESS_UNIT_SIZE_BYTES,
  MAX_NALUS_PER_ACCESS_UNIT,
  splitAnnexB,
  splitLengthPrefixed,
} from './nalu.ts'
import { fuzz } from './test/fuzz.ts'

const hex = (nalus: readonly Buffer[]) => nalus.map((nalu) => nalu.toString('hex'))
const buffers = (nalus: readonly string[]) => nalus.map((nalu) => Buffer.from(nalu, 'hex'))

const annexBCases = [
  { name: 'nothing', bytes: '', nalus: [] },
  { name: '4-byte start codes', bytes: '00000001 6742 00000001 68ce', nalus: ['6742', '68ce'] },
  { name: '3-byte start codes', bytes: '000001 6742 000001 68ce', nalus: ['6742', '68ce'] },
  { name: 'mixed start codes', bytes: '00000001 09f0 000001 6588', nalus: ['09f0', '6588'] },
  { name: 'trailing zeros', bytes: '000001 6742 0000 000001 68ce 00000000', nalus: ['6742', '68ce'] },
  { name: 'leading zeros', bytes: '0000000000 000001 6742', nalus: ['6742'] },
  { name: 'empty units', bytes: '000001 000001 00000001 6742 000001', nalus: ['6742'] },
  { name: 'bytes before the first start code', bytes: 'ff00ff 000001 6742', nalus: ['6742'] },
  { name: 'emulation prevention', bytes: '000001 67000003 01 000001 68', nalus: ['6700000301', '68'] },
]

const lengthCases = [
  { name: 'nothing', bytes: '', lengthSize: 4, nalus: [] },
  { name: '4-byte lengths', bytes: '00000002 6742 00000003 68ce00', lengthSize: 4, nalus: ['6742', '68ce00'] },
  { name: '2-byte lengths', bytes: '0002 6742 0001 68', lengthSize: 2, nalus: ['6742', '68'] },
  { name: '1-byte lengths', bytes: '02 6742 01 68', lengthSize: 1, nalus: ['6742', '68'] },
  { name: 'empty units', bytes: '00000000 00000001 67 00000000', lengthSize: 4, nalus: ['67'] },
]

const fromHex = (bytes: string) => Buffer.from(bytes.replaceAll(' ', ''), 'hex')

describe('splitAnnexB', () => {
  for (const { name, bytes, nalus } of annexBCases) {
    it(`splits ${name}`, () => expect(hex(splitAnnexB(fromHex(bytes)))).to.deep.equal(nalus))
  }

  it('refuses bytes without a start code', () => {
    expect(() => splitAnnexB(fromHex('00000265'))).to.throw(MalformedError, 'no start code within 4 bytes')
  })

  it('holds its limits', () => {
    const most = Buffer.from('00000165'.repeat(MAX_NALUS_PER_ACCESS_UNIT), 'hex')
    expect(splitAnnexB(most)).to.have.length(MAX_NALUS_PER_ACCESS_UNIT)
    expect(() => splitAnnexB(Buffer.concat([most, fromHex('00000165')]))).to.throw(MalformedError, 'NAL units')
    expect(() => splitAnnexB(Buffer.alloc(MAX_ACCESS_UNIT_SIZE_BYTES + 1))).to.throw(MalformedError, 'above')
  })

  it('gives views', () => {
    const bytes = fromHex('00000165aa')
    const [nalu] = splitAnnexB(bytes)
    bytes[4] = 0xbb
    expect(nalu?.toString('hex')).to.equal('65bb')
  })

  it('takes any bytes', () => {
    fuzz(
      annexBCases.map(({ bytes }) => fromHex(bytes)),
      (bytes) => {
        const nalus = splitAnnexB(bytes)
        expect(hex(splitAnnexB(joinAnnexB(nalus)))).to.deep.equal(hex(nalus))
      },
    )
  })
})

describe('splitLengthPrefixed', () => {
  for (const { name, bytes, lengthSize, nalus } of lengthCases) {
    it(`splits ${name}`, () => expect(hex(splitLengthPrefixed(fromHex(bytes), lengthSize))).to.deep.equal(nalus))
  }

  it('refuses lengths that are cut off or point outside', () => {
    expect(() => splitLengthPrefixed(fromHex('000000'))).to.throw(MalformedError, 'cut off at byte 0 of 3')
    expect(() => splitLengthPrefixed(fromHex('0000000365ff'))).to.throw(
      MalformedError,
      'of 3 bytes at byte 0, but only 2',
    )
    expect(() => splitLengthPrefixed(fromHex('ffffffff65ff'))).to.throw(MalformedError)
  })

  it('holds its limits', () => {
    const many = Buffer.from('0165'.repeat(MAX_NALUS_PER_ACCESS_UNIT + 1), 'hex')
    expect(() => splitLengthPrefixed(many, 1)).to.throw(MalformedError, 'NAL units')
    expect(() => splitLengthPrefixed(Buffer.alloc(MAX_ACCESS_UNIT_SIZE_BYTES + 1))).to.throw(MalformedError, 'above')
  })

  it('takes any bytes', () => {
    fuzz(
      lengthCases.map(({ bytes }) => fromHex(bytes)),
      (bytes) => {
        for (const lengthSize of [1, 2, 4]) {
          const nalus = splitLengthPrefixed(bytes, lengthSize)
          expect(hex(splitLengthPrefixed(joinLengthPrefixed(nalus)))).to.deep.equal(hex(nalus))
        }
      },
    )
  })
})

describe('joining NAL units', () => {
  it('puts 4 bytes before each', () => {
    const nalus = buffers(['6742', '68'])
    expect(joinAnnexB(nalus).toString('hex')).to.equal('0000000167420000000168')
    expect(joinLengthPrefixed(nalus).toString('hex')).to.equal('0000000267420000000168')
    expect(joinAnnexB([])).to.have.length(0)
  })

  it('is undone by splitting', () => {
    // Within a unit, three zeros or two zeros and a one would be protected by an encoder.
    const nalu = fc.array(fc.integer({ min: 2, max: 255 }), { minLength: 1 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.array(nalu), (nalus) => {
        expect(hex(splitAnnexB(joinAnnexB(nalus)))).to.deep.equal(hex(nalus))
        expect(hex(splitLengthPrefixed(joinLengthPrefixed(nalus)))).to.deep.equal(hex(nalus))
      }),
    )
  })
})
