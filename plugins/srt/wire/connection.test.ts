import { expect } from 'chai'
import { rounds } from '../../../test/support/soak.ts'
import { numbersOf, payload, PAYLOAD_BYTES, upTo } from './fixtures/numbered-payloads.ts'
import { VirtualPair, type VirtualPairInit } from './fixtures/virtual-pair.ts'
import { SEQUENCE_MASK } from './sequence.ts'

/** Sends numbered payloads, so many each 10 ms, and lets time go on until all had theirs. */
function stream(pair: VirtualPair, count: number, perStep = 1, restMs = 3000): void {
  let sent = 0
  pair.run((count / perStep) * 10 + restMs, (ms) => {
    if (ms % 10 !== 0) return
    for (const end = Math.min(count, sent + perStep); sent < end; sent += 1) pair.sender.send(payload(sent))
  })
}

describe('Connection', () => {
  it('delivers each payload at its time, in order', () => {
    const times: number[] = []
    const pair = new VirtualPair({ forth: { delayMs: 30 }, latencyMs: 120, received: (_, nowUs) => times.push(nowUs) })
    stream(pair, 100)
    expect(times).to.have.length(100)
    for (const [index, nowUs] of times.entries()) expect(nowUs - index * 10_000).to.be.within(150_000, 155_000)
  })

  const links: readonly (readonly [what: string, init: VirtualPairInit])[] = [
    ['2 % of loss', { forth: { lossShare: 0.02 }, back: { lossShare: 0.02 } }],
    ['10 % of loss', { forth: { lossShare: 0.1 }, back: { lossShare: 0.1 }, latencyMs: 500 }],
    ['bursts of 30 lost', { forth: { lossShare: 0.05, burst: 30 }, latencyMs: 500 }],
    ['100 ms of jitter', { forth: { jitterMs: 100 }, back: { jitterMs: 100 }, latencyMs: 500 }],
    ['duplicates', { forth: { duplicateShare: 0.3 }, back: { duplicateShare: 0.3 } }],
    [
      'all of it',
      {
        forth: { lossShare: 0.05, jitterMs: 60, duplicateShare: 0.05 },
        back: { lossShare: 0.05, jitterMs: 60, duplicateShare: 0.05 },
        latencyMs: 1000,
      },
    ],
  ]
  for (const [what, init] of links) {
    it(`loses nothing within its latency by ${what}`, () => {
      const pair = new VirtualPair(init)
      stream(pair, 5000, 4)
      expect(numbersOf(pair.delivered)).to.eql(upTo(5000))
      const { pktRcvDropTotal, pktRcvBuf } = pair.receiver.statistics()
      expect({ pktRcvDropTotal, pktRcvBuf }).to.eql({ pktRcvDropTotal: 0, pktRcvBuf: 0 })
      expect(pair.sender.statistics().pktSndBuf).to.equal(0)
    })
  }

  it('gives up what does not come in time, says so, and goes on', () => {
    const isLost = (datagram: Buffer) => {
      // Each time that the payload 50 is sent.
      return datagram.length > PAYLOAD_BYTES && datagram.readUInt32BE(16) === 50
    }
    const pair = new VirtualPair({ forth: { isLost } })
    stream(pair, 100)
    expect(numbersOf(pair.delivered)).to.eql(upTo(100).filter((number) => number !== 50))
    expect(pair.receiver.statistics().pktRcvDropTotal).to.equal(1)
    expect(pair.sender.statistics().pktRetransTotal).to.be.above(1)
  })

  it('sends the last payloads again when they are lost', () => {
    let losses = 3
    const pair = new VirtualPair({
      forth: { isLost: (bytes) => bytes.length > PAYLOAD_BYTES && bytes.readUInt32BE(16) >= 7 && losses-- > 0 },
      latencyMs: 1000,
    })
    stream(pair, 10)
    expect(numbersOf(pair.delivered)).to.eql(upTo(10))
  })

  it('goes on over the wrap of numbers and of time stamps', () => {
    const wrapping = { sendSequence: SEQUENCE_MASK - 100, receiveSequence: SEQUENCE_MASK - 100 }
    const pair = new VirtualPair({
      sender: wrapping,
      receiver: wrapping,
      startedBeforeUs: 2 ** 32 - 2e6,
      forth: { lossShare: 0.02 },
      latencyMs: 300,
    })
    stream(pair, 1000)
    expect(numbersOf(pair.delivered)).to.eql(upTo(1000))
  })

  it('drops what the peer would get too late, on a way that carries nothing, and bounds what it keeps', () => {
    let isCut = false
    const pair = new VirtualPair({ forth: { isLost: () => isCut }, back: { isLost: () => isCut } })
    let sent = 0
    let largestBytes = 0
    pair.run(6000, (ms) => {
      isCut = ms > 1000 && ms < 4000
      if (ms % 10 === 0) pair.sender.send(payload(sent++))
      largestBytes = Math.max(largestBytes, pair.sender.statistics().byteSndBuf)
    })
    const statistics = pair.sender.statistics()
    expect(statistics.pktSndDropTotal).to.be.within(150, 250)
    expect(largestBytes).to.be.below(110 * PAYLOAD_BYTES)
    expect(numbersOf(pair.delivered)).to.include.members(upTo(90))
    expect(numbersOf(pair.delivered).at(-1)).to.be.above(570)
    expect(pair.ends).to.eql({})
  })

  it('tells about once a second that the peer is heard, with payloads or by keepalives alone, and not when it is gone', () => {
    let signs = 0
    let isCut = false
    const pair = new VirtualPair({ alive: () => (signs += 1), forth: { isLost: () => isCut } })
    stream(pair, 500, 1, 0)
    expect(signs).to.be.within(3, 5)
    signs = 0
    pair.run(20_000)
    expect(signs).to.be.within(9, 20)
    expect(pair.ends).to.eql({})
    isCut = true
    pair.run(2000)
    signs = 0
    pair.run(2500)
    expect(signs).to.equal(0)
  })

  it('ends when the peer is silent, and when it says so', () => {
    const silent = new VirtualPair({ back: { isLost: () => true } })
    silent.run(6000, () => {})
    expect(silent.ends.sender).to.eql({ by: 'silence' })
    const said = new VirtualPair({})
    said.run(100)
    said.sender.close()
    said.run(100)
    expect(said.ends).to.eql({ sender: { by: 'here' }, receiver: { by: 'peer' } })
  })

  it('stays while there is nothing to send', () => {
    const pair = new VirtualPair({})
    pair.run(60_000)
    expect(pair.ends).to.eql({})
    stream(pair, 10)
    expect(numbersOf(pair.delivered)).to.eql(upTo(10))
  })

  it('delivers what waits when the peer ends', () => {
    const pair = new VirtualPair({ latencyMs: 1000 })
    for (const number of upTo(10)) pair.sender.send(payload(number))
    pair.run(50)
    pair.sender.close()
    pair.run(50)
    expect(numbersOf(pair.delivered)).to.eql(upTo(10))
  })

  it('lets the peer play all before it ends, also what was lost', () => {
    let losses = 2
    const pair = new VirtualPair({
      forth: { isLost: (bytes) => bytes.length > PAYLOAD_BYTES && bytes.readUInt32BE(16) === 9 && losses-- > 0 },
      latencyMs: 800,
    })
    for (const number of upTo(10)) pair.sender.send(payload(number))
    pair.sender.end()
    pair.run(500)
    expect(pair.ends).to.eql({})
    pair.run(2000)
    expect(numbersOf(pair.delivered)).to.eql(upTo(10))
    expect(pair.ends).to.eql({ sender: { by: 'here' }, receiver: { by: 'peer' } })
  })

  it('gives a peer more time to play all that the end of the handshake has reached late', () => {
    for (const lateUs of [0, 1_500_000]) {
      const isLost = () => pair.network.nowUs < lateUs
      const pair: VirtualPair = new VirtualPair({ forth: { isLost }, back: { isLost }, latencyMs: 800 })
      pair.run(3000)
      for (const number of upTo(10)) pair.sender.send(payload(number))
      pair.sender.end()
      pair.run(3000)
      expect(pair.ends.sender, `${lateUs}`).to.eql(lateUs === 0 ? { by: 'here' } : undefined)
      pair.run(1500)
      expect(pair.ends.sender, `${lateUs}`).to.eql({ by: 'here' })
    }
  })

  it('follows a clock that goes faster', () => {
    const late: number[] = []
    // The sender's clock gains 100 ms in 1,000 s.
    const pair = new VirtualPair({
      clockRate: 1.0001,
      received: (bytes, nowUs) => late.push(nowUs - bytes.readUInt32BE(0) * 1000),
    })
    pair.run(400_000, (ms) => {
      if (ms % 20 !== 0) return
      const bytes = Buffer.alloc(188)
      bytes.writeUInt32BE(ms, 0)
      pair.sender.send(bytes)
    })
    const last = late.slice(-100)
    const meanUs = last.reduce((sum, us) => sum + us, 0) / last.length
    expect(meanUs).to.be.within(115_000, 145_000)
  })

  it('keeps to a rate that was asked for', () => {
    let bytes = 0
    const pair = new VirtualPair({ maxBytesPerSecond: 100_000, received: (one) => void (bytes += one.length) })
    pair.run(1000, (ms) => {
      if (ms === 0) pair.sender.send(Buffer.alloc(188 * 7 * 100))
    })
    expect(bytes).to.be.within(70_000, 105_000)
    expect(pair.sender.queuedBytes).to.be.above(20_000)
  })

  it('takes a stream that goes on far beyond its buffer', () => {
    let isCut = false
    const pair = new VirtualPair({ forth: { isLost: () => isCut }, receiver: { flowWindowPackets: 64 } })
    let sent = 0
    pair.run(5000, (ms) => {
      isCut = ms >= 1000 && ms < 3000
      if (ms % 2 === 0) pair.sender.send(payload(sent++))
    })
    const numbers = numbersOf(pair.delivered)
    expect(numbers).to.include.members(upTo(450))
    expect(numbers.slice(-300)).to.eql(upTo(sent).slice(numbers.at(-1)! - 299, numbers.at(-1)! + 1))
    expect(numbers.at(-1)).to.be.above(2400)
  })

  it('carries many packets over a bad link, with bounded memory', () => {
    const count = rounds(50_000)
    let next = 0
    let missing = 0
    let largest = 0
    const pair = new VirtualPair({
      forth: { lossShare: 0.02, jitterMs: 20, duplicateShare: 0.01 },
      back: { lossShare: 0.02, jitterMs: 20 },
      latencyMs: 500,
      received: (bytes) => {
        const number = bytes.readUInt32BE(0)
        missing += number - next
        next = number + 1
      },
    })
    const shared = Buffer.alloc(188 * 7)
    let sent = 0
    pair.run(count / 4 + 1000, (ms) => {
      for (let each = 0; each < 4 && sent < count; each += 1) {
        const bytes = Buffer.from(shared)
        bytes.writeUInt32BE(sent++, 0)
        pair.sender.send(bytes)
      }
      if (ms % 1000 !== 0) return
      const { pktSndBuf } = pair.sender.statistics()
      largest = Math.max(largest, pktSndBuf, pair.receiver.statistics().pktRcvBuf)
    })
    expect({ next, missing }).to.eql({ next: count, missing: 0 })
    expect(largest).to.be.below(8192)
  })

  it('goes on for a day', function () {
    this.timeout(120_000)
    const dayMs = 24 * 60 * 60 * 1000
    const late: number[] = []
    let count = 0
    const pair = new VirtualPair({
      stepMs: 20,
      latencyMs: 200,
      clockRate: 1.000_02,
      forth: { lossShare: 0.02 },
      received: (bytes, nowUs) => {
        count += 1
        late.push(nowUs - bytes.readDoubleBE(0))
        if (late.length > 100) late.shift()
      },
    })
    pair.run(dayMs + 1000, (ms) => {
      if (ms % 500 !== 0 || ms >= dayMs) return
      const bytes = Buffer.alloc(188)
      bytes.writeDoubleBE(ms * 1000, 0)
      pair.sender.send(bytes)
    })
    expect(count).to.equal(dayMs / 500)
    // The sender's clock gained 1.7 s on the receiver's.
    for (const lateUs of late) expect(lateUs).to.be.within(180_000, 300_000)
  })
})
