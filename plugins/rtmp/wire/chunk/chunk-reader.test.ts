import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../../test/support/soak.ts'
import { bytewise, fromHex, readAll } from '../fixtures/read-all.ts'
import type { RawMessage } from '../message/raw-message.ts'
import { ChunkReader } from './chunk-reader.ts'
import { serializeChunks } from './chunk-writer.ts'
import {
  DEFAULT_CHUNK_SIZE_BYTES,
  MAX_CHUNK_STREAMS,
  MAX_COMMAND_SIZE_BYTES,
  MAX_PARTIAL_SIZE_BYTES,
} from './limits.ts'

/** What a case says of a message: chunk stream, type, message stream, timestamp and payload. */
type Summary = readonly [chunkStreamId: number, typeId: number, messageStreamId: number, timestamp: number, hex: string]

/** Chunks written down by hand after RTMP 1.0 §5.3; blanks are for the reader. */
const cases: { name: string; hex: string; messages: Summary[] }[] = [
  { name: 'format 0', hex: '04 0003e8 000002 08 01000000 af01', messages: [[4, 8, 1, 1000, 'af01']] },
  {
    name: 'formats 1, 2 and 3, each a message',
    hex: '04 0003e8 000002 08 01000000 af01  44 000017 000003 08 af0102  84 000018 af0103  c4 af0104',
    messages: [
      [4, 8, 1, 1000, 'af01'],
      [4, 8, 1, 1023, 'af0102'],
      [4, 8, 1, 1047, 'af0103'],
      [4, 8, 1, 1071, 'af0104'],
    ],
  },
  {
    name: 'format 3 after format 0, whose timestamp is the step (ffmpeg)',
    hex: '04 000017 000001 08 01000000 01  c4 02',
    messages: [
      [4, 8, 1, 23, '01'],
      [4, 8, 1, 46, '02'],
    ],
  },
  {
    name: 'format 1 first (librtmp)',
    hex: '42 000010 000006 04 000700000001',
    messages: [[2, 4, 0, 16, '000700000001']],
  },
  { name: 'a message of no bytes', hex: '04 000001 000000 09 01000000', messages: [[4, 9, 1, 1, '']] },
  {
    name: 'chunk stream ids of two and three bytes',
    hex: '00ff 000001 000001 08 01000000 01  010001 000002 000001 08 01000000 02  01ffff 000003 000001 08 01000000 03',
    messages: [
      [319, 8, 1, 1, '01'],
      [320, 8, 1, 2, '02'],
      [65599, 8, 1, 3, '03'],
    ],
  },
  {
    name: 'two messages in chunks one after the other',
    hex: '02 000000 000004 01 00000000 00000002  04 000001 000003 08 01000000 a1a2  06 000002 000004 09 01000000 b1b2  c4 a3  c6 b3b4',
    messages: [
      [4, 8, 1, 1, 'a1a2a3'],
      [6, 9, 1, 2, 'b1b2b3b4'],
    ],
  },
  {
    name: 'a chunk size that changes within a message',
    hex: '02 000000 000004 01 00000000 00000001  04 000001 000004 08 01000000 a1  02 000000 000004 01 00000000 00  c2 00 c2 00 c2 03  c4 a2a3a4',
    messages: [[4, 8, 1, 1, 'a1a2a3a4']],
  },
  {
    name: 'an aborted message',
    hex: '02 000000 000004 01 00000000 00000002  04 000001 000003 08 01000000 a1a2  02 000000 000004 02 00000000 0000 c2 0004  04 000005 000001 08 01000000 a9',
    messages: [[4, 8, 1, 5, 'a9']],
  },
  {
    name: 'an extended timestamp',
    hex: '04 ffffff 000001 08 01000000 01000000 a1',
    messages: [[4, 8, 1, 0x1000000, 'a1']],
  },
  {
    name: 'an extended timestamp that needs no extension',
    hex: '04 ffffff 000001 08 01000000 00ffffff a1',
    messages: [[4, 8, 1, 0xffffff, 'a1']],
  },
  {
    name: 'an extended timestamp repeated by format 3',
    hex: '02 000000 000004 01 00000000 00000002  04 ffffff 000003 08 01000000 01020304 a1a2  c4 01020304 a3',
    messages: [[4, 8, 1, 0x01020304, 'a1a2a3']],
  },
  {
    name: 'an extended timestamp not repeated by format 3',
    hex: '02 000000 000004 01 00000000 00000002  04 ffffff 000003 08 01000000 01020304 a1a2  c4 a3',
    messages: [[4, 8, 1, 0x01020304, 'a1a2a3']],
  },
  {
    name: 'an extended timestamp not repeated, before bytes that begin like it',
    hex: '02 000000 000004 01 00000000 00000002  04 ffffff 000004 08 01000000 01020304 a1a2  c4 0102  84 000001 a5a6 c4 a7a8',
    messages: [
      [4, 8, 1, 0x01020304, 'a1a20102'],
      [4, 8, 1, 0x01020305, 'a5a6a7a8'],
    ],
  },
  {
    name: 'an extended delta, repeated by the chunk and by the next message',
    hex: '02 000000 000004 01 00000000 00000002  04 000001 000003 08 01000000 a1a2 c4 a3  44 ffffff 000003 08 01000000 b1b2 c4 01000000 b3  c4 01000000 d1d2 c4 01000000 d3',
    messages: [
      [4, 8, 1, 1, 'a1a2a3'],
      [4, 8, 1, 0x1000001, 'b1b2b3'],
      [4, 8, 1, 0x2000001, 'd1d2d3'],
    ],
  },
  {
    name: 'a delta over the end of 32 bits',
    hex: '04 ffffff 000001 08 01000000 fffffff0 a1  84 000020 a2',
    messages: [
      [4, 8, 1, 0xfffffff0, 'a1'],
      [4, 8, 1, 0x10, 'a2'],
    ],
  },
]

