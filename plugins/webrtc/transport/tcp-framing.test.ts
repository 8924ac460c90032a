import { expect } from 'chai'
import fc from 'fast-check'
import { FrameReader, MAX_FRAME_BYTES, serializeFrames } from './tcp-framing.ts'

describe('FrameReader', () => {
  it('gives the frames that were written, however they are cut', () => {
    const packets = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 10 })
    fc.assert(
      fc.property(packets, fc.integer({ min: 1, max: 50 }), (arrays, stepBytes) => {
        const written = arrays.map((array) => Buffer.from(array))
        const bytes = serializeFrames(written)
        const reader = new FrameReader()
        const frames: Buffer[] = []
        for (let offset = 0; offset < bytes.length; offset += stepBytes) {
          expect(reader.read(bytes.subarray(offset, offset + stepBytes), (frame) => frames.push(frame))).to.equal(true)
        }
        expect(frames).to.eql(written)
      }),
    )
  })

  it('refuses a frame that is longer than any of ICE, before its bytes have come', () => {
    const announced = Buffer.alloc(2)
    announced.writeUInt16BE(MAX_FRAME_BYTES + 1)
    expect(new FrameReader().read(announced, () => {})).to.equal(false)
  })

  it('leaves empty frames out', () => {
    const frames: Buffer[] = []
    new FrameReader().read(Buffer.from([0, 0, 0, 1, 7]), (frame) => frames.push(frame))
    expect(frames).to.eql([Buffer.from([7])])
  })
})
