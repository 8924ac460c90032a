import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../../test/support/soak.ts'
import { type ControlPacket, parseControlPacket, serializeControlPacket } from './control-packet.ts'
import { MAX_EXTENSIONS } from './handshake-extension.ts'
import { MAX_LOSS_RANGE_PACKETS, MAX_LOSS_RANGES } from './loss-list.ts'
import { destinationOf, isControl, stampAgain } from './packet-header.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const LOCALHOST = hex('0100007f000000000000000000000000')
const KEY_MESSAGE =
  '12202901000000000200020000000404338c8e6ab42c0b728cde4a34e2f6e60f4e9f8d3b7edb5d1c32d60c7a75a0c6f7cf26d28be875f236'

// Captured between ffmpeg, srt-live-transmit and another srt-live-transmit, all with libsrt 1.5.1, unless they say what they are.
const cases: { name: string; bytes: Buffer; packet: ControlPacket }[] = [
  {
    name: 'induction of a caller',
    bytes: hex(
      '8000000000000000000000fa00000000 00000004000000022ba4280a000005dc0000200000000001240f2002000000000100007f000000000000000000000000',
    ),
    packet: {
      kind: 'handshake',
      timestamp: 250,
      destination: 0,
      handshake: {
        version: 4,
        encryptionField: 0,
        extensionField: 2,
        sequence: 0x2ba4280a,
        mtuBytes: 1500,
        flowWindowPackets: 8192,
        type: 1,
        socketId: 0x240f2002,
        cookie: 0,
        address: LOCALHOST,
        extensions: [],
      },
    },
  },
  {
    name: 'conclusion of a caller that encrypts',
    bytes: hex(
      `80000000000000000000173800000000 00000005000200032ba4280a000005dc00002000ffffffff240f2002d702be860100007f000000000000000000000000 0001000300010501000000bf012c012c 0003000e${KEY_MESSAGE}`,
    ),
    packet: {
      kind: 'handshake',
      timestamp: 0x1738,
      destination: 0,
      handshake: {
        version: 5,
        encryptionField: 2,
        extensionField: 3,
        sequence: 0x2ba4280a,
        mtuBytes: 1500,
        flowWindowPackets: 8192,
        type: 0xffffffff,
        socketId: 0x240f2002,
        cookie: 0xd702be86,
        address: LOCALHOST,
        extensions: [
          { type: 1, content: hex('00010501000000bf012c012c') },
          { type: 3, content: hex(KEY_MESSAGE) },
        ],
      },
    },
  },
  {
    name: 'agreement of a rendezvous end',
    bytes: hex(
      '80000000000000000007c1eb2c6ca2b7 0000000500000000297cf125000005dc00002000fffffffe1b88d830cd4abce50100007f000000000000000000000000',
    ),
    packet: {
      kind: 'handshake',
      timestamp: 0x7c1eb,
      destination: 0x2c6ca2b7,
      handshake: {
        version: 5,
        encryptionField: 0,
        extensionField: 0,
        sequence: 0x297cf125,
        mtuBytes: 1500,
        flowWindowPackets: 8192,
        type: 0xfffffffe,
        socketId: 0x1b88d830,
        cookie: 0xcd4abce5,
        address: LOCALHOST,
        extensions: [],
      },
    },
  },
  {
    name: 'full acknowledgement',
    bytes: hex('80020000000000020001 2694240f2002 2ba42815 000008ef 00000477 00001ff4 00001765 000003e8 00718c78'),
    packet: {
      kind: 'acknowledgement',
      number: 2,
      timestamp: 0x12694,
      destination: 0x240f2002,
      acknowledgement: {
        sequence: 0x2ba42815,
        rttUs: 2287,
        rttVarianceUs: 1143,
        freePackets: 8180,
        packetsPerSecond: 5989,
        linkPacketsPerSecond: 1000,
        bytesPerSecond: 7441528,
      },
    },
  },
  {
    name: 'small acknowledgement (made by hand)',
    bytes: hex('8002000000000003 00012694240f2002 2ba42815 000008ef 00000477 00001ff4'),
    packet: {
      kind: 'acknowledgement',
      number: 3,
      timestamp: 0x12694,
      destination: 0x240f2002,
      acknowledgement: { sequence: 0x2ba42815, rttUs: 2287, rttVarianceUs: 1143, freePackets: 8180 },
    },
  },
  {
    name: 'light acknowledgement (made by hand)',
    bytes: hex('8002000000000000 00012694240f2002 2ba42815'),
    packet: { kind: 'lightAcknowledgement', sequence: 0x2ba42815, timestamp: 0x12694, destination: 0x240f2002 },
  },
  {
    name: 'ACKACK',
    bytes: hex('8006000000000002000141da06682502 00000000'),
    packet: { kind: 'acknowledgedAcknowledgement', number: 2, timestamp: 0x141da, destination: 0x06682502 },
  },
  {
    name: 'loss report of one packet',
    bytes: hex('80030000000000000006ea5138b55f42 42f888d0'),
    packet: {
      kind: 'lossReport',
      ranges: [[0x42f888d0, 0x42f888d0]],
      timestamp: 0x6ea51,
      destination: 0x38b55f42,
    },
  },
  {
    name: 'loss report of ranges, one over the wrap (made by hand)',
    bytes: hex('80030000000000000006ea5138b55f42 80000003 00000005 00000009 fffffffe 00000001'),
    packet: {
      kind: 'lossReport',
      ranges: [
        [3, 5],
        [9, 9],
        [0x7ffffffe, 1],
      ],
      timestamp: 0x6ea51,
      destination: 0x38b55f42,
    },
  },
  {
    name: 'keepalive',
    bytes: hex('8001000000000000000f83b2338f0734 00000000'),
    packet: { kind: 'keepAlive', timestamp: 0xf83b2, destination: 0x338f0734 },
  },
  {
    name: 'shutdown',
    bytes: hex('8005000000000000003d864015ba8eb4 00000000'),
    packet: { kind: 'shutdown', timestamp: 0x3d8640, destination: 0x15ba8eb4 },
  },
  {
    name: 'congestion warning (made by hand)',
    bytes: hex('8004000000000000003d864015ba8eb4 00000000'),
    packet: { kind: 'congestionWarning', timestamp: 0x3d8640, destination: 0x15ba8eb4 },
  },
  {
    name: 'error of the peer (made by hand)',
    bytes: hex('8008000000000fa0003d864015ba8eb4 00000000'),
    packet: { kind: 'peerError', code: 4000, timestamp: 0x3d8640, destination: 0x15ba8eb4 },
  },
  {
    name: 'drop request over the wrap (made by hand)',
    bytes: hex('8007000000000007003d864015ba8eb4 7fffffff 00000002'),
    packet: {
      kind: 'dropRequest',
      messageNumber: 7,
      first: 0x7fffffff,
      last: 2,
      timestamp: 0x3d8640,
      destination: 0x15ba8eb4,
    },
  },
  {
    name: 'key request (made by hand of a captured message)',
    bytes: hex(`ffff000300000000003d864015ba8eb4 ${KEY_MESSAGE}`),
    packet: {
      kind: 'keyMaterial',
      isRequest: true,
      message: hex(KEY_MESSAGE),
      timestamp: 0x3d8640,
      destination: 0x15ba8eb4,
    },
  },
  {
    name: 'key response that says why not (made by hand)',
    bytes: hex('ffff000400000000003d864015ba8eb4 00000004'),
    packet: {
      kind: 'keyMaterial',
      isRequest: false,
      message: hex('00000004'),
      timestamp: 0x3d8640,
      destination: 0x15ba8eb4,
    },
  },
]

