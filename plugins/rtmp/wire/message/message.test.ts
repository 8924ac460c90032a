import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../../test/support/soak.ts'
import { MAX_COMMAND_ARGUMENTS } from './command.ts'
import { parseMessage, serializeMessage } from './message.ts'
import type { Message } from './message.ts'
import { MAX_CHUNK_SIZE_BYTES } from './protocol-control.ts'
import type { RawMessage } from './raw-message.ts'

type MessageCase = { name: string; typeId: number; hex: string; message: Message }

const cases: MessageCase[] = [
  { name: 'Set Chunk Size', typeId: 1, hex: '00001000', message: { kind: 'setChunkSize', sizeBytes: 4096 } },
  { name: 'Abort Message', typeId: 2, hex: '00000006', message: { kind: 'abort', chunkStreamId: 6 } },
  {
    name: 'Acknowledgement above 31 bits',
    typeId: 3,
    hex: 'fffffffe',
    message: { kind: 'acknowledgement', receivedBytes: 0xfffffffe },
  },
  {
    name: 'Window Acknowledgement Size (nginx-rtmp)',
    typeId: 5,
    hex: '004c4b40',
    message: { kind: 'windowAckSize', sizeBytes: 5_000_000 },
  },
  {
    name: 'Set Peer Bandwidth (nginx-rtmp)',
    typeId: 6,
    hex: '004c4b4002',
    message: { kind: 'setPeerBandwidth', sizeBytes: 5_000_000, limit: 'dynamic' },
  },
  {
    name: 'Set Peer Bandwidth, hard',
    typeId: 6,
    hex: '0000000100',
    message: { kind: 'setPeerBandwidth', sizeBytes: 1, limit: 'hard' },
  },
  { name: 'Stream Begin', typeId: 4, hex: '000000000001', message: { kind: 'streamBegin', streamId: 1 } },
  { name: 'Stream EOF', typeId: 4, hex: '000100000001', message: { kind: 'streamEof', streamId: 1 } },
  { name: 'Stream Dry', typeId: 4, hex: '000200000001', message: { kind: 'streamDry', streamId: 1 } },
  {
    name: 'Set Buffer Length',
    typeId: 4,
    hex: '00030000000100000bb8',
    message: { kind: 'setBufferLength', streamId: 1, lengthMs: 3000 },
  },
  { name: 'Stream Is Recorded', typeId: 4, hex: '000400000001', message: { kind: 'streamIsRecorded', streamId: 1 } },
  { name: 'Ping Request', typeId: 4, hex: '0006ffffffff', message: { kind: 'pingRequest', timestampMs: 0xffffffff } },
  { name: 'Ping Response', typeId: 4, hex: '000700000010', message: { kind: 'pingResponse', timestampMs: 16 } },
  { name: 'audio', typeId: 8, hex: 'af001210', message: { kind: 'audio', payload: Buffer.from('af001210', 'hex') } },
  { name: 'empty video', typeId: 9, hex: '', message: { kind: 'video', payload: Buffer.alloc(0) } },
  {
    name: 'createStream (ffmpeg)',
    typeId: 20,
    hex: '02000c63726561746553747265616d00401000000000000005',
    message: command({ name: 'createStream', transactionId: 4, commandObject: null, args: [] }),
  },
  {
    name: 'publish (ffmpeg)',
    typeId: 20,
    hex: '0200077075626c69736800401400000000000005020004746573740200046c697665',
    message: command({ name: 'publish', transactionId: 5, commandObject: null, args: ['test', 'live'] }),
  },
  {
    name: 'command of type 17',
    typeId: 17,
    hex: '0002000c63726561746553747265616d00401000000000000005',
    message: command({ name: 'createStream', transactionId: 4, commandObject: null, args: [], amf3: true }),
  },
  {
    name: '|RtmpSampleAccess (nginx-rtmp)',
    typeId: 18,
    hex: '0200117c52746d7053616d706c6541636365737301010101',
    message: { kind: 'data', name: '|RtmpSampleAccess', values: [true, true], amf3: false },
  },
  {
    name: 'data of type 15',
    typeId: 15,
    hex: '000200046e616d65003ff0000000000000',
    message: { kind: 'data', name: 'name', values: [1], amf3: true },
  },
  { name: 'empty aggregate', typeId: 22, hex: '', message: { kind: 'aggregate', messages: [] } },
]

