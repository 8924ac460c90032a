import { expect } from 'chai'
import { MAX_ACCESS_UNIT_SIZE_BYTES } from '../codec/nalu.ts'
import { MalformedError } from '../errors.ts'
import { packetOf } from './fixtures/packets.ts'
import { FrameAssembler } from './frame-assembler.ts'
import { MAX_PACKETS_PER_ACCESS_UNIT } from './limits.ts'

function newAssembler(): { push: (payload: Buffer, timestamp: number, marker: boolean) => number[] } {
  const assembler = new FrameAssembler(() => ({ keyframe: true, config: undefined }))
  const read = (payload: Buffer) => {
    if (payload[0] === 1) assembler.begin()
    assembler.add(payload)
    assembler.end(true)
  }
  return {
    push: (payload, timestamp, marker) =>
      assembler.push(packetOf(payload, timestamp, marker), true, read).map((frame) => frame.timestamp),
  }
}

describe('FrameAssembler', () => {
  const LIMITS: readonly [what: string, count: number, sizeBytes: number][] = [
    ['packets', MAX_PACKETS_PER_ACCESS_UNIT, 1],
    ['bytes', 16, MAX_ACCESS_UNIT_SIZE_BYTES / 16],
  ]
  for (const [what, count, sizeBytes] of LIMITS) {
    it(`gives up a frame of too many ${what}, and goes on`, () => {
      const { push } = newAssembler()
      const part = Buffer.alloc(sizeBytes)
      expect(push(Buffer.alloc(sizeBytes, 1), 1, false)).to.deep.equal([])
      for (let index = 1; index < count; index++) push(part, 1, false)
      expect(() => push(part, 1, false)).to.throw(MalformedError, `frame of more than`)
      expect(push(part, 1, true)).to.deep.equal([])
      expect(push(Buffer.of(1), 2, true)).to.deep.equal([2])
    })
  }

  it('gives a frame whose end the next one shows, and both when that is whole', () => {
    const { push } = newAssembler()
    expect(push(Buffer.of(1), 2 ** 32 - 1, false)).to.deep.equal([])
    expect(push(Buffer.of(1), 0, false)).to.deep.equal([2 ** 32 - 1])
    expect(push(Buffer.of(1), 0, true)).to.deep.equal([0, 0])
  })
})