const malformed: { name: string; hex: string; message: string }[] = [
  { name: 'format 2 first', hex: '84000000', message: 'format 2 first' },
  { name: 'format 3 first', hex: 'c4', message: 'format 3 first' },
  { name: 'format 0 within a message', hex: `04 000000 000081 08 01000000 ${'00'.repeat(128)} 04`, message: 'within' },
  { name: 'chunk size 0', hex: '02 000000 000004 01 00000000 00000000', message: 'chunk size' },
  {
    name: 'a command that claims 16 MB',
    hex: '03 000000 ffffff 14 00000000',
    message: `above ${MAX_COMMAND_SIZE_BYTES}`,
  },
]

function summarize(message: RawMessage): Summary {
  const { chunkStreamId, typeId, messageStreamId, timestamp, payload } = message
  return [chunkStreamId, typeId, messageStreamId, timestamp, payload.toString('hex')]
}

/** A video message that claims the largest size, and so many bytes of it. */
function largeStart(chunkStreamId: number, sizeBytes: number): Buffer {
  return Buffer.concat([Buffer.of(chunkStreamId), fromHex('000000 ffffff 09 01000000'), Buffer.alloc(sizeBytes)])
}

describe('ChunkReader', () => {
  for (const { name, hex, messages } of cases) {
    it(`reads ${name}, whole and byte by byte`, () => {
      const bytes = fromHex(hex)
      expect(readAll([bytes]).map(summarize)).to.deep.equal(messages)
      expect(readAll(bytewise(bytes)).map(summarize)).to.deep.equal(messages)
      expect(bytes).to.deep.equal(fromHex(hex))
    })
  }

  for (const { name, hex, message } of malformed) {
    it(`refuses ${name}`, () => {
      expect(() => readAll([fromHex(hex)])).to.throw(MalformedError, message)
    })
  }

  it('gives out a single chunk as a view, and two as a copy', () => {
    const bytes = fromHex(
      `04 000000 000080 08 01000000 ${'11'.repeat(128)} 04 000000 000081 08 01000000 ${'22'.repeat(128)} c4 22`,
    )
    const [single, double] = readAll([bytes])
    expect(single!.payload.buffer).to.equal(bytes.buffer)
    bytes.fill(0)
    expect(double!.payload.every((byte) => byte === 0x22)).to.equal(true)
  })

  it('goes on where the reader of messages stopped', () => {
    const bytes = fromHex('04 000001 000001 08 01000000 a1  c4 a2  c4')
    const reader = new ChunkReader()
    reader.push(bytes)
    expect(reader.read()?.payload.toString('hex')).to.equal('a1')
    reader.push(fromHex('a3'))
    expect(reader.read()?.payload.toString('hex')).to.equal('a2')
    expect(reader.read()?.payload.toString('hex')).to.equal('a3')
    expect(reader.read()).to.equal(null)
  })

  it('refuses too many chunk streams', () => {
    const chunk = (id: number): Buffer => Buffer.concat([Buffer.of(0, id), fromHex('000000 000001 08 01000000 01')])
    const ids = Array.from({ length: MAX_CHUNK_STREAMS }, (_, i) => i)
    const reader = new ChunkReader()
    expect(readAll(ids.map(chunk), reader)).to.have.length(MAX_CHUNK_STREAMS)
    expect(() => readAll([chunk(255)], reader)).to.throw(MalformedError, 'chunk streams')
  })

  it('refuses too many unfinished bytes', () => {
    const size = MAX_PARTIAL_SIZE_BYTES / 4
    const reader = new ChunkReader()
    readAll([setChunkSize(size), largeStart(4, size), largeStart(5, size)], reader)
    expect(() => readAll([largeStart(6, size)], reader)).to.throw(MalformedError, 'unfinished')
  })

  it('counts bytes as unfinished only until their message ends or is aborted', () => {
    const size = 0xff_ff_ff
    const abort = serializeChunks({ chunkStreamId: 2, typeId: 2, messageStreamId: 0, timestamp: 0 }, [uint32(5)], size)
    const reader = new ChunkReader()
    readAll([setChunkSize(size / 3)], reader)
    for (let round = 0; round < 3; round += 1) {
      const chunks = [largeStart(4, size / 3), Buffer.of(0xc4), Buffer.alloc(size / 3), Buffer.of(0xc4)]
      expect(readAll([...chunks, Buffer.alloc(size / 3)], reader)).to.have.length(1)
      expect(readAll([largeStart(5, size / 3), abort], reader)).to.have.length(0)
    }
  })

  it('does not take memory for what a header only claims', () => {
    const before = process.memoryUsage().arrayBuffers
    const readers = Array.from({ length: 500 }, () => {
      const reader = new ChunkReader()
      readAll([largeStart(4, 128), largeStart(5, 128), largeStart(6, 128)], reader)
      return reader
    })
    expect(process.memoryUsage().arrayBuffers - before).to.be.below(readers.length * 3 * 65_536)
  })

  it('reads a large message of many chunks', () => {
    const payload = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7) & 0xff))
    const parts = [fromHex('06 000000 0493e0 09 01000000')]
    for (let at = 0; at < payload.length; at += 128) {
      if (at > 0) parts.push(fromHex('c6'))
      parts.push(payload.subarray(at, at + 128))
    }
    const bytes = Buffer.concat(parts)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
      bytes.subarray(i * 65_536, (i + 1) * 65_536),
    )
    expect(readAll(pieces)[0]!.payload.equals(payload)).to.equal(true)
  })

  it('survives any bytes, with the same result whole and in pieces', () => {
    const seeds = cases.map(({ hex }) => fromHex(hex))
    const mutated = fc
      .tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(255), fc.constantFrom(...seeds))
      .map(([bytes, at, value, next]) => {
        const copy = Buffer.concat([bytes, next])
        copy[at % copy.length] = value
        return copy
      })
    const random = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(mutated, random), (bytes) => {
        expect(readUntilRefused(bytewise(bytes))).to.deep.equal(readUntilRefused([bytes]))
      }),
      { numRuns: rounds(2000) },
    )
  })
})

function setChunkSize(sizeBytes: number): Buffer {
  const header = { chunkStreamId: 2, typeId: 1, messageStreamId: 0, timestamp: 0 }
  return serializeChunks(header, [uint32(sizeBytes)], DEFAULT_CHUNK_SIZE_BYTES)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function readUntilRefused(pieces: Iterable<Buffer>): { messages: Summary[]; refused: string | null } {
  const messages: Summary[] = []
  const reader = new ChunkReader()
  try {
    for (const piece of pieces) {
      reader.push(piece)
      for (let message = reader.read(); message !== null; message = reader.read()) messages.push(summarize(message))
    }
  } catch (error) {
    expect(error).to.be.instanceOf(MalformedError)
    return { messages, refused: String(error) }
  }
  return { messages, refused: null }
}