const malformed: { name: string; typeId: number; hex: string }[] = [
  { name: 'chunk size 0', typeId: 1, hex: '00000000' },
  { name: 'chunk size of 32 bits', typeId: 1, hex: '80000000' },
  { name: 'cut off Set Chunk Size', typeId: 1, hex: '000010' },
  { name: 'cut off Acknowledgement', typeId: 3, hex: '' },
  { name: 'cut off user control event', typeId: 4, hex: '00' },
  { name: 'cut off Set Buffer Length', typeId: 4, hex: '000300000001000000' },
  { name: 'empty command', typeId: 20, hex: '' },
  { name: 'command named by a number', typeId: 20, hex: '0040100000000000000040100000000000000005' },
  { name: 'command with a text as transaction id', typeId: 20, hex: '0200016102000162' },
  {
    name: 'command with too many arguments',
    typeId: 20,
    hex: `02000161004010000000000000${'05'.repeat(MAX_COMMAND_ARGUMENTS + 2)}`,
  },
  { name: 'data without a name', typeId: 18, hex: '05' },
]

function command(
  fields: Pick<Extract<Message, { kind: 'command' }>, 'name' | 'transactionId' | 'commandObject' | 'args'> & {
    amf3?: boolean
  },
): Message {
  return { kind: 'command', amf3: false, ...fields }
}

function raw(typeId: number, payload: Buffer): RawMessage {
  return { chunkStreamId: 3, typeId, messageStreamId: 1, timestamp: 1000, payload }
}

describe('message', () => {
  for (const { name, typeId, hex, message } of cases) {
    it(`parses ${name}`, () => {
      expect(parseMessage(raw(typeId, Buffer.from(hex, 'hex')))).to.deep.equal(message)
    })

    it(`serializes ${name}`, () => {
      const body = serializeMessage(message)
      expect(body.typeId).to.equal(typeId)
      expect(body.payload.toString('hex')).to.equal(hex)
    })
  }

  for (const { name, typeId, hex } of malformed) {
    it(`refuses ${name}`, () => {
      expect(() => parseMessage(raw(typeId, Buffer.from(hex, 'hex')))).to.throw(MalformedError)
    })
  }

  it('takes a chunk size above 24 bits for the largest', () => {
    const message = parseMessage(raw(1, Buffer.from('7fffffff', 'hex')))
    expect(message).to.deep.equal({ kind: 'setChunkSize', sizeBytes: MAX_CHUNK_SIZE_BYTES })
  })

  it('takes Set Peer Bandwidth without or with an unknown limit type for dynamic', () => {
    for (const hex of ['00000010', '0000001009']) {
      const message = parseMessage(raw(6, Buffer.from(hex, 'hex')))
      expect(message).to.deep.equal({ kind: 'setPeerBandwidth', sizeBytes: 16, limit: 'dynamic' })
    }
  })

  it('takes commands and data of the AMF3 types without their leading byte', () => {
    const message = parseMessage(raw(17, Buffer.from('02000161003ff000000000000005', 'hex')))
    expect(message).to.deep.equal(command({ name: 'a', transactionId: 1, commandObject: null, args: [], amf3: true }))
  })

  it('ignores types and events it does not know', () => {
    expect(parseMessage(raw(19, Buffer.alloc(4)))).to.equal(null)
    expect(parseMessage(raw(4, Buffer.from('001a01', 'hex')))).to.equal(null)
  })

  it('parses or refuses any bytes, and what it parses it can serialize', () => {
    const valid = cases.map(({ typeId, hex }) => ({ typeId, bytes: Buffer.from(hex, 'hex') }))
    const mutated = fc
      .tuple(fc.constantFrom(...valid), fc.nat(), fc.nat(255), fc.uint8Array({ maxLength: 8 }))
      .map(([{ typeId, bytes }, at, value, tail]) => {
        const copy = Buffer.concat([bytes, tail])
        if (copy.length > 0) copy[at % copy.length] = value
        return { typeId, bytes: copy }
      })
    const random = fc.record({
      typeId: fc.integer({ min: 0, max: 24 }),
      bytes: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    })
    fc.assert(
      fc.property(fc.oneof(mutated, random), ({ typeId, bytes }) => {
        const message = parseOrRefuse(raw(typeId, bytes))
        if (!message) return
        const again = serializeMessage(message)
        expect(parseMessage({ ...raw(typeId, again.payload) })?.kind).to.equal(message.kind)
      }),
      { numRuns: rounds(3000) },
    )
  })
})

function parseOrRefuse(message: RawMessage): Message | null {
  try {
    return parseMessage(message)
  } catch (error) {
    expect(error).to.be.instanceOf(MalformedError)
    return null
  }
}
