import { expect } from 'chai'
import fc from 'fast-check'
import type { RtpPacket } from './packet.ts'
import { RtpReorderBuffer, type RtpReorderLimits } from './reorder-buffer.ts'
import { RTP_MAX_DROPOUT, RTP_MAX_MISORDER } from './sequence-number.ts'

const NO_PAYLOAD = Buffer.alloc(0)
const LIMITS = { maxDelayMs: 100, maxPackets: 4 }
const IN_ORDER_ONLY = { maxDelayMs: 0, maxPackets: 0 }

function packetOf(sequenceNumber: number, ssrc = 1): RtpPacket {
  const number = ((sequenceNumber % 65_536) + 65_536) % 65_536
  return { payloadType: 96, marker: false, sequenceNumber: number, timestamp: 0, ssrc, csrcs: [], payload: NO_PAYLOAD }
}

/** A buffer, and what it gave out: numbers, with a bar before those that do not follow. */
function createBuffer(limits: RtpReorderLimits = LIMITS) {
  const given: string[] = []
  const buffer = new RtpReorderBuffer(limits, ({ sequenceNumber }, follows) => {
    given.push(`${follows ? '' : '|'}${sequenceNumber}`)
  })
  const taken = (): string => given.splice(0).join(' ')
  /** Pushes packets, and gives back what came out since the last time. */
  const push = (sequenceNumbers: readonly number[], nowMs = 0): string => {
    for (const sequenceNumber of sequenceNumbers) buffer.push(packetOf(sequenceNumber), nowMs)
    return taken()
  }
  const tick = (nowMs: number): string => {
    buffer.tick(nowMs)
    return taken()
  }
  return { buffer, push, tick, taken }
}

const CASES: readonly [name: string, sequenceNumbers: readonly number[], given: string, dropped: number][] = [
  ['packets in order', [7, 8, 9], '|7 8 9', 0],
  ['a wrap', [65_534, 65_535, 0, 1], '|65534 65535 0 1', 0],
  ['two packets in the wrong order', [1, 3, 2, 4], '|1 2 3 4', 0],
  ['the wrong order over a wrap', [65_534, 1, 0, 65_535, 2], '|65534 65535 0 1 2', 0],
  ['packets that wait on both sides of a wrap', [65_533, 0, 65_535, 65_534], '|65533 65534 65535 0', 0],
  ['a packet that waits', [1, 3, 4], '|1', 0],
  ['the wait as long as there is room', [1, 3, 4, 5, 6], '|1', 0],
  ['a lost packet when there is no more room', [1, 3, 4, 5, 6, 7], '|1 |3 4 5 6 7', 0],
  ['a lost packet only up to the next one that is missing', [1, 3, 4, 6, 7, 8], '|1 |3 4', 0],
  ['a packet again that was given out', [1, 2, 2, 1, 3], '|1 2 3', 2],
  ['a packet again that waits', [1, 3, 3, 2], '|1 2 3', 1],
  ['a packet that comes too late', [1, 3, 4, 5, 6, 7, 2, 8], '|1 |3 4 5 6 7 8', 1],
  ['what was before the first one', [10, 9, 11], '|10 11', 1],
  ['a stray packet', [1, 2, 30_000, 3, 4], '|1 2 3 4', 0],
  ['two stray packets', [1, 2, 30_000, 40_000, 3], '|1 2 3', 1],
  ['a jump', [1, 2, 30_000, 30_001, 30_002], '|1 2 |30000 30001 30002', 0],
  ['a jump back', [40_000, 39_000, 39_001], '|40000 |39000 39001', 0],
  ['a jump over a wrap', [1, 65_535 - 1000, 65_536 - 1000], '|1 |64535 64536', 0],
  ['what waits before a jump', [1, 3, 30_000, 30_001], '|1 |3 |30000 30001', 0],
  ['the largest gap', [1, RTP_MAX_DROPOUT + 1, 2], '|1 2', 0],
  ['a gap that is too large', [1, RTP_MAX_DROPOUT + 2, RTP_MAX_DROPOUT + 3], '|1 |3002 3003', 0],
  ['the oldest packet', [1000, 1001 - RTP_MAX_MISORDER, 1002 - RTP_MAX_MISORDER, 1001], '|1000 1001', 2],
]

