import { expect } from 'chai'
import fc from 'fast-check'
import { fuzz } from '../codec/test/fuzz.ts'
import { fromHex } from '../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../errors.ts'
import { isRtcp, parseRtpPacket, RTP_HEADER_SIZE_BYTES, serializeRtpPacket, writeRtpHeader } from './packet.ts'
import type { RtpPacket } from './packet.ts'

type Fields = Partial<Omit<RtpPacket, 'payload'>> & { readonly payload?: string }

const packetOf = ({ payload = '', ...fields }: Fields): RtpPacket => ({
  payloadType: 0,
  marker: false,
  sequenceNumber: 0,
  timestamp: 0,
  ssrc: 0,
  csrcs: [],
  extension: undefined,
  ...fields,
  payload: fromHex(payload),
})

const CASES: readonly [name: string, bytes: string, packet: RtpPacket][] = [
  ['nothing but a header', '8000 0000 00000000 00000000', packetOf({})],
  [
    'the largest of each field',
    '80ff ffff ffffffff ffffffff 01',
    packetOf({
      payloadType: 127,
      marker: true,
      sequenceNumber: 0xffff,
      timestamp: 0xffffffff,
      ssrc: 0xffffffff,
      payload: '01',
    }),
  ],
  [
    'sound of ffmpeg, cut short',
    '8008 0410 67a3a70c 84efde74 1d1b1a1b1d157df1eb',
    packetOf({
      payloadType: 8,
      sequenceNumber: 1040,
      timestamp: 1_738_778_380,
      ssrc: 0x84efde74,
      payload: '1d1b1a1b1d157df1eb',
    }),
  ],
  [
    'two contributing sources',
    '8260 0001 00000002 00000003 00000004 fffffffe aa',
    packetOf({
      payloadType: 96,
      sequenceNumber: 1,
      timestamp: 2,
      ssrc: 3,
      csrcs: [4, 0xfffffffe],
      payload: 'aa',
    }),
  ],
  [
    'an extension after a contributing source',
    '9160 0001 00000002 00000003 00000004 bede0002 10aa205500000000 bb',
    packetOf({
      payloadType: 96,
      sequenceNumber: 1,
      timestamp: 2,
      ssrc: 3,
      csrcs: [4],
      extension: { profile: 0xbede, data: fromHex('10aa205500000000') },
      payload: 'bb',
    }),
  ],
  [
    'an access unit delimiter of GStreamer after an element with a two-byte header',
    '9060 74a9 97b9bdd3 72c8d027 10000003 110800000000000000000000 0910',
    packetOf({
      payloadType: 96,
      sequenceNumber: 29_865,
      timestamp: 2_545_532_371,
      ssrc: 0x72c8d027,
      extension: { profile: 0x1000, data: fromHex('110800000000000000000000') },
      payload: '0910',
    }),
  ],
  [
    'an extension of no words',
    '9060 0001 00000002 00000003 12340000 cc',
    packetOf({
      payloadType: 96,
      sequenceNumber: 1,
      timestamp: 2,
      ssrc: 3,
      extension: { profile: 0x1234, data: Buffer.alloc(0) },
      payload: 'cc',
    }),
  ],
]

const MALFORMED: readonly [name: string, bytes: string, message: string][] = [
  ['is empty', '', '0 bytes'],
  ['ends within its header', '8000 0000 00000000 000000', '11 bytes'],
  ['is of version 1', '4000 0000 00000000 00000000', 'version 1'],
  ['ends within its contributing sources', '8200 0000 00000000 00000000 00000000 000000', '20 before'],
  ['ends within the header of its extension', '9000 0000 00000000 00000000 bede00', 'at byte 12'],
  ['ends within its extension', '9000 0000 00000000 00000000 bede0001 000000', '20 before'],
  ['has padding of no size', 'a000 0000 00000000 00000000 aa 00', 'padding of 0'],
  ['has padding that reaches into its header', 'a000 0000 00000000 00000000 aa 03', '12 before'],
  ['has padding that reaches into its extension', 'b000 0000 00000000 00000000 bede0001 00000005', '20 before'],
]

