import { expect } from 'chai'
import { MAX_HISTORY_AGE_MS, MAX_HISTORY_PACKETS, PacketHistory } from './packet-history.ts'

const NOW_MS = Date.UTC(2026, 0, 1)
const INTERVAL_MS = 50

/** A history of packets with the numbers from `first` on, which were sent 1 ms apart; each holds its number. */
function historyOf(first: number, count: number): PacketHistory {
  const history = new PacketHistory()
  for (let index = 0; index < count; index++) {
    const payload = Buffer.from([index >> 8, index])
    history.add((first + index) & 0xffff, { payload, marker: false, offsetTicks: 0 }, index, NOW_MS + index)
  }
  return history
}

describe('PacketHistory', () => {
  it('gives what was sent last, over the wrap of numbers', () => {
    const history = historyOf(0xff00, MAX_HISTORY_PACKETS + 300)
    const nowMs = NOW_MS + MAX_HISTORY_PACKETS + 300 + INTERVAL_MS
    for (const index of [300, 512, MAX_HISTORY_PACKETS + 299]) {
      const sequenceNumber = (0xff00 + index) & 0xffff
      expect(history.take(sequenceNumber, nowMs, INTERVAL_MS)!.payload.readUInt16BE(0)).to.equal(index)
      expect(history.timestampOf(sequenceNumber)).to.equal(index)
    }
    for (const index of [299, 0, MAX_HISTORY_PACKETS + 300]) {
      expect(history.take((0xff00 + index) & 0xffff, nowMs, INTERVAL_MS), `packet ${index}`).to.equal(undefined)
    }
  })

  it('gives nothing before there is something', () => {
    expect(new PacketHistory().take(0, NOW_MS, 0)).to.equal(undefined)
  })

  it('gives a packet once in an interval, and none that is old', () => {
    const history = historyOf(7, 1)
    expect(history.take(7, NOW_MS + INTERVAL_MS - 1, INTERVAL_MS), 'too soon').to.equal(undefined)
    expect(history.take(7, NOW_MS + INTERVAL_MS, INTERVAL_MS)).to.not.equal(undefined)
    expect(history.take(7, NOW_MS + INTERVAL_MS + 1, INTERVAL_MS), 'again too soon').to.equal(undefined)
    expect(history.take(7, NOW_MS + 2 * INTERVAL_MS, INTERVAL_MS)).to.not.equal(undefined)
    const oldMs = NOW_MS + 2 * INTERVAL_MS + MAX_HISTORY_AGE_MS + 1
    expect(history.take(7, oldMs, INTERVAL_MS), 'too old').to.equal(undefined)
  })
})