const header = (type: number, subtype = 0): Buffer => {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt16BE(0x8000 + type, 0)
  bytes.writeUInt16BE(subtype, 2)
  return bytes
}
const repeated = (word: string, count: number): string => word.repeat(count)
const conclusion = (extensions: string): Buffer => Buffer.concat([cases[1]!.bytes.subarray(0, 64), hex(extensions)])

describe('parseControlPacket', () => {
  for (const { name, bytes, packet } of cases) {
    it(`reads and writes: ${name}`, () => {
      const before = Buffer.from(bytes)
      expect(parseControlPacket(bytes)).to.deep.equal(packet)
      expect(serializeControlPacket(packet).toString('hex')).to.equal(bytes.toString('hex'))
      expect(bytes.equals(before)).to.equal(true)
    })
  }

  const broken: [string, Buffer][] = [
    ['a datagram shorter than the header', cases[0]!.bytes.subarray(0, 15)],
    ['a data packet', Buffer.alloc(20)],
    ['a handshake that is cut off', cases[0]!.bytes.subarray(0, 63)],
    ['an extension that is cut off', cases[1]!.bytes.subarray(0, -1)],
    ['a stream id above 512 bytes', conclusion(`00050081${repeated('41414141', 129)}`)],
    ['a key message above 104 bytes', conclusion(`0003001b${repeated('00000000', 27)}`)],
    ['too many extensions', conclusion(repeated('00630000', MAX_EXTENSIONS + 1))],
    ['an acknowledgement without a word', header(2)],
    ['an empty loss report', header(3)],
    ['a loss range without its end', Buffer.concat([header(3), hex('80000001')])],
    ['a loss range that goes backwards', Buffer.concat([header(3), hex('8000000500000004')])],
    ['a loss range whose end is marked', Buffer.concat([header(3), hex('8000000580000006')])],
    ['a drop request that goes backwards', Buffer.concat([header(7), hex('0000000500000004')])],
    ['a drop request that is cut off', Buffer.concat([header(7), hex('00000005')])],
    ['a key message in a packet of its own above 104 bytes', Buffer.concat([header(0x7fff, 3), Buffer.alloc(108)])],
  ]
  for (const [name, bytes] of broken) {
    it(`refuses ${name}`, () => {
      expect(() => parseControlPacket(bytes)).to.throw(MalformedError)
    })
  }

  it('refuses a loss range that is longer than anything in flight', () => {
    const range = (packetCount: number): Buffer => {
      const words = hex('8000000000000000')
      words.writeUInt32BE(packetCount - 1, 4)
      return Buffer.concat([header(3), words])
    }
    expect(parseControlPacket(range(MAX_LOSS_RANGE_PACKETS))).to.have.property('kind', 'lossReport')
    expect(() => parseControlPacket(range(MAX_LOSS_RANGE_PACKETS + 1))).to.throw(MalformedError)
  })

  it('leaves loss ranges above the limit unread', () => {
    const packet = parseControlPacket(
      Buffer.concat([header(3), hex(repeated('00000001', MAX_LOSS_RANGES + 1))]),
    ) as ControlPacket & { kind: 'lossReport' }
    expect(packet.ranges).to.have.length(MAX_LOSS_RANGES)
  })

  it('passes types over that it does not know', () => {
    expect(parseControlPacket(header(9))).to.equal(undefined)
    expect(parseControlPacket(header(0x7fff, 1))).to.equal(undefined)
  })

  it('parses or refuses any bytes, and what it parses stays the same when it is written', () => {
    const known = fc.constantFrom(...cases.map(({ bytes }) => bytes))
    const mutated = fc
      .tuple(known, fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 6 }), fc.nat(200), fc.uint8Array())
      .map(([bytes, changes, cutAt, tail]) => {
        const copy = Buffer.concat([bytes.subarray(0, cutAt < 100 ? bytes.length : cutAt), tail])
        for (const [at, value] of changes) if (at < copy.length) copy[at] = value
        return copy
      })
    const typed = fc
      .tuple(fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 7, 8, 0x7fff), fc.integer({ min: 0, max: 5 }), fc.uint8Array())
      .map(([type, subtype, tail]) => Buffer.concat([header(type, subtype), tail]))
    const any = fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(mutated, typed, any), (bytes) => {
        let packet
        try {
          packet = parseControlPacket(bytes)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
          return
        }
        if (packet) expect(parseControlPacket(serializeControlPacket(packet))).to.deep.equal(packet)
      }),
      { numRuns: rounds(3000) },
    )
  })
})

describe('the header of packets', () => {
  it('tells control from data, and the destination', () => {
    expect(isControl(cases[3]!.bytes)).to.equal(true)
    expect(isControl(Buffer.alloc(16))).to.equal(false)
    expect(isControl(Buffer.alloc(15, 0x80))).to.equal(false)
    expect(destinationOf(cases[3]!.bytes)).to.equal(0x240f2002)
  })

  it('writes a new time stamp, of which 32 bits count', () => {
    const bytes = Buffer.from(cases[3]!.bytes)
    stampAgain(bytes, 2 ** 32 + 7)
    expect(parseControlPacket(bytes)).to.have.property('timestamp', 7)
    expect(destinationOf(bytes)).to.equal(0x240f2002)
  })
})
