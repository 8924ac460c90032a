import { expect } from 'chai'
import { fuzz } from '../../codec/test/fuzz.ts'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../../errors.ts'
import { parseRtcp, RTCP_MAX_PACKETS, serializeRtcp } from './compound.ts'
import type { RtcpPacket } from './compound.ts'
import { RTCP_MAX_INTRA_REQUESTS } from './payload-feedback.ts'
import type { ReportBlock } from './report-block.ts'
import { RTCP_MAX_SDES_ITEMS, SDES_ITEM_TYPE } from './source-description.ts'
import { RTCP_MAX_NACK_ENTRIES } from './transport-feedback.ts'

const GSTREAMER_SDES =
  '81ca000c cc7e73bf 011c 757365723237343437313133353540686f73742d6138666434313038' + '0609 4753747265616d6572 000000'

const REPORT: ReportBlock = {
  ssrc: 0x01020304,
  fractionLost: 255,
  cumulativeLost: -0x800000,
  highestSequenceNumber: 0xffffffff,
  jitter: 5,
  lastSenderReport: 6,
  delaySinceLastSenderReport: 0xfffffffe,
}

const REPORT_HEX = '01020304 ff800000 ffffffff 00000005 00000006 fffffffe'

const gstreamerNack = (sequenceNumbers: readonly number[]): RtcpPacket => ({
  kind: 'genericNack',
  senderSsrc: 0x59baaa5b,
  mediaSsrc: 0x8f3bd0ad,
  sequenceNumbers,
})

const CASES: readonly [name: string, bytes: string, packets: readonly RtcpPacket[]][] = [
  [
    'a receiver report, a source description and lost pictures (GStreamer)',
    `81c90007 cc7e73bf 72c8d027 00 ffffff 000074bc 0000003f a180bbfc 000032d4 ${GSTREAMER_SDES} 81ce0002 cc7e73bf 72c8d027`,
    [
      {
        kind: 'receiverReport',
        ssrc: 0xcc7e73bf,
        reports: [
          {
            ssrc: 0x72c8d027,
            fractionLost: 0,
            cumulativeLost: -1,
            highestSequenceNumber: 29_884,
            jitter: 63,
            lastSenderReport: 0xa180bbfc,
            delaySinceLastSenderReport: 13_012,
          },
        ],
      },
      {
        kind: 'sourceDescription',
        chunks: [
          {
            ssrc: 0xcc7e73bf,
            items: [
              { type: SDES_ITEM_TYPE.cname, text: 'user2744711355@host-a8fd4108' },
              { type: SDES_ITEM_TYPE.tool, text: 'GStreamer' },
            ],
          },
        ],
      },
      { kind: 'pictureLossIndication', senderSsrc: 0xcc7e73bf, mediaSsrc: 0x72c8d027 },
    ],
  ],
  ['a lost packet (GStreamer)', '81cd0003 59baaa5b 8f3bd0ad 27290000', [gstreamerNack([0x2729])]],
  [
    'lost packets (GStreamer)',
    '81cd0003 59baaa5b 8f3bd0ad 274800b0',
    [gstreamerNack([0x2748, 0x274d, 0x274e, 0x2750])],
  ],
  [
    'lost packets of two entries, over the wrap',
    '81cd0004 59baaa5b 8f3bd0ad fffe8002 00100000',
    [gstreamerNack([0xfffe, 0, 14, 16])],
  ],
  ['lost packets in no order', '81cd0004 59baaa5b 8f3bd0ad 00058000 00060000', [gstreamerNack([5, 21, 6])]],
  ['no lost packets', '81cd0002 59baaa5b 8f3bd0ad', [gstreamerNack([])]],
  ['the end of a source (GStreamer)', '81cb0001 72c8d027', [{ kind: 'bye', ssrcs: [0x72c8d027], reason: '' }]],
  [
    'the end of two sources with a reason',
    '82cb0004 00000001 00000002 05 73746f7265 0000',
    [{ kind: 'bye', ssrcs: [1, 2], reason: 'store' }],
  ],
  ['the end of nobody', '80cb0000', [{ kind: 'bye', ssrcs: [], reason: '' }]],
  [
    'a sender report with reports',
    `82c80012 0a0b0c0d 83aa7e81 80000000 ffffffff 00000001 00000002 ${REPORT_HEX} ${REPORT_HEX}`,
    [
      {
        kind: 'senderReport',
        ssrc: 0x0a0b0c0d,
        ntpMs: 1500,
        rtpTimestamp: 0xffffffff,
        packetCount: 1,
        octetCount: 2,
        reports: [REPORT, REPORT],
      },
    ],
  ],
  [
    'a sender report without a clock',
    '80c80006 0a0b0c0d 00000000 00000000 00000001 00000002 00000003',
    [
      {
        kind: 'senderReport',
        ssrc: 0x0a0b0c0d,
        ntpMs: undefined,
        rtpTimestamp: 1,
        packetCount: 2,
        octetCount: 3,
        reports: [],
      },
    ],
  ],
  ['an empty receiver report', '80c90001 0a0b0c0d', [{ kind: 'receiverReport', ssrc: 0x0a0b0c0d, reports: [] }]],
  [
    'a description of sources, one without items and one whose end needs a word',
    '82ca0005 00000001 00000000 00000002 0102c3a9 00000000',
    [
      {
        kind: 'sourceDescription',
        chunks: [
          { ssrc: 1, items: [] },
          { ssrc: 2, items: [{ type: 1, text: 'é' }] },
        ],
      },
    ],
  ],
  [
    'data of an application',
    '9fcc0003 00000001 71746d58 deadbeef',
    [{ kind: 'applicationDefined', subtype: 31, ssrc: 1, name: 'qtmX', data: fromHex('deadbeef') }],
  ],
  [
    'feedback for congestion control',
    '8fcd0003 00000001 00000002 00010000',
    [{ kind: 'transportFeedback', format: 15, senderSsrc: 1, mediaSsrc: 2, data: fromHex('00010000') }],
  ],
  [
    'requests for keyframes',
    '84ce0006 00000001 00000000 00000002 07000000 00000003 ff000000',
    [
      {
        kind: 'fullIntraRequest',
        senderSsrc: 1,
        requests: [
          { ssrc: 2, sequenceNumber: 7 },
          { ssrc: 3, sequenceNumber: 255 },
        ],
      },
    ],
  ],
  [
    'an estimate of bandwidth (REMB)',
    '8fce0005 00000001 00000000 52454d42 0103f7a1 00000002',
    [
      {
        kind: 'payloadFeedback',
        format: 15,
        senderSsrc: 1,
        mediaSsrc: 0,
        data: fromHex('52454d42 0103f7a1 00000002'),
      },
    ],
  ],
]

