import { expect } from 'chai'
import fc from 'fast-check'
import { fuzz } from '../../codec/test/fuzz.ts'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../../errors.ts'
import { parseRtcp, serializeRtcp } from './compound.ts'
import type { TransportFeedback } from './transport-feedback.ts'
import {
  parseTransportWideFeedback,
  TRANSPORT_WIDE_MAX_PACKETS,
  transportWideFeedback,
  type TransportWideFeedback,
} from './transport-wide-feedback.ts'

const feedbackOf = (hex: string): TransportFeedback => ({
  kind: 'transportFeedback',
  format: 15,
  senderSsrc: 1,
  mediaSsrc: 2,
  data: fromHex(hex),
})

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item)

type Case = readonly [
  name: string,
  hex: string,
  baseSequenceNumber: number,
  referenceTime: number,
  feedbackCount: number,
  arrivals: readonly (number | undefined)[],
]

const CASES: readonly Case[] = [
  ['one packet', '0001 0001 000002 03 a000 04 00', 1, 2, 3, [4]],
  ['small steps, large ones and a loss', '0001 0003 000001 05 d200 04 012c 000000', 1, 1, 5, [4, undefined, 300]],
  ['a step back', 'ffff 0002 ffffff ff d800 00 ffff 000000', 0xffff, -1, 255, [0, -1]],
  [
    'the largest steps',
    '0000 0004 800000 00 da80 ff 0100 7fff 8000 000000',
    0,
    -0x800000,
    0,
    [255, 256, 0x7fff, -0x8000],
  ],
  ['a run of small steps', `0000 0010 000000 00 2010 ${'01'.repeat(16)} 0000`, 0, 0, 0, times(16, 1)],
  ['a run of large steps', `0000 0008 000000 00 4008 ${'0100'.repeat(8)} 0000`, 0, 0, 0, times(8, 256)],
  ['a run of losses', '0000 0065 000000 00 0064 a000 07 000000', 0, 0, 0, [...times<undefined>(100, undefined), 7]],
  ['losses among small steps', '0000 0005 000000 00 b400 01 02 03 000000', 0, 0, 0, [1, 2, undefined, 3, undefined]],
]

describe('Feedback on the packets of a transport', () => {
  for (const [name, hex, baseSequenceNumber, referenceTime, feedbackCount, arrivals] of CASES) {
    it(`says ${name}`, () => {
      const feedback: TransportWideFeedback = { baseSequenceNumber, referenceTime, feedbackCount, arrivals }
      expect(parseTransportWideFeedback(feedbackOf(hex))).to.eql(feedback)
      const made = transportWideFeedback(1, 2, feedback)
      expect(made).to.eql(feedbackOf(hex))
    })
  }

  it('is nothing that other feedback says', () => {
    expect(parseTransportWideFeedback({ ...feedbackOf(CASES[0]![1]), format: 14 })).to.equal(undefined)
  })

  it('is refused when it makes no sense', () => {
    const malformed: readonly [hex: string, message: string][] = [
      ['0001 0001 0000', 'needed'],
      ['0001 0001 000002 03', 'needed'],
      ['0001 0002 000002 03 a000', 'needed'],
      ['0001 0001 000002 03 6001 00 00', 'symbol 3'],
      ['0001 ffff 000002 03 3fff', '65535 packets'],
    ]
    for (const [hex, message] of malformed) {
      expect(() => parseTransportWideFeedback(feedbackOf(hex))).to.throw(MalformedError, message)
    }
  })

  it('is not made of what it can not say', () => {
    const make = (arrivals: readonly (number | undefined)[]) => () =>
      transportWideFeedback(1, 2, { baseSequenceNumber: 0, referenceTime: 0, feedbackCount: 0, arrivals })
    for (const arrival of [0x8000, -0x8001, Number.NaN]) expect(make([arrival])).to.throw(MalformedError)
    expect(make(times(TRANSPORT_WIDE_MAX_PACKETS + 1, undefined))).to.throw(MalformedError)
    expect(make(times(TRANSPORT_WIDE_MAX_PACKETS, undefined))).not.to.throw()
  })

  it('says any arrivals', () => {
    const arrival = fc.oneof(fc.constant(undefined), fc.nat(300), fc.integer({ min: -0x8000, max: 0x7fff }))
    const run = fc.tuple(arrival, fc.nat(40)).map(([value, count]) => times(count, value))
    const feedback = fc.record({
      baseSequenceNumber: fc.nat(0xffff),
      referenceTime: fc.integer({ min: -0x800000, max: 0x7fffff }),
      feedbackCount: fc.nat(255),
      arrivals: fc.array(run, { maxLength: 20 }).map((runs) => runs.flat()),
    })
    fc.assert(
      fc.property(feedback, (said) => {
        const [packet] = parseRtcp(serializeRtcp([transportWideFeedback(7, 9, said)]))
        expect(parseTransportWideFeedback(packet as TransportFeedback)).to.eql(said)
      }),
    )
  })

  it('is parsed from any bytes, or refused', () => {
    fuzz(
      CASES.map(([, hex]) => fromHex(hex)),
      (data) => {
        const feedback = parseTransportWideFeedback({ ...feedbackOf(''), data })
        expect(feedback?.arrivals.length ?? 0).to.be.at.most(TRANSPORT_WIDE_MAX_PACKETS)
      },
    )
  })
})
