import { expect } from 'chai'
import fc from 'fast-check'
import { frameBinaryMessage } from 'sluice/sdk/http'
import { rounds } from '../../support/soak.ts'
import { ChunkedBody, WebSocketBody, type BodyFraming } from './body-framing.ts'

const CASES: readonly { name: string; create: () => BodyFraming; frame: (piece: Buffer) => Buffer }[] = [
  {
    name: 'chunks',
    create: () => new ChunkedBody(),
    frame: (piece) => Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
  },
  { name: 'WebSocket messages', create: () => new WebSocketBody(), frame: frameBinaryMessage },
]
const PIECE = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.constant(new Uint8Array(70_000)))

describe('body framing', () => {
  for (const { name, create, frame } of CASES) {
    it(`takes ${name} apart however their bytes come in`, () => {
      const cut = fc.integer({ min: 1, max: 100_000 })
      fc.assert(
        fc.property(fc.array(PIECE, { minLength: 1, maxLength: 5 }), cut, (pieces, cut) => {
          const sent = Buffer.concat(pieces.map((piece) => frame(Buffer.from(piece))))
          const framing = create()
          const received: Buffer[] = []
          for (let start = 0; start < sent.length; start += cut) {
            received.push(...framing.push(Buffer.from(sent.subarray(start, start + cut))))
          }
          expect(Buffer.concat(received).equals(Buffer.concat(pieces))).to.equal(true)
        }),
        { numRuns: rounds(50) },
      )
    })
  }

  it('does not wait for ever for a header to end', () => {
    expect(() => new ChunkedBody().push(Buffer.alloc(20_000))).to.throw('without end')
    expect(() => new ChunkedBody().push(Buffer.from('0\r\n\r\n'))).to.throw('ended')
  })
})
