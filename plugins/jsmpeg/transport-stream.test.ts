import { expect } from 'chai'
import { TransportStreamCutter } from './transport-stream.ts'

describe('TransportStreamCutter', () => {
  it('gives whole packets, however they come in, and loses nothing', () => {
    const stream = Buffer.from(Array.from({ length: 188 * 20 }, (_, index) => index % 251))
    const cutter = new TransportStreamCutter()
    const pieces: Buffer[] = []
    let at = 0
    for (const length of [1, 186, 1, 188, 500, 0, 3000]) {
      const piece = cutter.push(stream.subarray(at, at + length))
      at += length
      if (piece !== undefined) pieces.push(piece)
    }
    for (const { length } of pieces) expect(length % 188).to.equal(0)
    const given = Buffer.concat(pieces)
    expect(given.equals(stream.subarray(0, given.length))).to.equal(true)
    expect(given.length).to.equal(at - (at % 188))
  })
})
