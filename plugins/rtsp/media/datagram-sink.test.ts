import { expect } from 'chai'
import { DatagramSink } from './datagram-sink.ts'
import { serializeInterleaved } from './interleaved-framing.ts'

const PACKET_BYTES = 1000

/** Timers that the test lets run out. */
class Timers {
  readonly waiting: (() => void)[] = []

  setTimeout(run: () => void): () => void {
    this.waiting.push(run)
    return () => void this.waiting.splice(this.waiting.indexOf(run), 1)
  }
}

function sinkOf() {
  const timers = new Timers()
  const sent: (readonly [channel: number, packets: number])[] = []
  const target = (channel: number) =>
    [channel, (packets: readonly Buffer[]) => void sent.push([channel, packets.length])] as const
  return { timers, sent, sink: new DatagramSink(new Map([target(0), target(1)]), timers) }
}

function frames(count: number, channel = 0): Buffer {
  return Buffer.concat(Array<Buffer>(count).fill(serializeInterleaved(channel, Buffer.alloc(PACKET_BYTES))))
}

describe('DatagramSink', () => {
  it('sends the packets of a channel that follow each other by one call, and leaves out those of others', () => {
    const { sent, sink } = sinkOf()
    sink.write(Buffer.concat([frames(2), frames(1, 1), frames(1, 9), frames(3)]))
    expect(sent).to.eql([
      [0, 2],
      [1, 1],
      [0, 3],
    ])
    expect(sink.queuedBytes).to.equal(0)
  })

  it('sends what is much in bursts, and says how much waits', () => {
    const { timers, sent, sink } = sinkOf()
    const count = () => sent.reduce((sum, [, packets]) => sum + packets, 0)
    sink.write(frames(1000))
    sink.write(frames(1))
    expect(count()).to.be.within(60, 80)
    expect(sink.queuedBytes).to.equal((1001 - count()) * (PACKET_BYTES + 4))
    while (timers.waiting.length > 0) timers.waiting.shift()!()
    expect([count(), sink.queuedBytes]).to.eql([1001, 0])
  })

  it('sends the end at once instead of what waits, and nothing after it', () => {
    const { timers, sent, sink } = sinkOf()
    sink.write(frames(1000))
    const before = sent.length
    sink.end(frames(1, 1))
    sink.write(frames(1))
    expect(sent.slice(before)).to.eql([[1, 1]])
    expect([sink.queuedBytes, timers.waiting.length]).to.eql([0, 0])
  })
})
