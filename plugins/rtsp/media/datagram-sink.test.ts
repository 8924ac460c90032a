import { expect } from 'chai'
import { HeldTimers } from '../fixtures/held-timers.ts'
import { DatagramSink } from './datagram-sink.ts'
import { serializeInterleaved } from './interleaved-framing.ts'

const PACKET_BYTES = 1000

function sinkOf() {
  const timers = new HeldTimers()
  const generation = new AbortController()
  const { signal } = generation
  const sent: (readonly [channel: number, packets: number])[] = []
  const target = (channel: number) =>
    [channel, (packets: readonly Buffer[]) => void sent.push([channel, packets.length])] as const
  const sink = new DatagramSink(new Map([target(0), target(1)]), { setTimeout: timers.setTimeout, signal })
  return { timers, generation, sent, sink }
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
    while (timers.runOut());
    expect([count(), sink.queuedBytes]).to.eql([1001, 0])
  })

  describe('at its end', () => {
    /** A sink where much waits, and what is sent from now on. */
    function ending() {
      const made = sinkOf()
      made.sink.write(frames(1000))
      const packetsBefore = made.sent.reduce((sum, [, packets]) => sum + packets, 0)
      made.sent.length = 0
      let ended = 0
      return { ...made, packetsBefore, ended: () => ended, end: () => made.sink.end(frames(1, 1), () => (ended += 1)) }
    }

    it('sends what waits, and the goodbye a moment after the last of it', () => {
      const { timers, sent, sink, packetsBefore, ended, end } = ending()
      end()
      sink.write(frames(1))
      end()
      while (sink.queuedBytes > 0) expect(timers.runOut()).to.equal(true)
      expect(sent.every(([channel]) => channel === 0)).to.equal(true)
      expect(packetsBefore + sent.reduce((sum, [, packets]) => sum + packets, 0)).to.equal(1000)
      expect([timers.delaysMs, ended()]).to.eql([[200], 0])
      timers.runOut()
      expect([sent.at(-1), ended(), timers.delaysMs]).to.eql([[1, 1], 1, []])
    })

    it('waits that moment also where nothing waits to be sent', () => {
      const { timers, sent, sink } = sinkOf()
      sink.end(frames(1, 1), () => {})
      expect([sent, timers.delaysMs]).to.eql([[], [200]])
      timers.runOut()
      expect(sent).to.eql([[1, 1]])
    })

    it('sends the goodbye alone, and at once, when the generation ends', () => {
      const { timers, generation, sent, sink, ended, end } = ending()
      end()
      generation.abort()
      expect([sent, ended(), timers.delaysMs, sink.queuedBytes]).to.eql([[[1, 1]], 1, [], 0])
    })

    it('does the same when the generation has ended', () => {
      const { timers, generation, sent, ended, end } = ending()
      generation.abort()
      end()
      expect([sent, ended(), timers.delaysMs]).to.eql([[[1, 1]], 1, []])
    })

    it('sends nothing more once it is closed, but the goodbye that it is closed with', () => {
      const { timers, generation, sent, sink, ended, end } = ending()
      end()
      sink.close(frames(1, 1))
      generation.abort()
      sink.close(frames(1, 1))
      sink.write(frames(1))
      expect([sent, ended(), timers.delaysMs, sink.queuedBytes]).to.eql([[[1, 1]], 0, [], 0])
      end()
      expect([sent, ended()]).to.eql([[[1, 1]], 1])
    })
  })
})
