import { expect } from 'chai'
import { FakeSink } from '../fixtures/fake-format.ts'
import { GENEROUS, MuxerRig, turn } from '../fixtures/muxer-rig.ts'
import { SinkQueue, type QueueLimits } from './sink-queue.ts'

type Made = { readonly queue: SinkQueue; readonly sink: FakeSink; readonly closed: string[] }

function makeQueue(limits: Partial<QueueLimits> = {}): Made {
  const sink = new FakeSink()
  sink.stuck = true
  const closed: string[] = []
  const queue = new SinkQueue(sink, { ...GENEROUS, ...limits }, 0, 0, {
    close: ({ code }) => void closed.push(code),
    fail: (what) => void closed.push(what),
  })
  return { queue, sink, closed }
}

/** Sends a batch the way a muxer does; whether the sink took it. */
function send(queue: SinkQueue, sizeBytes: number, timeMs: number): boolean {
  if (!queue.accepts(sizeBytes, timeMs)) return false
  queue.write(Buffer.alloc(sizeBytes), timeMs)
  return true
}

describe('SinkQueue', () => {
  it('takes batches up to its bytes, and a single one of any size when its queue is empty', () => {
    const { queue, sink } = makeQueue({ queueBytes: 100 })
    expect(send(queue, 500, 0)).to.be.true
    sink.drain()
    expect(send(queue, 60, 10)).to.be.true
    expect(send(queue, 40, 20)).to.be.true
    expect(send(queue, 1, 30)).to.be.false
    sink.drain(1)
    expect(send(queue, 1, 40)).to.be.true
  })

  it('is failed by a sink that can not say what it has queued, wherever that is asked', () => {
    for (const ask of [
      (queue: SinkQueue) => queue.accepts(10, 0),
      (queue: SinkQueue) => queue.checkStall(500),
      (queue: SinkQueue) => queue.queuedBytes,
    ]) {
      const { queue, sink, closed } = makeQueue()
      sink.lost = true
      ask(queue)
      expect(closed).to.deep.equal(['a sink failed'])
    }
  })

  it('takes no more when what is queued has been so for its time', () => {
    const { queue } = makeQueue({ queueMs: 1000 })
    expect(send(queue, 10, 3_600_000)).to.be.true
    expect(send(queue, 10, 3_601_000)).to.be.true
    expect(send(queue, 10, 3_601_001)).to.be.false
  })

  it('goes on for ever with a queue that never empties but moves', () => {
    const { queue, sink } = makeQueue({ queueMs: 1000 })
    for (let timeMs = 0; timeMs < 60_000; timeMs += 40) {
      expect(send(queue, 100, timeMs)).to.be.true
      if (sink.queuedBytes > 1500) sink.drain(100)
    }
    expect(sink.queuedBytes).to.be.greaterThan(0)
  })

  it('starts at any time of the stream with bytes of the protocol queued before', () => {
    const { queue, sink } = makeQueue({ queueMs: 1000 })
    sink.queuedBytes = 300
    expect(send(queue, 10, 3_600_000)).to.be.true
  })

  it('may pass its bounds by the replay it began with, while that lasts', () => {
    const { queue, sink } = makeQueue({ queueBytes: 100, queueMs: 1000 })
    queue.write(Buffer.alloc(5000), 10_000)
    queue.endReplay()
    expect(send(queue, 90, 15_000)).to.be.true
    expect(send(queue, 20, 15_010)).to.be.false
    sink.drain(4990)
    expect(send(queue, 10, 18_000)).to.be.true
    expect(send(queue, 1, 18_010)).to.be.false
    sink.drain(60)
    expect(send(queue, 10, 18_020)).to.be.true
    expect(send(queue, 10, 19_021)).to.be.false
  })

  it('is closed when it takes nothing for its stall time', () => {
    const { queue, sink, closed } = makeQueue({ stallMs: 1000 })
    queue.checkStall(5000)
    queue.write(Buffer.alloc(100), 0)
    queue.checkStall(5500)
    sink.drain(10)
    queue.checkStall(6000)
    queue.checkStall(6999)
    expect(closed).to.be.empty
    queue.write(Buffer.alloc(100), 0)
    queue.checkStall(7000)
    expect(closed).to.deep.equal(['slow'])
  })

  it('is closed though what others queue for it grows', () => {
    const { queue, sink, closed } = makeQueue({ stallMs: 1000 })
    queue.write(Buffer.alloc(100), 0)
    for (let nowMs = 0; nowMs <= 1000; nowMs += 100) {
      queue.checkStall(nowMs)
      sink.write(Buffer.alloc(10))
    }
    expect(closed).to.deep.equal(['slow'])
  })

  it('may stall for ever with a stall time of 0, or with nothing queued', () => {
    for (const limits of [{ stallMs: 0 }, { stallMs: 1000 }]) {
      const { queue, sink, closed } = makeQueue(limits)
      sink.stuck = limits.stallMs === 0
      queue.write(Buffer.alloc(100), 0)
      for (let nowMs = 0; nowMs < 1e6; nowMs += 500) queue.checkStall(nowMs)
      expect(closed).to.be.empty
    }
  })
})

