import { expect } from 'chai'
import fc from 'fast-check'
import {
  HandshakeReader,
  MAX_HANDSHAKE_MESSAGE_BYTES,
  parseRecords,
  serializeMessage,
  serializeRecord,
  type HandshakeMessage,
} from './dtls-record.ts'

const HEADER_BYTES = 12

function message(sequence: number, sizeBytes: number, type = 11): HandshakeMessage {
  return {
    type,
    sequence,
    body: Buffer.from(Array.from({ length: sizeBytes }, (_, index) => (index * 7 + sequence) & 255)),
  }
}

/** The fragments of a message, each of so many bytes. */
function fragments(whole: HandshakeMessage, stepBytes: number): Buffer[] {
  const bytes = serializeMessage(whole)
  const parts: Buffer[] = []
  for (let offset = 0; offset < Math.max(1, whole.body.length); offset += stepBytes) {
    const part = whole.body.subarray(offset, offset + stepBytes)
    const header = Buffer.from(bytes.subarray(0, HEADER_BYTES))
    header.writeUIntBE(offset, 6, 3)
    header.writeUIntBE(part.length, 9, 3)
    parts.push(Buffer.concat([header, part]))
  }
  return parts
}

describe('DTLS records', () => {
  it('come back as they were written, several in a datagram', () => {
    const records = [
      { contentType: 22, version: 0xfefd, epoch: 0, sequence: 5, fragment: Buffer.from('one') },
      { contentType: 20, version: 0xfefd, epoch: 1, sequence: 2 ** 40, fragment: Buffer.from('x') },
    ]
    expect(parseRecords(Buffer.concat(records.map(serializeRecord)))).to.eql(records)
  })

  it('are read up to the one that is cut off, and no more than sixteen', () => {
    const record = serializeRecord({
      contentType: 22,
      version: 0xfefd,
      epoch: 0,
      sequence: 0,
      fragment: Buffer.alloc(9),
    })
    expect(parseRecords(Buffer.concat([record, record.subarray(0, -1)]))).to.have.length(1)
    expect(parseRecords(Buffer.concat(Array.from({ length: 50 }, () => record)))).to.have.length(16)
  })

  it('may be anything', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 20 }), (datagrams) => {
        const reader = new HandshakeReader()
        for (const datagram of datagrams) {
          for (const { fragment } of parseRecords(Buffer.from(datagram))) reader.read(fragment)
          reader.read(Buffer.from(datagram))
        }
      }),
    )
  })
})

describe('HandshakeReader', () => {
  it('gives each message once and in its order, however they come', () => {
    const sizes = fc.array(fc.nat(400), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        sizes,
        fc.integer({ min: 20, max: 200 }),
        fc.infiniteStream(fc.nat()),
        (sizesBytes, stepBytes, numbers) => {
          const messages = sizesBytes.map((sizeBytes, sequence) => message(sequence, sizeBytes))
          const parts = messages.flatMap((whole) => fragments(whole, stepBytes))
          const order = [...parts, ...parts]
            .map((part) => ({ part, at: numbers.next().value }))
            .toSorted((one, other) => one.at - other.at)
          const reader = new HandshakeReader()
          expect(order.flatMap(({ part }) => reader.read(part))).to.eql(messages)
        },
      ),
    )
  })

  it('gives a first ClientHello again when it is repeated, and no other message', () => {
    const reader = new HandshakeReader()
    const hello = serializeMessage(message(0, 50, 1))
    expect(reader.read(hello)).to.have.length(1)
    expect(reader.read(hello)).to.have.length(1)
    const second = serializeMessage(message(1, 50, 1))
    expect(reader.read(second)).to.have.length(1)
    expect(reader.read(hello)).to.have.length(0)
    expect(reader.read(second)).to.have.length(0)
  })

  it('keeps nothing of messages that are too long or too far ahead', () => {
    const reader = new HandshakeReader()
    const [long] = fragments(message(0, MAX_HANDSHAKE_MESSAGE_BYTES + 1), 1000)
    expect(reader.read(long!)).to.eql([])
    for (let sequence = 8; sequence < 70; sequence += 1) reader.read(serializeMessage(message(sequence, 10)))
    const [first, ...rest] = [0, 1, 2, 3, 4, 5, 6, 7].map((sequence) => message(sequence, 10))
    for (const each of rest) expect(reader.read(serializeMessage(each))).to.eql([])
    expect(reader.read(serializeMessage(first!)).map(({ sequence }) => sequence)).to.eql([0, 1, 2, 3, 4, 5, 6, 7])
  })
})