/** What is written in another way here. */
const PARSED: readonly [name: string, bytes: string, packets: readonly RtcpPacket[]][] = [
  [
    'a packet of an unknown type before another one',
    '80cf0001 00000001 80cb0000',
    [{ kind: 'bye', ssrcs: [], reason: '' }],
  ],
  ['padding', 'a1cb0003 00000001 00000000 00000008', [{ kind: 'bye', ssrcs: [1], reason: '' }]],
  [
    'an extension of a profile',
    '80c90002 0a0b0c0d ffffffff',
    [{ kind: 'receiverReport', ssrc: 0x0a0b0c0d, reports: [] }],
  ],
  [
    'a description without its end',
    '81ca0002 00000001 01024142',
    [{ kind: 'sourceDescription', chunks: [{ ssrc: 1, items: [{ type: 1, text: 'AB' }] }] }],
  ],
]

const MALFORMED: readonly [name: string, bytes: string, message: string][] = [
  ['is empty', '', '0 left'],
  ['ends within its header', '80c900', '3 left'],
  ['is longer than what is left', '80cb0000 80c90002 00000001', '12 bytes at byte 4, 8 left'],
  ['is of version 1', '80cb0000 40c90001 00000001', 'version 1 at byte 4'],
  ['has padding longer than itself', 'a1cb0001 00000008', '8 bytes of padding'],
  ['has padding of no size', 'a1cb0001 00000000', '0 bytes of padding'],
  ['has padding of no whole words', 'a1cb0001 00000003', '3 bytes of padding'],
  ['has less reports than it says', `82c90007 0a0b0c0d ${REPORT_HEX}`, 'needed'],
  ['ends within the times of a sender', '80c80003 0a0b0c0d 00000000 00000000', 'needed'],
  ['has an item longer than itself', '81ca0002 00000001 01054142', 'needed'],
  ['has a reason longer than itself', '80cb0001 04414243', 'needed'],
  ['has feedback without its sources', '81ce0001 00000001', 'needed'],
  ['has half an intra request', '84ce0003 00000001 00000000 00000002', 'needed'],
  ['is one of too many', '80cb0000'.repeat(RTCP_MAX_PACKETS + 1), `more than ${RTCP_MAX_PACKETS}`],
  [
    'has too many items',
    `81ca0082 00000001 ${'0100'.repeat(RTCP_MAX_SDES_ITEMS + 2)}`,
    `more than ${RTCP_MAX_SDES_ITEMS}`,
  ],
  [
    'has too many items of two sources',
    `82ca0084 ${`00000001 ${'0100'.repeat(RTCP_MAX_SDES_ITEMS / 2 + 1)} 0000`.replaceAll(' ', '').repeat(2)}`,
    `more than ${RTCP_MAX_SDES_ITEMS}`,
  ],
  ['has too many lost packets', `81cd0193 ${'00'.repeat(8 + (RTCP_MAX_NACK_ENTRIES + 1) * 4)}`, 'NACK'],
  ['has too many intra requests', `84ce0084 ${'00'.repeat(8 + (RTCP_MAX_INTRA_REQUESTS + 1) * 8)}`, 'full intra'],
]