describe('RtpReorderBuffer', () => {
  for (const [name, sequenceNumbers, given, dropped] of CASES) {
    it(`takes ${name}`, () => {
      const { buffer, push } = createBuffer()
      expect(push(sequenceNumbers)).to.equal(given)
      expect(buffer.droppedPackets).to.equal(dropped)
    })
  }

  it('takes nothing that is sent again for a source that begins anew, as far behind as that may come', () => {
    const { buffer, push } = createBuffer({ ...IN_ORDER_ONLY, maxMisorder: 300 })
    push([1000])
    expect(push([1001 - 300, 1002 - 300, 1003 - 300, 1001])).to.equal('1001')
    expect(buffer.droppedPackets).to.equal(3)
    expect(push([1000 - 300, 1001 - 300])).to.equal('|700 701')
  })

  it('waits no longer than it may, by ticks and by packets', () => {
    const { push, tick } = createBuffer()
    push([1])
    expect(push([3], 1000)).to.equal('')
    expect(tick(1099)).to.equal('')
    expect(tick(1100)).to.equal('|3')
    expect(push([5], 1200)).to.equal('')
    expect(push([7], 1299)).to.equal('')
    expect(push([8], 1300)).to.equal('|5')
    expect(tick(1398)).to.equal('')
    expect(tick(1399)).to.equal('|7 8')
  })

  it('lets no packet wait longer for one that came after it', () => {
    const { push, tick } = createBuffer()
    push([1])
    push([5], 1000)
    push([3], 1090)
    expect(tick(1100)).to.equal('|3 |5')
  })

  it('holds nothing back without room, but tells what is missing', () => {
    const { buffer, push } = createBuffer(IN_ORDER_ONLY)
    expect(push([1, 2, 4, 5, 3, 6])).to.equal('|1 2 |4 5 6')
    expect(buffer.droppedPackets).to.equal(1)
  })

  it('begins anew with another source', () => {
    const { buffer, push, taken } = createBuffer()
    push([1, 3, 30_000])
    buffer.push(packetOf(500, 2), 0)
    buffer.push(packetOf(501, 2), 0)
    expect(taken()).to.equal('|3 |500 501')
    expect(buffer.droppedPackets).to.equal(1)
  })

  it('gives out what waits at the end', () => {
    const { buffer, push, taken } = createBuffer()
    push([1, 3, 5])
    buffer.flush()
    expect(taken()).to.equal('|3 |5')
    expect(push([6, 5])).to.equal('6')
  })

  it('restores any order within its limits', () => {
    fc.assert(
      fc.property(fc.nat(65_535), fc.array(fc.nat(3), { minLength: 1, maxLength: 300 }), (first, delays) => {
        // A packet is overtaken by at most 3 others.
        const order = [-1, ...delays.map((_, i) => i).toSorted((a, b) => a + delays[a]! - b - delays[b]! || a - b)]
        const { buffer, push } = createBuffer()
        const expected = [-1, ...delays.keys()].map((i) => `${i < 0 ? '|' : ''}${packetOf(first + i).sequenceNumber}`)
        expect(push(order.map((i) => first + i))).to.equal(expected.join(' '))
        expect(buffer.droppedPackets).to.equal(0)
      }),
    )
  })

  it('gives out each packet at most once, in order, in time, and tells every gap', () => {
    const event = fc.record({ step: fc.nat(20), offset: fc.integer({ min: -8, max: 8 }), lost: fc.boolean() })
    const limits = fc.record({ maxDelayMs: fc.nat(100), maxPackets: fc.nat(8) })
    fc.assert(
      fc.property(fc.nat(65_535), limits, fc.array(event, { maxLength: 300 }), (first, limits, events) => {
        let nowMs = 0
        let last: number | undefined
        let given = 0
        const arrivals = new Map<number, number>()
        const buffer = new RtpReorderBuffer(limits, ({ timestamp }, follows) => {
          expect(follows).to.equal(last !== undefined && timestamp === last + 1)
          if (last !== undefined) expect(timestamp).to.be.above(last)
          expect(nowMs - arrivals.get(timestamp)!).to.be.at.most(limits.maxDelayMs + 20)
          last = timestamp
          given += 1
        })
        let pushed = 0
        for (const [i, { step, offset, lost }] of events.entries()) {
          nowMs += step
          buffer.tick(nowMs)
          if (lost) continue
          // The true number, in place of a time.
          const number = 65_536 + first + i + offset
          if (!arrivals.has(number)) arrivals.set(number, nowMs)
          buffer.push({ ...packetOf(number), timestamp: number }, nowMs)
          pushed += 1
          expect(pushed - given - buffer.droppedPackets).to.be.within(0, limits.maxPackets)
        }
        buffer.flush()
        expect(given + buffer.droppedPackets).to.equal(pushed)
      }),
    )
  })
})
