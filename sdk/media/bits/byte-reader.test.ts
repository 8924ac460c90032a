import { expect } from 'chai'
import { MalformedError } from '../errors.ts'
import { ByteReader } from './byte-reader.ts'

describe('ByteReader', () => {
  it('reads numbers and views', () => {
    const bytes = Buffer.from('0102030405060708', 'hex')
    const reader = new ByteReader(bytes)
    expect(reader.readUint(1)).to.equal(1)
    expect(reader.readUint(3)).to.equal(0x020304)
    const view = reader.readBytes(2)
    bytes[4] = 0xff
    expect(view.toString('hex')).to.equal('ff06')
    expect(reader.bytesLeft).to.equal(2)
  })

  it('refuses to read past the end', () => {
    const reader = new ByteReader(Buffer.alloc(3))
    reader.readUint(2)
    expect(() => reader.readUint(2)).to.throw(MalformedError, '2 bytes needed at byte 2, 1 left')
    expect(() => reader.readBytes(2)).to.throw(MalformedError)
    expect(reader.readBytes(1)).to.have.length(1)
  })
})