describe('A slow sink', () => {
  it('that joins may have more queued than its bounds, by what was kept for it', async () => {
    const rig = new MuxerRig()
    rig.wait()
    rig.write('K1 P2 P3')
    await turn()
    const { sink, queue } = rig.join({ queueBytes: 10 })
    sink.stuck = true
    await turn()
    expect(sink.queuedBytes).to.be.greaterThan(10)
    rig.write('P4')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 P2 P3 P4')
    expect([queue.state, queue.dropped]).to.deep.equal(['live', 0])
  })

  it('skips to a keyframe once its queue has drained, and counts what it missed', async () => {
    const rig = new MuxerRig()
    const { sink, queue, closed } = rig.wait({ queueBytes: 20 })
    rig.write('K1')
    await turn()
    sink.stuck = true
    for (const labels of ['P2 P3 P4', 'P5 P6', 'K7', 'P8']) {
      rig.write(labels)
      await turn()
    }
    expect([queue.state, queue.skips, queue.dropped]).to.deep.equal(['skipping', 1, 1])
    sink.stuck = false
    sink.drain()
    rig.write('P9 K10 P11')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 P2 P3 P4 P5 P6 K7 K10 P11')
    expect([queue.state, queue.skips, queue.dropped]).to.deep.equal(['live', 1, 2])
    expect(closed).to.be.empty
  })

  it('gets the configuration it missed first, made once for all such sinks', async () => {
    const rig = new MuxerRig()
    const [video] = rig.tracks
    const queues = [rig.wait({ queueBytes: 8 }), rig.wait({ queueBytes: 8 })]
    rig.write('K1')
    await turn()
    for (const { sink } of queues) sink.stuck = true
    rig.write('P2')
    await turn()
    rig.write('P3 P4')
    await turn()
    if (video !== undefined) rig.configure(video, 'v2')
    rig.write('K5')
    await turn()
    for (const { sink } of queues) sink.drain()
    rig.write('K6')
    await turn()
    for (const { sink } of queues) {
      expect(sink.text).to.equal('S(v1,a1) K1 P2 C(v2) K6')
      expect(sink.writes.at(-2)).to.equal(queues[0]?.sink.writes.at(-2))
    }
    expect(rig.format.configured).to.deep.equal(['v2', 'v2'])
  })

  it('that must not skip is closed', async () => {
    const rig = new MuxerRig()
    const { sink, closed } = rig.wait({ queueBytes: 8, skips: false })
    const other = rig.wait()
    rig.write('K1')
    await turn()
    sink.stuck = true
    rig.write('P2')
    await turn()
    rig.write('P3 P4')
    await turn()
    expect(closed).to.deep.equal(['slow'])
    expect(other.sink.text).to.equal('S(v1,a1) K1 P2 P3 P4')
    expect(rig.muxer.queues.size).to.equal(1)
  })

  it('that must not skip goes on with the next publisher while its queue is in bounds', async () => {
    const rig = new MuxerRig()
    const { sink, closed } = rig.wait({ queueBytes: 1000, skips: false })
    sink.stuck = true
    rig.write('K1')
    await turn()
    rig.republish(...rig.tracks.map((track) => ({ ...track })))
    rig.write('K2')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 K2')
    expect(closed).to.be.empty
  })

  it('starts though bytes of its protocol are queued', async () => {
    const rig = new MuxerRig()
    const { sink } = rig.join()
    sink.stuck = true
    sink.queuedBytes = 300
    rig.write('K1')
    await turn()
    rig.write('P2')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 P2')
  })
})
