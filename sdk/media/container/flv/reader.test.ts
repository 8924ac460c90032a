import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { MalformedError } from '../../errors.ts'
import { fromHex, mutations, parsesOrRefuses, loadFlv } from './fixtures/bytes.ts'
import { FlvReader } from './reader.ts'
import { serializeFlvFileHeader } from './file-header.ts'
import { serializeFlvTag } from './tag.ts'
import type { FlvTag } from './tag.ts'

const FILE = loadFlv('h264-aac')

function readAll(chunks: readonly Buffer[]): FlvTag[] {
  const reader = new FlvReader()
  return chunks.flatMap((chunk) => reader.push(chunk))
}

/** Cuts bytes after every so many, by a list of lengths that is gone through again and again. */
function cut(bytes: Buffer, lengths: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  for (let start = 0, i = 0; start < bytes.length; i++) {
    const length = lengths[i % lengths.length]!
    chunks.push(bytes.subarray(start, start + length))
    start += length
  }
  return chunks
}

describe('FlvReader', () => {
  it('reads a file that ffmpeg wrote', () => {
    const reader = new FlvReader()
    const tags = reader.push(FILE)
    expect(reader.header).to.deep.equal({ audio: true, video: true })
    expect(tags[0]).to.include({ type: 18, timestampMs: 0 })
    expect(tags.filter(({ type }) => type === 9)).to.have.length(15 + 2)
    const sizes = tags.map(({ body }) => 11 + body.length + 4)
    expect(sizes.reduce((sum, size) => sum + size, 13)).to.equal(FILE.length)
  })

  it('reads the same however the bytes come in', () => {
    const whole = readAll([FILE])
    expect(readAll(cut(FILE, [1]))).to.deep.equal(whole)
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 8 }), (lengths) => {
        expect(readAll(cut(FILE, lengths))).to.deep.equal(whole)
      }),
      { numRuns: rounds(30) },
    )
  })

  it('gives no tag before its last byte', () => {
    const bytes = Buffer.concat([
      serializeFlvFileHeader({ audio: true, video: false }),
      serializeFlvTag(8, 7, [fromHex('aa')]),
    ])
    const reader = new FlvReader()
    expect(reader.push(bytes.subarray(0, -1))).to.deep.equal([])
    expect(reader.push(bytes.subarray(-1))).to.deep.equal([{ type: 8, timestampMs: 7, body: fromHex('aa') }])
  })

  it('steps over a header that is longer than it knows', () => {
    const header = fromHex('464c56 01 04 0000000b eeee 00000000')
    expect(readAll([header, serializeFlvTag(8, 0, [])])).to.have.length(1)
  })

  it('does not mind wrong sizes between tags', () => {
    const tag = serializeFlvTag(8, 0, [])
    tag.fill(0xff, tag.length - 4)
    expect(readAll([serializeFlvFileHeader({ audio: true, video: true }), tag, tag])).to.have.length(2)
  })

  it('refuses what is not FLV', () => {
    expect(() => readAll([Buffer.from('HTTP/1.1 200 OK')])).to.throw(MalformedError)
    expect(() => readAll([FILE.subarray(0, 13), Buffer.alloc(11, 0xff)])).to.throw(MalformedError)
  })

  it('reads any bytes or refuses them', () => {
    const bytes = fc.tuple(mutations([FILE.subarray(0, 900)]), fc.integer({ min: 1, max: 50 }))
    fc.assert(fc.property(bytes, ([file, length]) => parsesOrRefuses(() => readAll(cut(file, [length])))))
  })
})
