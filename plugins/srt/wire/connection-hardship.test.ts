import { expect } from 'chai'
import { numbersOf, payload, PAYLOAD_BYTES, upTo } from './fixtures/numbered-payloads.ts'
import { VirtualPair } from './fixtures/virtual-pair.ts'
import { acceptKeys, offerKeys } from './crypto/connection-keys.ts'
import { serializeControlPacket } from './packet/control-packet.ts'
import { writeDataHeader } from './packet/data-packet.ts'
import { CONTROL_TYPE, HEADER_BYTES, isControl, readControlHeader } from './packet/packet-header.ts'

const FIRST_SEQUENCE = 1000

/** Sends numbered payloads, one each 10 ms, and lets time go on. */
function stream(pair: VirtualPair, count: number, durationMs: number): void {
  let sent = 0
  pair.run(durationMs, (ms) => {
    if (ms % 10 === 0 && sent < count) pair.sender.send(payload(sent++))
  })
}

function isReport(datagram: Buffer): boolean {
  return isControl(datagram) && readControlHeader(datagram).type === CONTROL_TYPE.lossReport
}

describe('Connection, in hardship', () => {
  for (const peerDropsTooLate of [true, false]) {
    it(`goes on when a whole window is lost, with a peer that drops too late: ${peerDropsTooLate}`, () => {
      let losses = 32
      const pair = new VirtualPair({
        latencyMs: 1000,
        sender: { flowWindowPackets: 32, peerDropsTooLate },
        forth: { isLost: (datagram) => !isControl(datagram) && losses-- > 0 },
      })
      stream(pair, 60, 4000)
      expect(numbersOf(pair.delivered)).to.eql(upTo(60))
      expect(pair.sender.statistics().pktSndBuf).to.equal(0)
    })
  }

  it('goes on with a full window when what is sent again is lost again and again', () => {
    let losses = 110
    const last = FIRST_SEQUENCE + 31
    const pair = new VirtualPair({
      latencyMs: 30_000,
      sender: { flowWindowPackets: 32, peerDropsTooLate: false },
      forth: { isLost: (datagram) => !isControl(datagram) && datagram.readUInt32BE(0) !== last && losses-- > 0 },
    })
    stream(pair, 60, 60_000)
    expect(numbersOf(pair.delivered)).to.eql(upTo(60))
    expect(losses).to.be.below(0)
  })

  it('goes on when the peer had no room, and does not say that it has some again', () => {
    const pair = new VirtualPair({ sender: { peerDropsTooLate: false } })
    stream(pair, 10, 300)
    const acknowledgement = { sequence: FIRST_SEQUENCE + 10, rttUs: 20_000, rttVarianceUs: 1000, freePackets: 0 }
    const header = { timestamp: 300_000, destination: 1 }
    pair.sender.receive(serializeControlPacket({ ...header, kind: 'acknowledgement', number: 99, acknowledgement }))
    stream(pair, 10, 1000)
    expect(pair.delivered).to.have.length(20)
  })

  it('sends again what is not acknowledged where the peer reports a loss only once', () => {
    let losses = 1
    const pair = new VirtualPair({
      latencyMs: 1000,
      sender: { peerReportsLossPeriodically: false },
      forth: { isLost: (bytes) => !isControl(bytes) && bytes.readUInt32BE(HEADER_BYTES) === 50 && losses-- > 0 },
      back: { isLost: isReport },
    })
    stream(pair, 200, 4000)
    expect(numbersOf(pair.delivered)).to.eql(upTo(200))
  })

  it('sends less and less often to a peer that acknowledges nothing', () => {
    const pair = new VirtualPair({ sender: { peerDropsTooLate: false }, back: { isLost: () => true } })
    const header = { timestamp: 0, destination: 1 }
    pair.run(60_000, (ms) => {
      if (ms < 100 && ms % 10 === 0) pair.sender.send(payload(ms))
      if (ms % 1000 === 0) pair.sender.receive(serializeControlPacket({ ...header, kind: 'keepAlive' }))
    })
    expect(pair.ends.sender).to.equal(undefined)
    expect(pair.sender.statistics().pktRetransTotal).to.be.within(10, 20)
  })

  it('sends no multiple of the stream to a peer that says again and again that it misses all, and to be near', () => {
    const pair = new VirtualPair({ sender: { peerDropsTooLate: false }, back: { isLost: () => true } })
    const far = { sequence: FIRST_SEQUENCE, rttUs: 1, rttVarianceUs: 0, freePackets: 8192 }
    const header = { timestamp: 0, destination: 1 }
    const all = [[FIRST_SEQUENCE, FIRST_SEQUENCE + 20_000]] as const
    let sent = 0
    pair.run(10_000, (ms) => {
      if (ms % 2 === 0) pair.sender.send(payload(sent++))
      pair.sender.receive(
        serializeControlPacket({ ...header, kind: 'acknowledgement', number: 1, acknowledgement: far }),
      )
      pair.sender.receive(serializeControlPacket({ ...header, kind: 'lossReport', ranges: all }))
    })
    const { pktSentUniqueTotal, pktRetransTotal } = pair.sender.statistics()
    expect(pktSentUniqueTotal).to.equal(sent)
    expect(pktRetransTotal).to.be.within(sent, 2.1 * sent)
  })

  it('delivers nothing before its time when its buffer is full', () => {
    const times: number[] = []
    const pair = new VirtualPair({
      latencyMs: 4000,
      receiver: { flowWindowPackets: 64 },
      received: (_, nowUs) => times.push(nowUs),
    })
    stream(pair, 150, 7000)
    expect(times).to.have.length(150)
    for (const [index, nowUs] of times.entries()) expect(nowUs - index * 10_000).to.be.above(4_000_000)
  })

  it('may be closed by whoever takes a payload, who then gets no other', async () => {
    const passphrase = 'a passphrase of both'
    const senderKeys = await offerKeys({ passphrase, keyBytes: 16 })
    const receiverKeys = await acceptKeys(senderKeys.sending.message, passphrase)
    let count = 0
    const pair: VirtualPair = new VirtualPair({
      senderKeys,
      receiverKeys,
      received: () => {
        count += 1
        pair.receiver.close()
      },
    })
    for (const number of upTo(10)) pair.sender.send(payload(number))
    let isFed = false
    pair.run(300, (ms) => {
      if (ms > 110 && pair.ends.receiver === undefined) pair.receiver.send(Buffer.alloc(PAYLOAD_BYTES * 100))
      isFed ||= pair.receiver.queuedBytes > 0
    })
    expect({ isFed, count }).to.eql({ isFed: true, count: 1 })
    expect(pair.ends).to.eql({ sender: { by: 'peer' }, receiver: { by: 'here' } })
  })

  it('shows that it is there while its window is full', () => {
    let saidUs = 0
    let longestUs = 0
    const said = (_: Buffer, nowUs: number) => {
      longestUs = Math.max(longestUs, nowUs - saidUs)
      saidUs = nowUs
      return false
    }
    const pair = new VirtualPair({
      sender: {
        flowWindowPackets: 32,
        peerDropsTooLate: false,
      },
      forth: { isLost: said },
      back: { isLost: () => true },
    })
    stream(pair, 1000, 4500)
    longestUs = Math.max(longestUs, pair.network.nowUs - saidUs)
    expect(longestUs).to.be.at.most(1_005_000)
  })

  it('lets the peer play all before it ends, however long that takes', () => {
    const times: number[] = []
    const pair = new VirtualPair({ latencyMs: 15_000, received: (_, nowUs) => times.push(nowUs) })
    pair.sender.send(payload(0))
    pair.sender.end()
    pair.run(17_000)
    expect(times[0]).to.be.within(15_000_000, 15_020_000)
    expect(pair.ends).to.eql({ sender: { by: 'here' }, receiver: { by: 'peer' } })
  })

  it('takes no packet that is longer than was agreed on', () => {
    const pair = new VirtualPair({})
    const datagram = (sequence: number, payloadBytes: number) => {
      const bytes = Buffer.alloc(HEADER_BYTES + payloadBytes)
      const flags = { messageNumber: 1, keyFlag: 0, isRetransmitted: false, timestamp: 0, destination: 2 } as const
      writeDataHeader(bytes, 0, { sequence, ...flags })
      return bytes
    }
    pair.receiver.receive(datagram(FIRST_SEQUENCE, 1456))
    pair.receiver.receive(datagram(FIRST_SEQUENCE + 1, 1457))
    expect(pair.receiver.statistics().byteRcvBuf).to.equal(1456)
  })

  it('tells no rate of what came long ago', () => {
    const pair = new VirtualPair({})
    stream(pair, 200, 2000)
    expect(pair.receiver.statistics().mbpsRecvRate).to.be.within(1, 1.1)
    pair.run(2000)
    expect(pair.receiver.statistics().mbpsRecvRate).to.equal(0)
  })

  it('delivers at its time what a peer begins to send after it has only received for an hour', () => {
    const times: number[] = []
    const pair = new VirtualPair({ stepMs: 20, received: (_, nowUs) => times.push(nowUs) })
    pair.run(3_600_000, (ms) => {
      if (ms % 500 === 0) pair.receiver.send(Buffer.alloc(188))
    })
    const sentUs = pair.network.nowUs
    pair.sender.send(payload(0))
    pair.run(1000)
    expect(times[0]! - sentUs).to.be.within(120_000, 160_000)
  })
})
