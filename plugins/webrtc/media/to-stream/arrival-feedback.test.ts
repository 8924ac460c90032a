import { expect } from 'chai'
import fc from 'fast-check'
import { parseTransportWideFeedback, TRANSPORT_WIDE_REFERENCE_MS, TRANSPORT_WIDE_TICK_MS } from 'sluice/sdk/media'
import { ArrivalFeedback } from './arrival-feedback.ts'

type Arrival = readonly [number: number, atMs: number]

/** What is said of arrivals: numbers and times in ms, missing ones without a time. */
function said(feedback: ArrivalFeedback, nowMs: number): (readonly [number: number, atMs: number | undefined])[] {
  const packet = feedback.take(nowMs)
  if (packet === undefined) return []
  const { baseSequenceNumber, referenceTime, arrivals } = parseTransportWideFeedback(packet)!
  let atMs = referenceTime * TRANSPORT_WIDE_REFERENCE_MS
  return arrivals.map((arrival, index) => {
    if (arrival === undefined) return [(baseSequenceNumber + index) & 0xffff, undefined]
    atMs += arrival * TRANSPORT_WIDE_TICK_MS
    return [(baseSequenceNumber + index) & 0xffff, atMs]
  })
}

function feedbackOn(arrivals: readonly Arrival[], feedback = new ArrivalFeedback(1)): ArrivalFeedback {
  for (const [number, atMs] of arrivals) feedback.add(number, 2, atMs)
  return feedback
}

describe('ArrivalFeedback', () => {
  it('says nothing where nothing has come, and what has come a moment later', () => {
    const feedback = feedbackOn([])
    expect(feedback.take(0)).to.equal(undefined)
    feedbackOn([[7, 1000]], feedback)
    expect(feedback.take(1049)).to.equal(undefined)
    const packet = feedback.take(1050)!
    expect([packet.senderSsrc, packet.mediaSsrc]).to.eql([1, 2])
    expect(feedback.take(2000)).to.equal(undefined)
  })

  it('says it at once of many', () => {
    const feedback = feedbackOn(Array.from({ length: 200 }, (_, index) => [index, 1000] as const))
    expect(said(feedback, 1000)).to.have.length(200)
  })

  const CASES: readonly [
    name: string,
    arrivals: readonly Arrival[],
    said: readonly (readonly [number, number | undefined])[],
  ][] = [
    [
      'packets in order',
      [
        [1, 10],
        [2, 10.25],
        [3, 30],
      ],
      [
        [1, 10],
        [2, 10.25],
        [3, 30],
      ],
    ],
    [
      'a lost packet',
      [
        [1, 10],
        [3, 30],
      ],
      [
        [1, 10],
        [2, undefined],
        [3, 30],
      ],
    ],
    [
      'packets in disorder',
      [
        [1, 10],
        [3, 30],
        [2, 35],
      ],
      [
        [1, 10],
        [2, 35],
        [3, 30],
      ],
    ],
    [
      'a packet twice',
      [
        [1, 10],
        [1, 30],
        [2, 35],
      ],
      [
        [1, 10],
        [2, 35],
      ],
    ],
    [
      'a wrap',
      [
        [65_535, 10],
        [0, 11],
        [1, 12],
      ],
      [
        [65_535, 10],
        [0, 11],
        [1, 12],
      ],
    ],
    [
      'the last ones of two that are far apart',
      [
        [1, 10],
        [30_000, 11],
      ],
      [[30_000, 11]],
    ],
  ]
  for (const [name, arrivals, expected] of CASES) {
    it(`tells of ${name}`, () => expect(said(feedbackOn(arrivals), 1000)).to.eql(expected))
  }

  it('goes on where it ended, and tells of what came later than others as well', () => {
    const feedback = feedbackOn([
      [10, 10],
      [11, 11],
    ])
    said(feedback, 100)
    expect(said(feedbackOn([[13, 120]], feedback), 200)).to.eql([
      [12, undefined],
      [13, 120],
    ])
    expect(
      said(
        feedbackOn(
          [
            [12, 220],
            [14, 221],
          ],
          feedback,
        ),
        300,
      ),
    ).to.eql([
      [12, 220],
      [13, undefined],
      [14, 221],
    ])
  })

  it('can say whatever comes', () => {
    const arrival = fc.tuple(fc.nat(0xffff), fc.oneof(fc.nat(20), fc.nat(100_000)))
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 300 }), (arrivals) => {
        const feedback = new ArrivalFeedback(1)
        let nowMs = 5e12
        for (const [number, waitMs] of arrivals) {
          nowMs += waitMs
          feedback.add(number, 2, nowMs)
          const packet = feedback.take(nowMs)
          expect(packet?.data.length ?? 0).to.be.at.most(1200)
        }
      }),
    )
  })
})