const UNSERIALIZABLE: readonly [name: string, packet: RtcpPacket][] = [
  [
    'more reports than are counted',
    { kind: 'receiverReport', ssrc: 1, reports: Array.from({ length: 32 }, () => REPORT) },
  ],
  ['a reason that is too long', { kind: 'bye', ssrcs: [], reason: 'é'.repeat(128) }],
  ['an item of type 0', { kind: 'sourceDescription', chunks: [{ ssrc: 1, items: [{ type: 0, text: '' }] }] }],
  [
    'an item that is too long',
    { kind: 'sourceDescription', chunks: [{ ssrc: 1, items: [{ type: 1, text: 'a'.repeat(256) }] }] },
  ],
  ['a name of three characters', { kind: 'applicationDefined', subtype: 0, ssrc: 1, name: 'abc', data: Buffer.of() }],
  ['data of a byte', { kind: 'applicationDefined', subtype: 0, ssrc: 1, name: 'abcd', data: Buffer.of(1) }],
]

describe('RTCP', () => {
  for (const [name, hex, packets] of CASES) {
    it(`is parsed and serialized: ${name}`, () => {
      expect(parseRtcp(fromHex(hex))).to.deep.equal(packets)
      expect(serializeRtcp(packets).toString('hex')).to.equal(hex.replaceAll(' ', ''))
    })
  }

  for (const [name, hex, packets] of PARSED) {
    it(`is parsed: ${name}`, () => expect(parseRtcp(fromHex(hex))).to.deep.equal(packets))
  }

  for (const [name, hex, message] of MALFORMED) {
    it(`is refused when it ${name}`, () => expect(() => parseRtcp(fromHex(hex))).to.throw(MalformedError, message))
  }

  for (const [name, packet] of UNSERIALIZABLE) {
    it(`is not serialized with ${name}`, () => expect(() => serializeRtcp([packet])).to.throw(MalformedError))
  }

  it('has counts and times that may go on past their range', () => {
    const report = { kind: 'senderReport', ssrc: 1, ntpMs: 1500, reports: [] } as const
    const bytes = serializeRtcp([
      { ...report, rtpTimestamp: 2 ** 33 + 1, packetCount: 2 ** 32, octetCount: 2 ** 40 + 3 },
    ])
    expect(parseRtcp(bytes)).to.deep.equal([{ ...report, rtpTimestamp: 1, packetCount: 0, octetCount: 3 }])
  })

  it('is parsed from any bytes, or refused', () => {
    fuzz(
      [...CASES, ...PARSED].map(([, hex]) => fromHex(hex)),
      (bytes) => {
        const packets = parseRtcp(bytes)
        expect(packets.length).to.be.at.most(bytes.length / 4)
        expect(parseRtcp(serializeRtcp([...packets, { kind: 'bye', ssrcs: [], reason: '' }]))).to.have.length(
          packets.length + 1,
        )
      },
    )
  })
})
