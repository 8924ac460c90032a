import { expect } from 'chai'
import { MAX_HISTORY_AGE_MS, MAX_HISTORY_PACKETS, MAX_HISTORY_UNITS, PacketHistory } from './packet-history.ts'
import type { MediaPacket } from './unit-packets.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const INTERVAL_MS = 50
const TICKS_PER_UNIT = 3000
/** Of packets in their unit. */
const OFFSET_TICKS = 10

/** Each holds its place among all that were sent. */
function packetsOf(firstIndex: number, count: number): MediaPacket[] {
  return Array.from({ length: count }, (_, place) => {
    const index = firstIndex + place
    return { payload: Buffer.from([index >> 8, index]), marker: false, offsetTicks: place * OFFSET_TICKS }
  })
}

/** A history of units of so many packets, with the numbers from `first` on, which were sent 1 ms apart. */
function historyOf(first: number, unitSizes: readonly number[]): PacketHistory {
  const history = new PacketHistory()
  let index = 0
  for (const [place, size] of unitSizes.entries()) {
    history.add((first + index) & 0xffff, packetsOf(index, size), place * TICKS_PER_UNIT, NOW_MS + place)
    index += size
  }
  return history
}

/** The places among all that were sent of those that are given again, of the first `count`. */
function keptOf(history: PacketHistory, first: number, count: number): number[] {
  const nowMs = NOW_MS + MAX_HISTORY_AGE_MS / 2
  const indexes = Array.from({ length: count }, (_, index) => index)
  return indexes.filter((index) => {
    const sent = history.take((first + index) & 0xffff, nowMs, 0)
    if (sent !== undefined) expect(sent.packet.payload.readUInt16BE(0)).to.equal(index)
    return sent !== undefined
  })
}

const from = (first: number, end: number) => Array.from({ length: end - first }, (_, index) => first + index)

describe('PacketHistory', () => {
  it('gives what was sent last, over the wrap of numbers', () => {
    const sizes = Array.from({ length: 200 }, (_, place) => 1 + (place % 13))
    const total = sizes.reduce((sum, size) => sum + size, 0)
    const kept = keptOf(historyOf(0xff00, sizes), 0xff00, total + 10)
    expect(kept.length).to.be.within(MAX_HISTORY_PACKETS - 13, MAX_HISTORY_PACKETS)
    expect(kept).to.eql(from(total - kept.length, total))
  })

  it('gives packets with the time that they had', () => {
    const history = historyOf(0xfffe, [2, 3, 1])
    const timestampOf = (index: number) => history.take((0xfffe + index) & 0xffff, NOW_MS + 100, 0)?.timestamp
    expect([0, 1, 2, 4, 5].map(timestampOf)).to.eql([
      0,
      OFFSET_TICKS,
      TICKS_PER_UNIT,
      TICKS_PER_UNIT + 2 * OFFSET_TICKS,
      2 * TICKS_PER_UNIT,
    ])
  })

  it('keeps no more units than it has places for', () => {
    const sizes = Array.from({ length: MAX_HISTORY_UNITS + 50 }, () => 1)
    expect(keptOf(historyOf(7, sizes), 7, sizes.length)).to.eql(from(50, MAX_HISTORY_UNITS + 50))
  })

  it('gives the last packets of a unit that is larger than all it keeps', () => {
    const total = 10 + 2 * MAX_HISTORY_PACKETS
    const kept = keptOf(historyOf(7, [10, 2 * MAX_HISTORY_PACKETS]), 7, total)
    expect(kept).to.eql(from(total - MAX_HISTORY_PACKETS, total))
  })

  it('gives nothing before there is something, and nothing of another number', () => {
    expect(new PacketHistory().take(0, NOW_MS, 0)).to.equal(undefined)
    const history = historyOf(100, [3])
    for (const number of [99, 103, 100 - MAX_HISTORY_PACKETS, 0x8000]) {
      expect(history.take(number & 0xffff, NOW_MS + 100, 0), `${number}`).to.equal(undefined)
    }
  })

  it('gives a packet once in an interval, and none that is old', () => {
    const history = historyOf(7, [1, 1])
    expect(history.take(7, NOW_MS + INTERVAL_MS - 1, INTERVAL_MS), 'too soon').to.equal(undefined)
    expect(history.take(7, NOW_MS + INTERVAL_MS, INTERVAL_MS)).to.not.equal(undefined)
    expect(history.take(7, NOW_MS + INTERVAL_MS + 1, INTERVAL_MS), 'again too soon').to.equal(undefined)
    expect(history.take(8, NOW_MS + INTERVAL_MS + 1, INTERVAL_MS), 'another').to.not.equal(undefined)
    expect(history.take(7, NOW_MS + 2 * INTERVAL_MS, INTERVAL_MS)).to.not.equal(undefined)
    const oldMs = NOW_MS + 2 * INTERVAL_MS + MAX_HISTORY_AGE_MS + 1
    expect(history.take(7, oldMs, INTERVAL_MS), 'too old').to.equal(undefined)
  })
})
