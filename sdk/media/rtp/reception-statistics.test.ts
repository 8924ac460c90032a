import { expect } from 'chai'
import fc from 'fast-check'
import type { RtpHeader } from './packet.ts'
import { RtpReceptionStatistics } from './reception-statistics.ts'
import type { SenderReport } from './rtcp/sender-report.ts'

const CLOCK_RATE = 8000

function packetOf(sequenceNumber: number, ssrc = 1, timestamp = 0): RtpHeader {
  const wrapped = ((sequenceNumber % 65_536) + 65_536) % 65_536
  return { payloadType: 8, marker: false, sequenceNumber: wrapped, timestamp, ssrc }
}

function receive(sequenceNumbers: readonly number[]): RtpReceptionStatistics {
  const statistics = new RtpReceptionStatistics(CLOCK_RATE)
  for (const sequenceNumber of sequenceNumbers) statistics.receive(packetOf(sequenceNumber), 0)
  return statistics
}

const senderReport = (ssrc: number, ntpMs: number | undefined): SenderReport => ({
  kind: 'senderReport',
  ssrc,
  ntpMs,
  rtpTimestamp: 0,
  packetCount: 0,
  octetCount: 0,
  reports: [],
})

type Counts = readonly [received: number, lost: number, duplicates: number, reordered: number]
type Report = readonly [fractionLost: number, cumulativeLost: number, highest: number]

const CASES: readonly [name: string, sequenceNumbers: readonly number[], counts: Counts, report: Report][] = [
  ['one packet', [5], [1, 0, 0, 0], [0, 0, 5]],
  ['packets in order', [5, 6, 7], [3, 0, 0, 0], [0, 0, 7]],
  ['a wrap', [65_534, 65_535, 0, 1], [4, 0, 0, 0], [0, 0, 0x10001]],
  ['a quarter of packets lost', [0, 1, 3], [3, 1, 0, 0], [64, 1, 3]],
  ['loss over a wrap', [65_534, 1], [2, 2, 0, 0], [128, 2, 0x10001]],
  ['loss of all that can be told', [0, 2999], [2, 2998, 0, 0], [255, 2998, 2999]],
  ['a packet that comes late', [0, 2, 1], [3, 0, 0, 1], [0, 0, 2]],
  ['a packet that comes late, over a wrap', [65_535, 1, 0], [3, 0, 0, 1], [0, 0, 0x10001]],
  ['a packet that comes before the first', [65_535, 0, 65_534], [3, 0, 0, 1], [0, 0, 0x10000]],
  ['a first packet below a wrap that comes late', [0, 65_535], [2, 0, 0, 1], [0, 0, 0]],
  ['a repeated packet', [0, 1, 1, 0], [4, 0, 2, 0], [0, -2, 1]],
  ['a repeated packet beside a lost one', [0, 2, 2], [3, 1, 1, 0], [0, 0, 2]],
  ['a stray packet', [0, 30_000, 1], [3, 0, 0, 0], [0, 0, 1]],
  ['a source that begins anew', [0, 2, 30_000, 30_001, 30_003], [5, 2, 0, 0], [64, 1, 30_003]],
  ['a source that begins anew at a wrap', [0, 65_000, 35_535, 35_536], [4, 0, 0, 0], [0, 0, 35_536]],
  ['a source that begins anew over a wrap', [30_000, 65_535, 0], [3, 0, 0, 0], [0, 0, 0x10000]],
]