describe('RTP packet', () => {
  for (const [name, hex, packet] of CASES) {
    it(`is parsed and serialized: ${name}`, () => {
      expect(parseRtpPacket(fromHex(hex))).to.deep.equal(packet)
      expect(serializeRtpPacket(packet).toString('hex')).to.equal(hex.replaceAll(' ', ''))
    })
  }

  it('is parsed without its padding, which may be all of it', () => {
    expect(parseRtpPacket(fromHex('a000 0000 00000000 00000000 aabb 0002')).payload).to.deep.equal(fromHex('aabb'))
    expect(parseRtpPacket(fromHex('a000 0000 00000000 00000000 000003')).payload).to.have.length(0)
  })

  for (const [name, hex, message] of MALFORMED) {
    it(`is refused when it ${name}`, () => {
      expect(() => parseRtpPacket(fromHex(hex))).to.throw(MalformedError, message)
    })
  }

  it('gives views', () => {
    const bytes = fromHex(CASES[4]![1])
    const { payload, extension } = parseRtpPacket(bytes)
    bytes.fill(0x77)
    expect([payload.toString('hex'), extension?.data.toString('hex')]).to.deep.equal(['77', '7777777777777777'])
  })

  it('is not serialized when it breaks a rule', () => {
    const extension = (sizeBytes: number): RtpPacket =>
      packetOf({ extension: { profile: 0, data: Buffer.alloc(sizeBytes) } })
    expect(() => serializeRtpPacket(packetOf({ csrcs: Array<number>(16).fill(1) }))).to.throw(MalformedError, '16')
    expect(() => serializeRtpPacket(extension(3))).to.throw(MalformedError, '3 bytes')
    expect(() => serializeRtpPacket(extension(0x40000))).to.throw(MalformedError, '262144 bytes')
  })

  it('parses any bytes or refuses them', () => {
    fuzz(
      CASES.map(([, hex]) => fromHex(hex)),
      (bytes) => {
        const packet = parseRtpPacket(bytes)
        expect(parseRtpPacket(serializeRtpPacket(packet))).to.deep.equal(packet)
      },
    )
  })
})

describe('writeRtpHeader', () => {
  it('writes only the header, at its place, of counters that went on past their range', () => {
    const field = fc.integer({ min: -(2 ** 40), max: 2 ** 40 })
    fc.assert(
      fc.property(fc.nat(127), fc.boolean(), field, field, fc.nat(0xffffffff), (...values) => {
        const [payloadType, marker, sequenceNumber, timestamp, ssrc] = values
        const out = Buffer.alloc(RTP_HEADER_SIZE_BYTES + 6, 0xee)
        expect(writeRtpHeader(out, 4, { payloadType, marker, sequenceNumber, timestamp, ssrc })).to.equal(16)
        expect([out.readUInt32BE(0), out.readUInt16BE(16)]).to.deep.equal([0xeeeeeeee, 0xeeee])
        expect(parseRtpPacket(out.subarray(4, 16))).to.deep.equal(
          packetOf({
            payloadType,
            marker,
            sequenceNumber: ((sequenceNumber % 2 ** 16) + 2 ** 16) % 2 ** 16,
            timestamp: ((timestamp % 2 ** 32) + 2 ** 32) % 2 ** 32,
            ssrc,
          }),
        )
      }),
    )
  })
})

describe('isRtcp', () => {
  const PACKETS: readonly [name: string, bytes: string, expected: boolean][] = [
    ['RTP of ffmpeg', '8008041067a3a70c84efde741d', false],
    ['RTP with a marker', '80e0041067a3a70c84efde741d', false],
    ['RTP of the last payload type with a marker', '80ff041067a3a70c84efde741d', false],
    ['a sender report of ffmpeg', '80c8000669ea0575eeada0ab4f9db22d041e039b0000000000000000', true],
    ['the first type', '80c00000', true],
    ['the last type', '80df0000', true],
    ['the type after it', '80e00000', false],
    ['one byte', '80', false],
    ['nothing', '', false],
  ]
  for (const [name, hex, expected] of PACKETS) {
    it(`says ${expected} of ${name}`, () => expect(isRtcp(fromHex(hex))).to.equal(expected))
  }
})
