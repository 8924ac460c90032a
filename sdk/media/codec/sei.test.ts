import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../errors.ts'
import { parseH264Sei, serializeH264Sei } from './h264/sei.ts'
import { parseH265Sei, serializeH265Sei } from './h265/sei.ts'
import { SEI_MAX_MESSAGES, SEI_MAX_PAYLOAD_SIZE_BYTES, SEI_MAX_PAYLOAD_TYPE, type SeiMessage } from './sei.ts'
import { fuzz } from './test/fuzz.ts'

const CODECS = {
  h264: { parse: parseH264Sei, serialize: serializeH264Sei, header: '06' },
  h265: { parse: parseH265Sei, serialize: serializeH265Sei, header: '4e01' },
} as const

const message = (type: number, payload: string): SeiMessage => ({ type, payload: Buffer.from(payload, 'hex') })

/** What follows the header of the NAL unit, and the messages that it is. */
const cases = [
  { name: 'a message', bytes: '0503aabbcc80', messages: [message(5, 'aabbcc')] },
  { name: 'one without a payload', bytes: '040080', messages: [message(4, '')] },
  { name: 'several', bytes: '0101c40502aabb80', messages: [message(1, 'c4'), message(5, 'aabb')] },
  { name: 'the type 255', bytes: 'ff0001aa80', messages: [message(255, 'aa')] },
  { name: 'a type above 255', bytes: 'ffff0301aa80', messages: [message(513, 'aa')] },
  { name: '254 bytes', bytes: `05fe${'aa'.repeat(254)}80`, messages: [message(5, 'aa'.repeat(254))] },
  { name: '255 bytes', bytes: `05ff00${'aa'.repeat(255)}80`, messages: [message(5, 'aa'.repeat(255))] },
  { name: '600 bytes', bytes: `05ffff5a${'aa'.repeat(600)}80`, messages: [message(5, 'aa'.repeat(600))] },
  { name: 'a start code within', bytes: '0504000003000180', messages: [message(5, '00000001')] },
  { name: 'zeros at the end', bytes: '0503aa000080', messages: [message(5, 'aa0000')] },
  { name: 'what looks like trailing bits', bytes: '0502800080', messages: [message(5, '8000')] },
]

const hex = (messages: readonly SeiMessage[]) => messages.map(({ type, payload }) => [type, payload.toString('hex')])

for (const [codec, { parse, serialize, header }] of Object.entries(CODECS)) {
  describe(`SEI of ${codec}`, () => {
    for (const { name, bytes, messages } of cases) {
      it(`parses ${name}`, () => {
        const nalu = Buffer.from(header + bytes, 'hex')
        expect(hex(parse(nalu))).to.eql(hex(messages))
        expect(nalu.toString('hex')).to.equal(header + bytes)
      })
      it(`serializes ${name}`, () => expect(serialize(messages).toString('hex')).to.equal(header + bytes))
    }

    it('parses what lacks its trailing bits, or has zeros behind them', () => {
      for (const bytes of ['0502aabb', '0502aabb800000', '0502aabb8000000300']) {
        expect(hex(parse(Buffer.from(header + bytes, 'hex'))), bytes).to.eql([[5, 'aabb']])
      }
      expect(parse(Buffer.from(header, 'hex'))).to.eql([])
      expect(parse(Buffer.from(`${header}80`, 'hex'))).to.eql([])
      expect(parse(Buffer.alloc(0))).to.eql([])
    })

    for (const [name, bytes, said] of [
      ['without a size', '0580', 'cut off at byte'],
      ['whose type does not end', 'ffff80', 'cut off'],
      ['whose size does not end', '05ffff80', 'cut off'],
      ['longer than the unit', '0503aabb80', 'SEI payload of 3 bytes at byte'],
      ['of a type above the limit', `${'ff'.repeat(17)}0001aa80`, `is above ${SEI_MAX_PAYLOAD_TYPE}`],
      ['of more bytes than the limit', `05${'ff'.repeat(258)}80`, `is above ${SEI_MAX_PAYLOAD_SIZE_BYTES}`],
      ['in too great a number', `${'0500'.repeat(SEI_MAX_MESSAGES + 1)}80`, 'more than 256 SEI messages'],
    ] as const) {
      it(`refuses a message ${name}`, () => {
        expect(() => parse(Buffer.from(header + bytes, 'hex'))).to.throw(MalformedError, said)
      })
    }

    it('makes nothing that it would not parse', () => {
      const [payload, tooLong] = [Buffer.alloc(1), Buffer.alloc(SEI_MAX_PAYLOAD_SIZE_BYTES + 1)]
      const tooMany = Array.from({ length: SEI_MAX_MESSAGES + 1 }, () => message(5, ''))
      for (const messages of [[], tooMany, [{ type: 5, payload: tooLong }]]) {
        expect(() => serialize(messages)).to.throw(RangeError)
      }
      for (const type of [-1, 1.5, NaN, SEI_MAX_PAYLOAD_TYPE + 1]) {
        expect(() => serialize([{ type, payload }]), String(type)).to.throw(RangeError)
      }
      const largest = { type: SEI_MAX_PAYLOAD_TYPE, payload: tooLong.subarray(1) }
      expect(hex(parse(serialize([largest])))).to.eql(hex([largest]))
    })

    it('parses what it has made of any messages', () => {
      const payload = fc.array(fc.constantFrom(0, 1, 2, 3, 0x80, 0xff), { maxLength: 600 })
      const any = fc.record({ type: fc.nat(SEI_MAX_PAYLOAD_TYPE), payload: payload.map((bytes) => Buffer.from(bytes)) })
      fc.assert(
        fc.property(fc.array(any, { minLength: 1, maxLength: 5 }), (messages) => {
          const nalu = serialize(messages)
          expect(nalu.toString('hex')).to.match(new RegExp(`^${header}(?:..)*80$`, 'u'))
          expect(nalu.toString('hex')).not.to.match(/^(?:..)*00000[012]/u)
          expect(hex(parse(nalu))).to.eql(hex(messages))
        }),
      )
    })

    it('takes any bytes, and makes of what it finds in them the same again', () => {
      fuzz(
        cases.map(({ bytes }) => Buffer.from(header + bytes, 'hex')),
        (bytes) => {
          const messages = parse(bytes)
          if (messages.length > 0) expect(hex(parse(serialize(messages)))).to.eql(hex(messages))
        },
      )
    })
  })
}

describe('serializeH265Sei', () => {
  it('is of the temporal layer that it is told', () => {
    expect(serializeH265Sei([message(5, 'aa')], 3).toString('hex')).to.equal('4e030501aa80')
  })
})
