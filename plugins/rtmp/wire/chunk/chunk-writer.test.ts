import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { fromHex, readAll } from '../fixtures/read-all.ts'
import type { MessageHeader } from '../message/raw-message.ts'
import { serializeChunks } from './chunk-writer.ts'

const audio: MessageHeader = { chunkStreamId: 4, typeId: 8, messageStreamId: 1, timestamp: 1000 }

/** Blanks are for the reader. */
const cases: { name: string; header: MessageHeader; parts: string[]; chunkSizeBytes: number; hex: string }[] = [
  {
    name: 'one chunk',
    header: audio,
    parts: ['af01', '02'],
    chunkSizeBytes: 3,
    hex: '04 0003e8 000003 08 01000000 af0102',
  },
  { name: 'no payload', header: audio, parts: [], chunkSizeBytes: 128, hex: '04 0003e8 000000 08 01000000' },
  {
    name: 'parts cut across chunks',
    header: audio,
    parts: ['a1', 'a2a3a4', '', 'a5'],
    chunkSizeBytes: 2,
    hex: '04 0003e8 000005 08 01000000 a1a2 c4 a3a4 c4 a5',
  },
  {
    name: 'an extended timestamp in every chunk',
    header: { ...audio, timestamp: 0x01020304 },
    parts: ['a1a2a3'],
    chunkSizeBytes: 2,
    hex: '04 ffffff 000003 08 01000000 01020304 a1a2 c4 01020304 a3',
  },
  {
    name: 'the first timestamp that is extended',
    header: { ...audio, timestamp: 0xffffff },
    parts: ['a1'],
    chunkSizeBytes: 2,
    hex: '04 ffffff 000001 08 01000000 00ffffff a1',
  },
  {
    name: 'the last timestamp that is not',
    header: { ...audio, timestamp: 0xfffffe },
    parts: ['a1'],
    chunkSizeBytes: 2,
    hex: '04 fffffe 000001 08 01000000 a1',
  },
  {
    name: 'a chunk stream id of two bytes',
    header: { ...audio, chunkStreamId: 319 },
    parts: ['a1a2'],
    chunkSizeBytes: 1,
    hex: '00ff 0003e8 000002 08 01000000 a1 c0ff a2',
  },
  {
    name: 'a chunk stream id of three bytes',
    header: { ...audio, chunkStreamId: 320 },
    parts: ['a1a2'],
    chunkSizeBytes: 1,
    hex: '010001 0003e8 000002 08 01000000 a1 c10001 a2',
  },
]

function setChunkSize(sizeBytes: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(sizeBytes)
  return serializeChunks({ chunkStreamId: 2, typeId: 1, messageStreamId: 0, timestamp: 0 }, [payload], 128)
}

describe('serializeChunks', () => {
  for (const { name, header, parts, chunkSizeBytes, hex } of cases) {
    it(`writes ${name}, which reads back`, () => {
      const bytes = serializeChunks(header, parts.map(fromHex), chunkSizeBytes)
      expect(bytes.toString('hex')).to.equal(fromHex(hex).toString('hex'))
      const payload = fromHex(parts.join(''))
      expect(readAll([setChunkSize(chunkSizeBytes), bytes])).to.deep.equal([{ ...header, payload }])
    })
  }

  it('takes a time past 32 bits modulo that', () => {
    const bytes = serializeChunks({ ...audio, timestamp: 2 ** 32 + 1000 }, [fromHex('a1')], 128)
    expect(readAll([bytes])[0]?.timestamp).to.equal(1000)
  })

  it('writes what reads back, whatever came before', () => {
    const message = fc.record({
      chunkStreamId: fc.oneof(fc.integer({ min: 2, max: 8 }), fc.integer({ min: 60, max: 70 }), fc.constant(65_599)),
      typeId: fc.constantFrom(8, 9, 18, 20),
      messageStreamId: fc.nat(0xffffffff),
      timestamp: fc.oneof(fc.nat(100_000), fc.integer({ min: 0xfffff0, max: 0x100000f }), fc.nat(0xffffffff)),
      parts: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), fc.integer({ min: 1, max: 400 }), (messages, chunkSizeBytes) => {
        const chunks = messages.map(({ parts, ...header }) => {
          const buffers = parts.map((part) => Buffer.from(part))
          return {
            raw: { ...header, payload: Buffer.concat(buffers) },
            bytes: serializeChunks(header, buffers, chunkSizeBytes),
          }
        })
        const bytes = Buffer.concat([setChunkSize(chunkSizeBytes), ...chunks.map((chunk) => chunk.bytes)])
        expect(readAll([bytes])).to.deep.equal(chunks.map((chunk) => chunk.raw))
      }),
      { numRuns: rounds(300) },
    )
  })
})