describe('RtpReceptionStatistics', () => {
  for (const [name, sequenceNumbers, [received, lost, duplicates, reordered], report] of CASES) {
    it(`counts ${name}`, () => {
      const statistics = receive(sequenceNumbers)
      expect(statistics).to.include({
        receivedPackets: received,
        lostPackets: lost,
        duplicatePackets: duplicates,
        reorderedPackets: reordered,
      })
      const [fractionLost, cumulativeLost, highestSequenceNumber] = report
      expect(statistics.report(0)).to.include({ ssrc: 1, fractionLost, cumulativeLost, highestSequenceNumber })
    })
  }

  it('counts what is sent again long after, as far behind as it may come', () => {
    const statistics = new RtpReceptionStatistics(CLOCK_RATE, 2000)
    const sent = Array.from({ length: 3000 }, (_, index) => 64_000 + index)
    const lost = [64_010, 64_011, 65_535, 65_536]
    for (const number of sent) if (!lost.includes(number)) statistics.receive(packetOf(number), 0)
    expect(statistics.lostPackets).to.equal(4)
    for (const number of [65_535, 65_536, 65_536]) statistics.receive(packetOf(number), 0)
    expect(statistics).to.include({ lostPackets: 2, duplicatePackets: 1, reorderedPackets: 2 })
    for (const number of [64_010, 64_011]) statistics.receive(packetOf(number), 0)
    expect(statistics.report(0)).to.include({ highestSequenceNumber: 64_011 })
  })

  it('reports nothing before the first packet', () => {
    const statistics = receive([])
    expect(statistics.report(0)).to.equal(undefined)
    expect(statistics.lostPackets).to.equal(0)
  })

  it('tells the fraction lost since the report before', () => {
    const statistics = receive([0, 2])
    expect(statistics.report(0)).to.include({ fractionLost: 85, cumulativeLost: 1 })
    statistics.receive(packetOf(3), 0)
    expect(statistics.report(0)).to.include({ fractionLost: 0, cumulativeLost: 1 })
    expect(statistics.report(0)).to.include({ fractionLost: 0, cumulativeLost: 1 })
    statistics.receive(packetOf(7), 0)
    expect(statistics.report(0)).to.include({ fractionLost: 192, cumulativeLost: 4 })
    statistics.receive(packetOf(6), 0)
    expect(statistics.report(0)).to.include({ fractionLost: 0, cumulativeLost: 3 })
  })

  it('begins its reports anew with another source, and goes on to count', () => {
    const statistics = receive([0, 2, 3])
    expect(statistics.report(0)).to.include({ ssrc: 1, fractionLost: 64 })
    statistics.receive(packetOf(0, 2, 4000), 0)
    statistics.receive(packetOf(2, 2, 4000), 0)
    expect(statistics.report(0)).to.include({
      ssrc: 2,
      fractionLost: 85,
      cumulativeLost: 1,
      highestSequenceNumber: 2,
      jitter: 0,
    })
    expect(statistics).to.include({ receivedPackets: 5, lostPackets: 2, duplicatePackets: 0 })
  })

  it('keeps the cumulative loss within its 24 bits', () => {
    const statistics = receive(Array.from({ length: 4000 }, (_, i) => i * 2500))
    expect(statistics.lostPackets).to.equal(3999 * 2499)
    expect(statistics.report(0)).to.include({ cumulativeLost: 0x7fffff, highestSequenceNumber: 3999 * 2500 })
  })

  it('refers to the last sender report of its source', () => {
    const statistics = receive([0])
    expect(statistics.report(0)).to.include({ lastSenderReport: 0, delaySinceLastSenderReport: 0 })
    statistics.receiveSenderReport(senderReport(1, 1500), 10_000)
    expect(statistics.report(10_250)).to.include({ lastSenderReport: 0x7e818000, delaySinceLastSenderReport: 16_384 })
    statistics.receiveSenderReport(senderReport(2, 2500), 10_300)
    expect(statistics.report(10_300)).to.include({ lastSenderReport: 0, delaySinceLastSenderReport: 0 })
    statistics.receiveSenderReport(senderReport(1, undefined), 10_300)
    expect(statistics.report(10_500)).to.include({ lastSenderReport: 0, delaySinceLastSenderReport: 0 })
  })

  it('measures jitter in ticks', () => {
    const statistics = new RtpReceptionStatistics(CLOCK_RATE)
    const jitters = ([0, 20, 41, 60, 80, 110, 10_131] as const).map((nowMs, i) => {
      statistics.receive(packetOf(i, 1, (2 ** 32 - 700 + i * 160) % 2 ** 32), nowMs)
      return statistics.report(nowMs)!.jitter
    })
    // 8 ticks of jitter, then 8, 0, 80: J += (|D| − J) / 16. The last step is one of the clock.
    expect(jitters).to.deep.equal([0, 0, 0, 0, 0, 5, 5])
  })

  it('counts what a network loses, repeats and mixes up', () => {
    const fate = fc.constantFrom('passes', 'passes', 'lost', 'repeated')
    fc.assert(
      fc.property(
        fc.nat(65_535),
        fc.array(fc.tuple(fate, fc.nat(6)), { minLength: 1, maxLength: 500 }),
        (first, fates) => {
          const sent = fates.map(([fate, delay], i) => ({ number: first + i, fate, at: i + delay }))
          const passed = sent.filter(({ fate }) => fate !== 'lost')
          fc.pre(passed.length > 0)
          const repeated = passed
            .filter(({ fate }) => fate === 'repeated')
            .map((packet) => ({ ...packet, at: packet.at + 9 }))
          const arrivals = [...passed, ...repeated].toSorted((a, b) => a.at - b.at)
          const statistics = receive(arrivals.map(({ number }) => number))
          const range = passed.at(-1)!.number - passed[0]!.number + 1
          expect(statistics).to.include({
            receivedPackets: arrivals.length,
            lostPackets: range - passed.length,
            duplicatePackets: repeated.length,
          })
          expect(statistics.report(0)).to.include({ cumulativeLost: range - arrivals.length })
        },
      ),
    )
  })
})
