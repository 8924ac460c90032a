import { expect } from 'chai'
import { MAX_MISSING_PACKETS, MAX_REQUESTS_PER_PACKET, MissingPackets } from './missing-packets.ts'

const MAX_AGE_MS = 500
const MAX_MISORDER = 2048

function missingAfter(numbers: readonly number[], nowMs = 0): MissingPackets {
  const missing = new MissingPackets(MAX_AGE_MS, MAX_MISORDER)
  for (const number of numbers) missing.receive(number, nowMs)
  return missing
}

const from = (first: number, end: number) => Array.from({ length: end - first }, (_, index) => first + index)

const CASES: readonly [name: string, numbers: readonly number[], due: readonly number[]][] = [
  ['nothing of packets in order', [7, 8, 9], []],
  ['what a gap shows', [7, 10], [8, 9]],
  ['what gaps over a wrap show', [65_534, 1, 3], [65_535, 0, 2]],
  ['nothing that came late', [7, 10, 8, 9], []],
  ['nothing that was sent again while very many others came', [7, 10, ...from(11, 1500), 8, 1500, 9, 1501], []],
  ['nothing of a stray packet', [7, 40_000, 8], []],
  ['nothing of what was before the source began anew', [7, 9, 40_000, 40_001, 40_003], [40_002]],
  ['nothing where more is missing than can be had again', [7, 7 + MAX_MISSING_PACKETS + 2], []],
]

describe('MissingPackets', () => {
  for (const [name, numbers, due] of CASES) {
    it(`asks for ${name}`, () => expect(missingAfter(numbers).due(0)).to.eql(due))
  }

  it('tells whether a packet shows a gap', () => {
    const missing = missingAfter([7])
    expect([8, 10, 9, 11].map((number) => missing.receive(number, 0))).to.eql([false, true, false, false])
  })

  it('asks again after a round trip, as answers show it', () => {
    const missing = missingAfter([1])
    let nowMs = 0
    for (let number = 3; number < 60; number += 2) {
      missing.receive(number, nowMs)
      expect(missing.due(nowMs)).to.eql([number - 1])
      missing.receive(number - 1, nowMs + 40)
      nowMs += 50
    }
    missing.receive(100, nowMs)
    expect(missing.due(nowMs)).to.have.length(40)
    expect(missing.due(nowMs + 49)).to.eql([])
    expect(missing.due(nowMs + 50)).to.have.length(40)
    expect(missing.recoveredPackets).to.equal(29)
  })

  it('gives up what is too old, or was asked for too often', () => {
    const missing = missingAfter([1, 3])
    expect(missing.due(0)).to.eql([2])
    expect(missing.due(MAX_AGE_MS)).to.eql([])
    expect(missing.size).to.equal(0)
    const young = missingAfter([1, 3], 0)
    let requests = 0
    for (let nowMs = 0; nowMs < MAX_AGE_MS; nowMs += 1) requests += young.due(nowMs).length
    expect(requests).to.be.within(2, MAX_REQUESTS_PER_PACKET)
    expect(missing.recoveredPackets).to.equal(0)
  })

  it('keeps the newest of very many', () => {
    const missing = new MissingPackets(MAX_AGE_MS, MAX_MISORDER)
    for (let number = 0; number < 10_000; number += 2) missing.receive(number, 0)
    expect(missing.size).to.equal(MAX_MISSING_PACKETS)
    expect(missing.due(0).at(-1)).to.equal(9997)
  })
})
