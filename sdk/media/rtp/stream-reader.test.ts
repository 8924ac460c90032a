import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { MalformedError } from '../errors.ts'
import { LENGTH_FRAMING } from './length-framing.ts'
import { RTP_STREAM_MAX_SKIPPED_BYTES, RtpStreamReader } from './stream-reader.ts'

const SSRC = 0x0102_0304
const PACKETS = 20

/** A packet of RTP whose first payload byte is its number; each third begins a pack. */
function packet(number: number, ssrc = SSRC): Buffer {
  const payload = Buffer.alloc(60 + number, number)
  if (number % 3 === 0) payload.writeUInt32BE(0x1ba, 0)
  const header = Buffer.alloc(12)
  header[0] = 0x80
  header[1] = 96
  header.writeUInt16BE(number, 2)
  header.writeUInt32BE(ssrc, 8)
  return Buffer.concat([header, payload])
}

function framed(bytes: Buffer): Buffer {
  const prefix = Buffer.alloc(LENGTH_FRAMING.sizeBytes)
  LENGTH_FRAMING.write(prefix, 0, bytes.length)
  return Buffer.concat([prefix, bytes])
}

function interleaved(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x24, 0, bytes.length >> 8, bytes.length & 0xff]), bytes])
}

const numbers = Array.from({ length: PACKETS }, (_, index) => index)
const EHOME_HEADER = Buffer.concat([Buffer.from([1, 0, 1, 0]), Buffer.alloc(252, 7)])
const REPORT = Buffer.from('81c90007010203040000000200000000000000000000000000000000000000000000', 'hex').subarray(
  0,
  32,
)

function read(bytes: Buffer, chunk = bytes.length) {
  const packets: Buffer[] = []
  let losses = 0
  const reader = new RtpStreamReader({ onPacket: (each) => packets.push(Buffer.from(each)), onLost: () => losses++ })
  for (let at = 0; at < bytes.length; at += chunk) reader.push(bytes.subarray(at, at + chunk))
  return {
    numbers: packets.filter((each) => each[1] === 96).map((each) => each.readUInt16BE(2)),
    packets,
    losses,
    reader,
  }
}

describe('RTP in a byte stream', () => {
  for (const [name, bytes] of [
    ['lengths', Buffer.concat(numbers.map((number) => framed(packet(number))))],
    ['the prefix of RTSP', Buffer.concat(numbers.map((number) => interleaved(packet(number))))],
    [
      'the header of EHOME and lengths',
      Buffer.concat([EHOME_HEADER, ...numbers.map((number) => framed(packet(number)))]),
    ],
    [
      'the header of EHOME and `$`',
      Buffer.concat([EHOME_HEADER, ...numbers.map((number) => interleaved(packet(number)))]),
    ],
    [
      'lengths, of which some are 0',
      Buffer.concat(numbers.flatMap((number) => [Buffer.alloc(2), framed(packet(number))])),
    ],
  ] as const) {
    it(`is cut by ${name}, however it comes`, () => {
      for (const chunk of [1, 2, 3, 7, 100, bytes.length]) {
        const found = read(bytes, chunk)
        expect(found.packets.map((each) => each.toString('hex'))).to.eql(
          numbers.map((number) => packet(number).toString('hex')),
        )
        expect([found.losses, found.reader.skippedBytes]).to.eql([0, 0])
      }
    })
  }

  it('takes a first packet of 256 bytes for what it is', () => {
    const first = Buffer.concat([packet(0), Buffer.alloc(256)]).subarray(0, 256)
    expect(read(framed(first)).packets).to.eql([first])
  })

  it('gives RTCP, of whatever source', () => {
    const { packets } = read(Buffer.concat([framed(packet(1)), framed(REPORT), framed(packet(2))]))
    expect(packets).to.eql([packet(1), REPORT, packet(2)])
  })

  it('goes on at the next packet where bytes are missing or too many', () => {
    const good = numbers.map((number) => framed(packet(number)))
    const broken = good.map((bytes, number) => (number === 7 ? bytes.subarray(0, 30) : bytes))
    const overwritten = good.map((bytes, number) =>
      number === 7 ? Buffer.concat([bytes, Buffer.alloc(41, 0x81)]) : bytes,
    )
    for (const chunk of [1, 50, 5000]) {
      const cut = read(Buffer.concat(broken), chunk)
      expect(cut.losses).to.equal(1)
      expect(cut.numbers).to.include.members([...numbers.slice(0, 7), ...numbers.slice(9)])
      const long = read(Buffer.concat(overwritten), chunk)
      expect([long.losses, long.reader.skippedBytes]).to.eql([1, 41])
      expect(long.numbers).to.eql(numbers)
    }
  })

  it('goes on with another SSRC where packets of it follow one another, and finds the start of a pack', () => {
    const other = [30, 31, 32, 33].map((number) => framed(packet(number, 99)))
    expect(read(Buffer.concat([framed(packet(1)), ...other])).numbers).to.include.members([1, 30, 31, 32])
    const lost = read(Buffer.concat([framed(packet(1)).subarray(0, 40), ...other]))
    expect([lost.numbers.at(-1), lost.losses]).to.eql([33, 1])
  })

  it('gives up where there is no packet, with bounded memory', () => {
    const { reader } = read(framed(packet(0)))
    const noise = Buffer.alloc(64 * 1024, 0x41)
    const pushAll = () => {
      for (let at = 0; at <= RTP_STREAM_MAX_SKIPPED_BYTES + noise.length; at += noise.length) reader.push(noise)
    }
    expect(pushAll).to.throw(MalformedError, /no packet of RTP/u)
  })

  it('is not impressed by any bytes', () => {
    const good = Buffer.concat(numbers.map((number) => framed(packet(number))))
    const edits = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 8 })
    const property = fc.property(edits, fc.integer({ min: 1, max: 300 }), (changes, chunk) => {
      const bytes = Buffer.from(good)
      for (const [at, value] of changes) bytes[at] = value
      for (const each of read(bytes, chunk).packets) expect(each[0]! >> 6).to.equal(2)
    })
    fc.assert(property, { numRuns: rounds(500) })
  })
})
