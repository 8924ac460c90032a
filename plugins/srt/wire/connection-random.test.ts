import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { VirtualPair } from './fixtures/virtual-pair.ts'
import { SEQUENCE_MASK } from './sequence.ts'

const COUNT = 1500
const REST_MS = 12_000

const WAY = fc.record({
  delayMs: fc.integer({ min: 1, max: 60 }),
  jitterMs: fc.integer({ min: 0, max: 60 }),
  lossShare: fc.constantFrom(0, 0.01, 0.05, 0.1),
  duplicateShare: fc.constantFrom(0, 0.1),
  burst: fc.integer({ min: 1, max: 4 }),
})

const LINK = fc.record({
  forth: WAY,
  back: WAY,
  seed: fc.nat(),
  latencyMs: fc.constantFrom<number>(20, 120, 400, 1500),
  windowPackets: fc.constantFrom<number>(32, 100, 8192),
  first: fc.constantFrom(0, 1000, SEQUENCE_MASK - COUNT / 2),
  perStep: fc.integer({ min: 1, max: 4 }),
  peerDropsTooLate: fc.boolean(),
  peerReportsLossPeriodically: fc.boolean(),
  peerStampsTimes: fc.boolean(),
})

type Link = typeof LINK extends fc.Arbitrary<infer Value> ? Value : never

/** Sends numbered payloads over a link; checks that they come in order, and that it is said how many are missing before each. */
function carry(link: Link): { pair: VirtualPair; delivered: number } {
  const { forth, back, seed, latencyMs, windowPackets, first, perStep, peerStampsTimes, ...terms } = link
  let last = -1
  let delivered = 0
  const pair = new VirtualPair({
    forth,
    back,
    seed,
    latencyMs,
    sender: {
      ...terms,
      flowWindowPackets: windowPackets,
      sendSequence: first,
    },
    receiver: {
      peerStampsTimes,
      flowWindowPackets: windowPackets,
      receiveSequence: first,
    },
    received: (bytes, _, missing) => {
      const number = bytes.readUInt32BE(0)
      expect(number).to.equal(last + 1 + missing)
      last = number
      delivered += 1
    },
  })
  let sent = 0
  pair.run((COUNT / perStep) * 10 + REST_MS, (ms) => {
    if (ms % 10 !== 0) return
    for (const end = Math.min(COUNT, sent + perStep); sent < end; sent += 1) {
      const bytes = Buffer.alloc(188)
      bytes.writeUInt32BE(sent, 0)
      pair.sender.send(bytes)
    }
  })
  return { pair, delivered }
}

describe('Connection, over any link', () => {
  it('keeps the order, ends with empty buffers, and misses only what it counts', function () {
    this.timeout(60_000)
    fc.assert(
      fc.property(LINK, (link) => {
        const { pair, delivered } = carry(link)
        const { pktSndBuf, byteSndBuf, pktSndDropTotal } = pair.sender.statistics()
        const { pktRcvBuf, byteRcvBuf, pktRcvDropTotal } = pair.receiver.statistics()
        expect({ pktSndBuf, byteSndBuf, pktRcvBuf, byteRcvBuf, queued: pair.sender.queuedBytes }).to.eql({
          pktSndBuf: 0,
          byteSndBuf: 0,
          pktRcvBuf: 0,
          byteRcvBuf: 0,
          queued: 0,
        })
        const missed = COUNT - delivered
        expect(missed).to.be.at.least(pktRcvDropTotal)
        // The last ones may be dropped before the peer knows of them.
        expect(missed).to.be.at.most(pktRcvDropTotal + pktSndDropTotal)
      }),
      { numRuns: rounds(60) },
    )
  })

  it('loses nothing where a retransmission has time', function () {
    this.timeout(60_000)
    fc.assert(
      fc.property(LINK, (link) => {
        const { pair, delivered } = carry({ ...link, latencyMs: 3000, windowPackets: 8192 })
        expect(delivered).to.equal(COUNT)
        expect(pair.receiver.statistics().pktRcvDropTotal).to.equal(0)
      }),
      { numRuns: rounds(60) },
    )
  })
})
