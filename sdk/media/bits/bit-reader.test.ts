import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../errors.ts'
import { BitReader } from './bit-reader.ts'
import { BitWriter } from './bit-writer.ts'

const reader = (hex: string) => new BitReader(Buffer.from(hex, 'hex'))

// ISO/IEC 14496-10 table 9-2 and 9-3: bits, ue(v), se(v).
const golomb = [
  ['1', 0, 0],
  ['010', 1, 1],
  ['011', 2, -1],
  ['00100', 3, 2],
  ['00101', 4, -2],
  ['0001000', 7, 4],
  ['0'.repeat(31) + '1' + '1'.repeat(31), 2 ** 32 - 2, -(2 ** 31 - 1)],
] as const

function fromBits(bits: string): BitReader {
  const writer = new BitWriter()
  for (const bit of bits) writer.writeFlag(bit === '1')
  return new BitReader(writer.toBuffer())
}

function bitsOf(writer: BitWriter): string {
  return Array.from(writer.toBuffer(), (byte) => byte.toString(2).padStart(8, '0')).join('')
}

describe('BitReader', () => {
  it('reads across byte boundaries', () => {
    const bits = reader('a5f0')
    expect(bits.readBits(3)).to.equal(0b101)
    expect(bits.readBits(7)).to.equal(0b0010111)
    expect(bits.readFlag()).to.equal(true)
    expect(bits.bitsLeft).to.equal(5)
    expect(bits.position).to.equal(11)
  })

  it('reads bytes as views on byte boundaries, else as copies', () => {
    const bytes = Buffer.from('a5f00f', 'hex')
    const bits = new BitReader(bytes)
    const view = bits.readBytes(1)
    expect(view.buffer).to.equal(bytes.buffer)
    expect(view.toString('hex')).to.equal('a5')
    bits.skipBits(3)
    expect(() => bits.readBytes(2)).to.throw(MalformedError, '16 bits needed at bit 11')
    expect(bits.fork().readBytes(1).toString('hex')).to.equal('80')
    expect(bits.position).to.equal(11)
    expect(bits.readBytes(1).toString('hex')).to.equal('80')
    expect(bits.position).to.equal(19)
    expect(bytes.toString('hex')).to.equal('a5f00f')
  })

  it('reads 32 bits as an unsigned number, aligned or not', () => {
    expect(reader('ffffffff').readBits(32)).to.equal(0xffffffff)
    const bits = reader('0ffffffff0')
    bits.skipBits(4)
    expect(bits.readBits(32)).to.equal(0xffffffff)
  })

  it('aligns to bytes', () => {
    const bits = reader('80ff')
    bits.alignToByte()
    expect(bits.position).to.equal(0)
    bits.skipBits(1)
    bits.alignToByte()
    expect(bits.readBits(8)).to.equal(0xff)
  })

  for (const [bits, ue, se] of golomb) {
    it(`reads Exp-Golomb ${ue} and ${se}`, () => {
      expect(fromBits(bits).readUe()).to.equal(ue)
      expect(fromBits(bits).readSe()).to.equal(se)
    })
  }

  it('refuses Exp-Golomb numbers that are too long, too large or cut off', () => {
    expect(() => reader('0000000080000000').readUe()).to.throw(MalformedError, 'longer than 63 bits')
    expect(() => fromBits('00100').readUe(2)).to.throw(MalformedError, '3 at bit 0 is above its limit of 2')
    expect(() => reader('00').readUe()).to.throw(MalformedError, '1 bits needed at bit 8')
  })

  it('refuses to read or skip past the end', () => {
    expect(() => reader('00').readBits(9)).to.throw(MalformedError, '9 bits needed at bit 0, 8 left')
    expect(() => reader('00').skipBits(9)).to.throw(MalformedError)
    expect(reader('').bitsLeft).to.equal(0)
  })
})

describe('BitWriter', () => {
  it('writes what BitReader reads', () => {
    const field = fc.integer({ min: 1, max: 32 }).chain((count) => fc.tuple(fc.nat(2 ** count - 1), fc.constant(count)))
    fc.assert(
      fc.property(fc.array(field, { maxLength: 20 }), (fields) => {
        const writer = new BitWriter()
        for (const [value, count] of fields) writer.writeBits(value, count)
        const bits = new BitReader(writer.toBuffer())
        for (const [value, count] of fields) expect(bits.readBits(count)).to.equal(value)
        expect(bits.bitsLeft).to.be.below(8)
      }),
    )
  })

  for (const [bits, ue, se] of golomb) {
    it(`writes Exp-Golomb ${ue} and ${se}`, () => {
      const [unsigned, signed] = [new BitWriter(), new BitWriter()]
      unsigned.writeUe(ue)
      signed.writeSe(se)
      for (const writer of [unsigned, signed]) expect(bitsOf(writer)).to.equal(bits.padEnd(bitsOf(writer).length, '0'))
    })
  }

  it('writes Exp-Golomb numbers that BitReader reads', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2 ** 32 - 2), fc.integer({ min: -(2 ** 31 - 1) }))), (numbers) => {
        const writer = new BitWriter()
        for (const [ue, se] of numbers) {
          writer.writeUe(ue)
          writer.writeSe(se)
        }
        const bits = new BitReader(writer.toBuffer())
        for (const [ue, se] of numbers) expect([bits.readUe(), bits.readSe()]).to.eql([ue, se])
      }),
    )
  })

  it('aligns to bytes with zeros', () => {
    const writer = new BitWriter()
    writer.alignToByte()
    writer.writeFlag(true)
    writer.alignToByte()
    writer.writeBits(0xff, 8)
    expect(writer.toBuffer().toString('hex')).to.equal('80ff')
  })
})
