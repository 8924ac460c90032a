import { expect } from 'chai'
import { createHmac } from 'node:crypto'
import { CLIENT_KEY, findDigest, HANDSHAKE_PACKET_SIZE_BYTES, SERVER_KEY, writeDigest } from './digest.ts'

/** Where the digest of 32 bytes lies, for the four bytes that its block starts with. */
const cases = [
  { scheme: 0, block: 8, start: '00000000', offset: 12 },
  { scheme: 0, block: 8, start: 'ffffffff', offset: 304 },
  { scheme: 0, block: 8, start: 'ffffd900', offset: 739 },
  { scheme: 0, block: 8, start: 'ffffda00', offset: 12 },
  { scheme: 1, block: 772, start: '00000000', offset: 776 },
  { scheme: 1, block: 772, start: 'ffffffff', offset: 1068 },
  { scheme: 1, block: 772, start: 'ffffd900', offset: 1503 },
] as const

function packet(block: number, start: string): Buffer {
  const bytes = Buffer.alloc(HANDSHAKE_PACKET_SIZE_BYTES, 0x5a)
  bytes.write(start, block, 'hex')
  return bytes
}

function signedByHand(block: number, start: string, offset: number): Buffer {
  const bytes = packet(block, start)
  const others = Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + 32)])
  createHmac('sha256', 'Genuine Adobe Flash Player 001').update(others).digest().copy(bytes, offset)
  return bytes
}

describe('digest', () => {
  for (const { scheme, block, start, offset } of cases) {
    it(`lies at byte ${offset} in scheme ${scheme} with ${start}`, () => {
      const signed = signedByHand(block, start, offset)
      expect(findDigest(signed, CLIENT_KEY)).to.deep.equal({ scheme, bytes: signed.subarray(offset, offset + 32) })
      const written = packet(block, start)
      writeDigest(written, scheme, CLIENT_KEY)
      expect(written).to.deep.equal(signed)
    })
  }

  it('is not found with the other key, or after a change', () => {
    const signed = signedByHand(8, '00000000', 12)
    expect(findDigest(signed, SERVER_KEY)).to.equal(null)
    signed[1535]! ^= 1
    expect(findDigest(signed, CLIENT_KEY)).to.equal(null)
  })
})
