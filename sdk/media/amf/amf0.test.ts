import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { MalformedError } from '../errors.ts'
import { parseAmf0, serializeAmf0 } from './amf0.ts'
import { AMF_MAX_DEPTH, AMF_MAX_STRING_BYTES, AMF_MAX_TEXT_BYTES, AMF_MAX_VALUES } from './budget.ts'
import { amfFields, isAmfObject, newAmfObject } from './value.ts'
import type { AmfObject, AmfValue } from './value.ts'

function object(fields: Record<string, AmfValue>): AmfObject {
  return Object.assign(newAmfObject(), fields)
}

/** Spaces are for the reader. */
function fromHex(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

type Case = { readonly name: string; readonly hex: string; readonly values: AmfValue[] }

/** Both ways. */
const CASES: readonly Case[] = [
  { name: 'nothing', hex: '', values: [] },
  { name: 'a number', hex: '003ff0000000000000', values: [1] },
  { name: 'a negative number', hex: '00c059000000000000', values: [-100] },
  { name: 'true and false', hex: '01010100', values: [true, false] },
  { name: 'a string', hex: '0200046c697665', values: ['live'] },
  { name: 'a string of two-byte characters', hex: '020004c3a9c3a9', values: ['éé'] },
  { name: 'null and undefined', hex: '0506', values: [null, undefined] },
  { name: 'an object', hex: '03000161003ff000000000000000016205000009', values: [object({ a: 1, b: null })] },
  { name: 'an empty object', hex: '03000009', values: [object({})] },
  { name: 'an ECMA array', hex: '080000000100016101010000 09', values: [new Map([['a', true]])] },
  { name: 'a strict array', hex: '0a000000020200017806', values: [['x', undefined]] },
  { name: 'a date', hex: '0b4076d000000000000000', values: [new Date(365)] },
  {
    name: 'the start of a connect command',
    hex: '020007636f6e6e656374003ff000000000000003000361707002 00046c697665000009',
    values: ['connect', 1, object({ app: 'live' })],
  },
  {
    name: 'objects within objects',
    hex: '0300016f0300016c0a000000010500000900 0009',
    values: [object({ o: object({ l: [null] }) })],
  },
]

/** As peers may send them; written otherwise. */
const READ_ONLY_CASES: readonly Case[] = [
  { name: 'a short text as a long string', hex: '0c000000026f6b', values: ['ok'] },
  { name: 'an XML document', hex: '0f000000043c612f3e', values: ['<a/>'] },
  { name: 'an unsupported value', hex: '0d', values: [undefined] },
  { name: 'any other boolean than 0', hex: '0102', values: [true] },
  { name: 'a typed object, without its class', hex: '10000243430001610500 0009', values: [object({ a: null })] },
  {
    name: 'an ECMA array with a wrong count',
    hex: '0800000000000161010100 0009',
    values: [new Map([['a', true]])],
  },
  { name: 'an ECMA array cut off at its end', hex: '08000000010001610101', values: [new Map([['a', true]])] },
  {
    name: 'a reference',
    hex: '0300016105000009 070000',
    values: [object({ a: null }), object({ a: null })],
  },
  { name: 'script data with an end of its own', hex: '02000161000009', values: ['a'] },
  { name: 'a value in AMF3', hex: '11060b68656c6c6f', values: ['hello'] },
  { name: 'a date with a time zone', hex: '0b4076d00000000000003c', values: [new Date(365)] },
]

const MALFORMED_CASES: readonly (readonly [name: string, hex: string])[] = [
  ['a cut off number', '003ff0'],
  ['a cut off string', '0200056162'],
  ['a boolean without value', '01'],
  ['a movie clip', '04'],
  ['an object end by itself', '09'],
  ['a marker that is none', '12'],
  ['an object without end', '0300016105'],
  ['a strict array longer than the bytes', '0affffffff05'],
  ['a reference to nothing', '070000'],
  ['a reference to what it is in', '03000161070000000009'],
]

describe('AMF0', () => {
  for (const { name, hex, values } of [...CASES, ...READ_ONLY_CASES]) {
    it(`reads ${name}`, () => expect(parseAmf0(fromHex(hex))).to.deep.equal(values))
  }

  for (const { name, hex, values } of CASES) {
    it(`writes ${name}`, () => expect(serializeAmf0(values).toString('hex')).to.equal(hex.replaceAll(' ', '')))
  }

  for (const [name, hex] of MALFORMED_CASES) {
    it(`refuses ${name}`, () => expect(() => parseAmf0(fromHex(hex))).to.throw(MalformedError))
  }

  it('writes long texts as long strings', () => {
    const text = 'x'.repeat(AMF_MAX_STRING_BYTES)
    const bytes = serializeAmf0([text])
    expect(bytes.toString('hex', 0, 5)).to.equal('0c00010000')
    expect(parseAmf0(bytes)).to.deep.equal([text])
  })

  it('refuses to write a property name that has no room', () => {
    expect(() => serializeAmf0([{ ['x'.repeat(65_536)]: 1 }])).to.throw(RangeError)
  })

  it('lets __proto__ do nothing', () => {
    const bytes = serializeAmf0([new Map<string, AmfValue>([['__proto__', object({ admin: true })]])])
    bytes[0] = 0x03
    const asObject = Buffer.concat([bytes.subarray(0, 1), bytes.subarray(5)])
    const [value] = parseAmf0(asObject)
    expect(value).to.deep.equal(object({}))
    expect(Object.getPrototypeOf(value)).to.equal(null)
    expect({}).not.to.have.property('admin')
  })

  it('limits depth', () => {
    expect(parseAmf0(nested(AMF_MAX_DEPTH))).to.have.length(1)
    expect(() => parseAmf0(nested(AMF_MAX_DEPTH + 1))).to.throw(MalformedError, 'deeper')
    expect(() => parseAmf0(nested(1_000_000))).to.throw(MalformedError, 'deeper')
  })

  it('limits the number of values', () => {
    expect(parseAmf0(Buffer.alloc(AMF_MAX_VALUES, 5))).to.have.length(AMF_MAX_VALUES)
    expect(() => parseAmf0(Buffer.alloc(AMF_MAX_VALUES + 1, 5))).to.throw(MalformedError, 'values')
  })

  it('limits one text and all texts', () => {
    const tooLong = serializeAmf0(['x'.repeat(AMF_MAX_STRING_BYTES + 1)])
    expect(() => parseAmf0(tooLong)).to.throw(MalformedError, 'string of')
    const one = serializeAmf0(['x'.repeat(AMF_MAX_STRING_BYTES)])
    const many = Buffer.concat(Array<Buffer>(AMF_MAX_TEXT_BYTES / AMF_MAX_STRING_BYTES + 1).fill(one))
    expect(() => parseAmf0(many)).to.throw(MalformedError, 'text')
  })

  it('charges for what references repeat', () => {
    // Each array holds the one before twice, so that 40 of them stand for 2^40 values.
    const arrays = Array.from({ length: 40 }, (_, index) => {
      const reference = Buffer.of(0x07, 0, index)
      return Buffer.concat([Buffer.of(0x0a, 0, 0, 0, 2), reference, reference])
    })
    const bytes = Buffer.concat([Buffer.from('0a00000000', 'hex'), ...arrays])
    expect(() => parseAmf0(bytes)).to.throw(MalformedError, 'values')
  })

  it('writes what it reads, and reads what it writes', () => {
    fc.assert(
      fc.property(fc.array(amfValue(), { maxLength: 5 }), (values) => {
        expect(isDeepStrictEqual(parseAmf0(serializeAmf0(values)), values)).to.equal(true)
      }),
    )
  })

  it('parses any bytes or refuses them', () => {
    const seeds = [...CASES, ...READ_ONLY_CASES].map(({ hex }) => fromHex(hex))
    fc.assert(fc.property(mutated(seeds), parsesOrRefuses), { numRuns: rounds(2000) })
  })
})

function nested(depth: number): Buffer {
  return fromHex(`${'0a00000001'.repeat(depth)}05`)
}

function parsesOrRefuses(bytes: Buffer): void {
  let values: AmfValue[]
  try {
    values = parseAmf0(bytes)
  } catch (error) {
    expect(error).to.be.instanceOf(MalformedError)
    return
  }
  serializeAmf0(values)
  JSON.stringify(values)
}

function amfValue(): fc.Arbitrary<AmfValue> {
  const { value } = fc.letrec<{ value: AmfValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.double({ noNaN: true }),
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.constant(null),
      fc.constant(undefined),
      fc.date({ noInvalidDate: true }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(fc.string(), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
      fc.array(fc.tuple(name(), tie('value')), { maxLength: 4 }).map((entries) => object(Object.fromEntries(entries))),
    ),
  }))
  return value
}

function name(): fc.Arbitrary<string> {
  return fc.string().filter((text) => text !== '__proto__')
}

/** Any bytes, or the bytes of a case with one byte replaced and an end cut off. */
function mutated(seeds: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const any = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes))
  const changed = fc.tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(255), fc.nat()).map(([seed, at, byte, cut]) => {
    const bytes = Buffer.from(seed)
    if (bytes.length > 0) bytes[at % bytes.length] = byte
    return bytes.subarray(0, bytes.length - (cut % 4 === 0 ? cut % (bytes.length + 1) : 0))
  })
  return fc.oneof(any, changed)
}

describe('isAmfObject', () => {
  it('tells objects with properties from all else', () => {
    expect(isAmfObject(object({}))).to.equal(true)
    for (const other of [null, undefined, [], new Map(), new Date(), 'x', 1]) expect(isAmfObject(other)).to.equal(false)
  })
})

describe('amfFields', () => {
  it('gives the properties of objects and associative arrays alone', () => {
    for (const value of [object({ a: 1 }), new Map([['a', 1]])]) expect(amfFields(value)).to.deep.equal({ a: 1 })
    for (const other of [null, undefined, [1], new Date(), 'x', 1]) expect(amfFields(other)).to.equal(undefined)
  })
})
