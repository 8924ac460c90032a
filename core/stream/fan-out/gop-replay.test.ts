import { expect } from 'chai'
import fc from 'fast-check'
import type { Output } from './batch.ts'
import { GopReplay } from './gop-replay.ts'

const UNIT_BYTES = 10

function outputs(count: number, sizeBytes = UNIT_BYTES): Output[] {
  return Array.from({ length: count }, (_, index) => {
    const bytes = Buffer.alloc(sizeBytes, index)
    return { bytes, sizeBytes, timeMs: index * 40, start: index === 0, config: false }
  })
}

function joined(entries: readonly Output[]): Buffer {
  return Buffer.concat(entries.map(({ bytes }) => bytes))
}

describe('GopReplay', () => {
  it('gives whoever comes all that is kept from where they start, in a few writes', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 60 })
    const comers = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(sizes, comers, (sizesBytes, counts) => {
        const replay = new GopReplay()
        const all = sizesBytes.flatMap((sizeBytes) => outputs(1, sizeBytes))
        for (const count of counts.toSorted((a, b) => a - b)) {
          const kept = all.slice(0, count)
          const buffers = replay.take(kept, 0)
          expect(Buffer.concat(buffers)).to.eql(joined(kept))
          expect(buffers.length).to.be.at.most(1 + Math.log2(joined(kept).length))
        }
      }),
    )
  })

  it('gives those who come between two units the same bytes', () => {
    const replay = new GopReplay()
    const kept = outputs(30)
    replay.take(kept.slice(0, 20), 0)
    const first = replay.take(kept, 0)
    const second = replay.take(kept, 0)
    expect(second.length).to.equal(first.length)
    for (const [index, bytes] of second.entries()) expect(bytes).to.equal(first[index])
  })

  it('copies media a few times in all when somebody comes with each unit', () => {
    const copied = new Set<Buffer>()
    const replay = new GopReplay()
    const kept = outputs(256)
    for (let count = 1; count <= kept.length; count++) {
      for (const bytes of replay.take(kept.slice(0, count), 0)) copied.add(bytes)
    }
    const copiedBytes = Buffer.concat([...copied]).length
    expect(copiedBytes).to.be.at.most(256 * UNIT_BYTES * Math.log2(256))
  })

  it('begins anew with another start, and after it was cleared', () => {
    const replay = new GopReplay()
    const kept = outputs(30)
    replay.take(kept, 0)
    expect(Buffer.concat(replay.take(kept, 10))).to.eql(joined(kept.slice(10)))
    replay.clear()
    expect(Buffer.concat(replay.take(kept.slice(0, 5), 0))).to.eql(joined(kept.slice(0, 5)))
  })
})
