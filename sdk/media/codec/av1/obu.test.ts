import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../nalu.ts'
import { fuzz } from '../test/fuzz.ts'
import { joinObus, MAX_OBUS_PER_TEMPORAL_UNIT, readLeb128, serializeLeb128, splitObus } from './obu.ts'

const fromHex = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')
const format = (bytes: Buffer) =>
  splitObus(bytes).map(({ type, header, payload }) => `${type} ${header.toString('hex')} ${payload.toString('hex')}`)

const SEQUENCE_HEADER = '000000043cfeccdaf94040'

const cases = [
  {
    name: 'a temporal unit (libaom, its frame cut short)',
    hex: `1200 0a0b${SEQUENCE_HEADER} 32041400a0c8`,
    obus: ['2 12 ', `1 0a ${SEQUENCE_HEADER}`, '6 32 1400a0c8'],
    joined: `0a0b${SEQUENCE_HEADER}32041400a0c8`,
  },
  { name: 'one without a size', hex: '30 1400a0c8', obus: ['6 30 1400a0c8'], joined: '32041400a0c8' },
  { name: 'one of a layer', hex: '3608 02 14aa', obus: ['6 3608 14aa'], joined: '36080214aa' },
  { name: 'a size in more bytes than needed', hex: '32828000 14aa', obus: ['6 32 14aa'], joined: '320214aa' },
  { name: 'nothing', hex: '', obus: [], joined: '' },
]

describe('OBUs', () => {
  for (const { name, hex, obus, joined } of cases) {
    it(`split ${name}`, () => expect(format(fromHex(hex))).to.deep.equal(obus))
    it(`join ${name} with sizes`, () => expect(joinObus(splitObus(fromHex(hex))).toString('hex')).to.equal(joined))
  }

  it('refuse what is cut off or forbidden', () => {
    expect(() => splitObus(fromHex('3203aabb'))).to.throw(MalformedError, 'OBU of 3 bytes at 0 of 4')
    expect(() => splitObus(fromHex('12003280'))).to.throw(MalformedError, 'leb128 cut off at byte 3')
    expect(() => splitObus(fromHex('120036'))).to.throw(MalformedError, 'header cut off at byte 2')
    expect(() => splitObus(fromHex('b200'))).to.throw(MalformedError, 'header b2 at byte 0')
  })

  it('hold their limits', () => {
    const most = Buffer.from('1200'.repeat(MAX_OBUS_PER_TEMPORAL_UNIT), 'hex')
    expect(splitObus(most)).to.have.length(MAX_OBUS_PER_TEMPORAL_UNIT)
    expect(() => splitObus(Buffer.concat([most, fromHex('1200')]))).to.throw(MalformedError, 'OBUs')
    expect(() => splitObus(Buffer.alloc(MAX_ACCESS_UNIT_SIZE_BYTES + 1))).to.throw(MalformedError, 'above')
  })

  it('take any bytes', () => {
    fuzz(
      cases.map(({ hex }) => fromHex(hex)),
      (bytes) => {
        const joined = joinObus(splitObus(bytes))
        expect(joinObus(splitObus(joined))).to.deep.equal(joined)
      },
    )
  })
})

describe('leb128', () => {
  for (const [value, hex] of [
    [0, '00'],
    [127, '7f'],
    [128, '8001'],
    [3390, 'be1a'],
    [2 ** 32 - 1, 'ffffffff0f'],
  ] as const) {
    it(`is ${hex} for ${value}`, () => {
      expect(serializeLeb128(value).toString('hex')).to.equal(hex)
      expect(readLeb128(fromHex(`ff${hex}`), 1)).to.deep.equal({ value, sizeBytes: hex.length / 2 })
    })
  }

  it('refuses numbers above 32 bits and of more than 8 bytes', () => {
    expect(() => readLeb128(fromHex('8080808010'), 0)).to.throw(MalformedError, 'leb128 of 4294967296')
    expect(() => readLeb128(fromHex('8080808080808080 00'), 0)).to.throw(MalformedError, 'more than 8 bytes')
  })
})
