import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { MalformedError } from '../errors.ts'
import { parseAmf3 } from './amf3.ts'
import { AMF_MAX_DEPTH } from './budget.ts'
import { newAmfObject } from './value.ts'
import type { AmfObject, AmfValue } from './value.ts'

function object(fields: Record<string, AmfValue>): AmfObject {
  return Object.assign(newAmfObject(), fields)
}

/** Spaces are for the reader. */
function fromHex(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

const CASES: readonly { readonly name: string; readonly hex: string; readonly value: AmfValue }[] = [
  { name: 'undefined', hex: '00', value: undefined },
  { name: 'null', hex: '01', value: null },
  { name: 'false', hex: '02', value: false },
  { name: 'true', hex: '03', value: true },
  { name: 'an integer of one byte', hex: '047f', value: 127 },
  { name: 'an integer of two bytes', hex: '048100', value: 128 },
  { name: 'an integer of three bytes', hex: '04818000', value: 16_384 },
  { name: 'an integer of four bytes', hex: '0480c08000', value: 2_097_152 },
  { name: 'the largest integer', hex: '04bfffffff', value: 268_435_455 },
  { name: 'the integer -1', hex: '04ffffffff', value: -1 },
  { name: 'a double', hex: '053ff8000000000000', value: 1.5 },
  { name: 'a string', hex: '060b68656c6c6f', value: 'hello' },
  { name: 'an empty string', hex: '0601', value: '' },
  { name: 'an XML document', hex: '07093c612f3e', value: '<a/>' },
  { name: 'E4X', hex: '0b093c612f3e', value: '<a/>' },
  { name: 'a date', hex: '08014076d00000000000', value: new Date(365) },
  { name: 'a dense array', hex: '0905010401 0402', value: [1, 2] },
  {
    name: 'an array with names',
    hex: '09030361 0401 01 0402',
    value: new Map<string, AmfValue>([
      ['a', 1],
      ['0', 2],
    ]),
  },
  { name: 'an anonymous dynamic object', hex: '0a0b01 0361 0401 01', value: object({ a: 1 }) },
  {
    name: 'an object with sealed members',
    hex: '0a2301 0361 0362 0401 0402',
    value: object({ a: 1, b: 2 }),
  },
  {
    name: 'a list that Flex wraps',
    hex: `0a0743${Buffer.from('flex.messaging.io.ArrayCollection').toString('hex')}0903010401`,
    value: [1],
  },
  { name: 'a byte array', hex: '0c0541ff', value: 'A\u00ff' },
  { name: 'a vector of integers', hex: '0d0500 ffffffff 00000002', value: [-1, 2] },
  { name: 'a vector of unsigned integers', hex: '0e0300 ffffffff', value: [4_294_967_295] },
  { name: 'a vector of doubles', hex: '0f0300 3ff8000000000000', value: [1.5] },
  { name: 'a vector of objects', hex: '100300 01 0401', value: [1] },
  { name: 'a dictionary', hex: '110300 060361 0401', value: new Map([['a', 1]]) },
  { name: 'a string by reference', hex: '090501 060361 0600', value: ['a', 'a'] },
  {
    name: 'an object and its traits by reference',
    hex: '090701 0a1301 0361 0401 0a01 0402 0a02',
    value: [object({ a: 1 }), object({ a: 2 }), object({ a: 1 })],
  },
]

const MALFORMED_CASES: readonly (readonly [name: string, hex: string])[] = [
  ['nothing', ''],
  ['a marker that is none', '1201'],
  ['a cut off integer', '0481'],
  ['a cut off double', '053ff8'],
  ['a cut off string', '060b6865'],
  ['a reference to no string', '0600'],
  ['a reference to no object', '0a00'],
  ['a reference to no traits', '0a05'],
  ['an array that is its own member', '090301 0900'],
  ['an array longer than the bytes', '09ffffffff01'],
  ['a vector longer than the bytes', '0dffffffff00'],
  ['more sealed members than bytes', '0affffffff01'],
  ['an object in a format of its own', '0a0703 41 01'],
]

describe('AMF3', () => {
  for (const { name, hex, value } of CASES) {
    it(`reads ${name}`, () => {
      const bytes = fromHex(`ff${hex}ff`)
      expect(parseAmf3(bytes, 1)).to.deep.equal({ value, end: bytes.length - 1 })
    })
  }

  for (const [name, hex] of MALFORMED_CASES) {
    it(`refuses ${name}`, () => expect(() => parseAmf3(fromHex(hex), 0)).to.throw(MalformedError))
  }

  it('limits depth', () => {
    expect(() => parseAmf3(nested(AMF_MAX_DEPTH), 0)).not.to.throw()
    expect(() => parseAmf3(nested(AMF_MAX_DEPTH + 1), 0)).to.throw(MalformedError, 'deeper')
  })

  it('charges for what references repeat', () => {
    const text = Buffer.concat([Buffer.from('06878001', 'hex'), Buffer.alloc(0x1c000 >> 1, 'x')])
    const repeats = Buffer.alloc(2 * 200)
    for (let i = 0; i < 200; i++) repeats.set([0x06, 0x00], 2 * i)
    const bytes = Buffer.concat([Buffer.from('09830b01', 'hex'), text, repeats])
    expect(() => parseAmf3(bytes, 0)).to.throw(MalformedError, 'text')
  })

  it('reads any bytes or refuses them', () => {
    const changed = fc.tuple(fc.constantFrom(...CASES), fc.nat(), fc.nat(255)).map(([{ hex }, at, byte]) => {
      const bytes = fromHex(hex)
      bytes[at % bytes.length] = byte
      return bytes
    })
    const any = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(any, changed), (bytes) => {
        try {
          parseAmf3(bytes, 0)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
      { numRuns: rounds(3000) },
    )
  })
})

function nested(depth: number): Buffer {
  return fromHex(`${'090301'.repeat(depth)}01`)
}
