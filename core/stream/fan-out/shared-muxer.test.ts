import { mock } from 'node:test'
import { expect } from 'chai'
import { CLIENT_LEFT } from 'sluice/sdk'
import { FakeFormat, inBrackets } from '../fixtures/fake-format.ts'
import { audioTrack, unitOf, videoTrack } from '../fixtures/media.ts'
import { MuxerRig, turn } from '../fixtures/muxer-rig.ts'

describe('SharedMuxer', () => {
  it('muxes each unit once, whatever the number of sinks', async () => {
    const rig = new MuxerRig()
    for (let count = 0; count < 50; count++) rig.wait()
    rig.write('K1 P2 a3')
    await turn()
    expect(rig.format.muxed).to.deep.equal(['K1', 'P2', 'a3'])
  })

  it('writes once a turn to each sink, the same buffer to all', async () => {
    const rig = new MuxerRig()
    const queues = [rig.wait(), rig.wait(), rig.wait()]
    rig.write('K1')
    await turn()
    rig.write('P2 a3 P4')
    await turn()
    for (const { sink } of queues) {
      expect(sink.text).to.equal('S(v1,a1) K1 P2 a3 P4')
      expect(sink.writes).to.have.length(3)
      expect(sink.writes[0]).to.equal(queues[0]?.sink.writes[0])
      expect(sink.writes[2]).to.equal(queues[0]?.sink.writes[2])
    }
  })

  it('hands the bytes of a single unit on without a copy', async () => {
    const rig = new MuxerRig()
    const bytes = Buffer.from('K1 ')
    const muxer = { start: () => Buffer.alloc(0), configure: () => null, mux: () => bytes }
    rig.format.createMuxer = () => muxer
    const other = new MuxerRig({ format: rig.format })
    const { sink } = other.wait()
    other.write('K1')
    await turn()
    expect(sink.writes.at(-1)).to.equal(bytes)
  })

  it('gathers what comes within a window', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const rig = new MuxerRig({ windowMs: 2 })
      const { sink } = rig.wait()
      rig.write('K1')
      await turn()
      expect(sink.writes).to.be.empty
      rig.write('P2')
      mock.timers.tick(2)
      expect(sink.text).to.equal('S(v1,a1) K1 P2')
    } finally {
      mock.timers.reset()
    }
  })

  it('lets sound wait for the next picture where the format says so', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const format = Object.assign(new FakeFormat(), { soundWaitMs: 40 })
      const rig = new MuxerRig({ format })
      const { sink } = rig.wait()
      rig.write('K1')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K1')
      rig.write('a2 a3')
      await turn()
      mock.timers.tick(39)
      expect(sink.writes).to.have.length(2)
      rig.write('P4')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K1 a2 a3 P4')
      expect(sink.writes).to.have.length(3)
      rig.write('a5')
      mock.timers.tick(40)
      expect(sink.text).to.equal('S(v1,a1) K1 a2 a3 P4 a5')
      rig.write('a6')
      rig.removeTrack(rig.tracks[1]!)
      expect(sink.text).to.equal('S(v1,a1) K1 a2 a3 P4 a5 a6')
    } finally {
      mock.timers.reset()
    }
  })

  it('lets sound wait for nothing where there are no pictures', async () => {
    const format = Object.assign(new FakeFormat(), { soundWaitMs: 40 })
    const rig = new MuxerRig({ format, tracks: [audioTrack()] })
    const { sink } = rig.wait()
    rig.write('a1')
    await turn()
    expect(sink.text).to.equal('S(a1) a1')
  })

  it('frames what leaves in one write, once for all sinks that frame alike, and muxes it once for all', async () => {
    const rig = new MuxerRig()
    const framed = [rig.joinFramed(inBrackets), rig.joinFramed(inBrackets)]
    const bare = rig.join()
    rig.write('K1 P2')
    await turn()
    rig.write('P3')
    await turn()
    const late = [rig.joinFramed(inBrackets), rig.joinFramed(inBrackets)]
    await turn()
    expect(framed[0]?.sink.text).to.equal('[S(v1,a1) ] [K1 P2 ] [P3 ]')
    expect(late[0]?.sink.text).to.equal('[S(v1,a1) ] [K1 P2 P3 ]')
    expect(bare.sink.text).to.equal('S(v1,a1) K1 P2 P3')
    for (const [one, other] of [framed, late]) {
      for (const [index, bytes] of one!.sink.writes.entries()) expect(bytes).to.equal(other?.sink.writes[index])
    }
    expect(framed[0]?.queue.sentBytes).to.equal(Buffer.concat(framed[0]!.sink.writes).length)
    expect(rig.format.muxed).to.eql(['K1', 'P2', 'P3'])
  })

  it('leaves out what the format has no bytes for', async () => {
    const rig = new MuxerRig()
    const { sink } = rig.wait()
    rig.write('K1 !P2 P3')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 P3')
  })

  describe('a joiner', () => {
    it('gets start bytes and everything since the newest keyframe, shared by all who join at once', async () => {
      const rig = new MuxerRig()
      rig.wait()
      rig.write('K1 P2 K3 P4 a5')
      await turn()
      const joiners = [rig.join(), rig.join(), rig.join()]
      await turn()
      for (const { sink } of joiners) {
        expect(sink.text).to.equal('S(v1,a1) K3 P4 a5')
        expect(sink.writes).to.have.length(2)
        for (const [index, bytes] of sink.writes.entries()) expect(bytes).to.equal(joiners[0]?.sink.writes[index])
      }
      expect(rig.format.starts).to.equal(1)
    })

    it('shares what is kept with those who joined a little earlier', async () => {
      const rig = new MuxerRig()
      rig.wait()
      rig.write('K1 P2 P3 P4 P5 P6 P7 P8 P9')
      await turn()
      const early = rig.join()
      await turn()
      rig.write('P10')
      await turn()
      const late = rig.join()
      await turn()
      expect(late.sink.text).to.equal('S(v1,a1) K1 P2 P3 P4 P5 P6 P7 P8 P9 P10')
      expect(late.sink.writes[1]).to.equal(early.sink.writes[1])
      rig.write('K11')
      await turn()
      const later = rig.join()
      await turn()
      expect(later.sink.text).to.equal('S(v1,a1) K11')
    })

    it('gets no empty write where the format has no start bytes', async () => {
      const rig = new MuxerRig({ format: new FakeFormat({ bare: true }) })
      rig.wait()
      rig.write('K1')
      await turn()
      const sinks = [rig.join().sink, rig.joinFramed(inBrackets).sink]
      await turn()
      expect(sinks.map(({ writes }) => writes.map(String))).to.deep.equal([['K1 '], ['[K1 ] ']])
    })

    it('gets what the stream kept before there was a sink', async () => {
      const rig = new MuxerRig()
      const track = videoTrackOf(rig)
      rig.muxer.prime([
        { unit: unitOf(track, 10, 'K1', true), timeMs: 10 },
        { unit: unitOf(track, 20, 'P2'), timeMs: 20 },
      ])
      const { sink } = rig.join()
      rig.write('P3')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K1 P2 P3')
    })

    it('waits for a keyframe when none is kept', async () => {
      const rig = new MuxerRig()
      const { sink, queue } = rig.join()
      rig.write('a1 P2')
      await turn()
      expect(sink.writes).to.be.empty
      rig.write('a3 K4 P5')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K4 P5')
      expect(queue.dropped).to.equal(0)
    })

    it('starts as far back as it wants and the buffer reaches', async () => {
      const rig = new MuxerRig({ bufferMs: 1000 })
      rig.wait()
      rig.write('K1 P2 K3 P4 P5 P6 P7 P8 P9 P10 P11 K12 P13')
      await turn()
      const [back, further] = [rig.join({}, 30), rig.join({}, 5000)]
      await turn()
      expect(back.sink.text).to.equal('S(v1,a1) K3 P4 P5 P6 P7 P8 P9 P10 P11 K12 P13')
      expect(further.sink.text).to.equal('S(v1,a1) K1 P2 K3 P4 P5 P6 P7 P8 P9 P10 P11 K12 P13')
    })

    it('that has left before its turn gets nothing', async () => {
      const rig = new MuxerRig()
      rig.wait()
      rig.write('K1')
      await turn()
      const { sink, queue } = rig.join()
      queue.close(CLIENT_LEFT)
      await turn()
      expect(sink.writes).to.be.empty
    })
  })

  describe('a configuration', () => {
    it('that changes is announced once, before the units that need it', async () => {
      const rig = new MuxerRig()
      const queues = [rig.wait(), rig.wait()]
      rig.write('K1 P2')
      rig.configure(videoTrackOf(rig), 'v2')
      rig.write('K3')
      await turn()
      for (const { sink } of queues) expect(sink.text).to.equal('S(v1,a1) K1 P2 C(v2) K3')
      expect(rig.format.configured).to.deep.equal(['v2'])
    })

    it('that comes again unchanged is not announced', async () => {
      const rig = new MuxerRig()
      const { sink } = rig.wait()
      rig.write('K1')
      rig.configure(videoTrackOf(rig), 'v1')
      rig.write('P2')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K1 P2')
      expect(rig.format.configured).to.be.empty
    })

    it('makes a joiner wait for the keyframe that follows it', async () => {
      const rig = new MuxerRig()
      const live = rig.wait()
      rig.write('K1 P2')
      await turn()
      rig.configure(videoTrackOf(rig), 'v2')
      const joiner = rig.join()
      rig.write('a3')
      await turn()
      await turn()
      expect(joiner.sink.writes).to.be.empty
      rig.write('K4')
      await turn()
      expect(joiner.sink.text).to.equal('S(v2,a1) K4')
      expect(live.sink.text).to.equal('S(v1,a1) K1 P2 C(v2) a3 K4')
    })

    it('of a further track leaves what is kept, and is not sent twice to who joins meanwhile', async () => {
      const rig = new MuxerRig({ tracks: [videoTrack()] })
      const live = rig.wait()
      rig.write('K1 P2')
      await turn()
      const joiner = rig.join()
      rig.addTrack(audioTrack())
      await turn()
      rig.write('a3 P4')
      await turn()
      expect(live.sink.text).to.equal('S(v1) K1 P2 C(a1) a3 P4')
      expect(joiner.sink.text).to.equal('S(v1,a1) K1 P2 a3 P4')
    })

    it('of the next publisher is not announced again when it is the same', async () => {
      const rig = new MuxerRig()
      const { sink, queue } = rig.wait()
      rig.write('K1 P2')
      rig.republish(audioTrack({ id: 0 }), videoTrack({ id: 1 }))
      rig.write('a3 K4 P5')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K1 P2 K4 P5')
      expect(rig.format.configured).to.be.empty
      expect(queue.skips).to.equal(0)
    })

    it('of the next publisher is announced as far as it differs, or its timescale', async () => {
      for (const next of [videoTrack({ record: 'v2' }), videoTrack({ timescale: 90_000 })]) {
        const rig = new MuxerRig()
        const { sink } = rig.wait()
        rig.write('K1')
        rig.republish(next, audioTrack())
        rig.write('K2')
        await turn()
        const record = next.config.record.toString()
        expect(sink.text).to.equal(`S(v1,a1) K1 C(${record}) K2`)
      }
    })
  })

  describe('start points', () => {
    it('are everywhere in a stream without video', async () => {
      const rig = new MuxerRig({ tracks: [audioTrack()] })
      const { sink } = rig.wait()
      rig.write('a1 a2')
      await turn()
      const joiner = rig.join()
      rig.write('a3')
      await turn()
      expect(sink.text).to.equal('S(a1) a1 a2 a3')
      expect(joiner.sink.text).to.equal('S(a1) a2 a3')
    })

    it('are everywhere for those who take no video', async () => {
      const rig = new MuxerRig({ selection: { audio: true, video: false, data: false, keyframesOnly: false } })
      const { sink } = rig.wait()
      rig.write('K1 a2 P3 a4')
      await turn()
      expect(sink.text).to.equal('S(a1) a2 a4')
      expect(rig.format.muxed).to.deep.equal(['a2', 'a4'])
    })

    it('are the keyframes alone for those who take no audio', async () => {
      const rig = new MuxerRig({ selection: { audio: false, video: true, data: false, keyframesOnly: false } })
      const { sink } = rig.wait()
      rig.write('a1 K2 a3 P4')
      await turn()
      expect(sink.text).to.equal('S(v1) K2 P4')
    })

    it('are all that is sent of video when only keyframes are taken', async () => {
      const rig = new MuxerRig({ selection: { audio: true, video: true, data: false, keyframesOnly: true } })
      const { sink } = rig.wait()
      rig.write('K1 P2 a3 P4 K5')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K1 a3 K5')
    })

    it('are the keyframes of the main video track', async () => {
      const other = videoTrack({ id: 1, layer: 'low', record: 'low' })
      const rig = new MuxerRig({ tracks: [other, videoTrack({ id: 0 })] })
      const { sink } = rig.wait()
      rig.write('K1')
      await turn()
      expect(sink.writes).to.be.empty
      rig.muxer.write(unitOf(videoTrackOf(rig, ''), 100, 'K2', true), 100)
      await turn()
      expect(sink.text).to.equal('S(low,v1) K2')
    })

    it('are the keyframes of the first video track when none is the main one', async () => {
      const tracks = [videoTrack({ id: 0, layer: 'one' }), videoTrack({ id: 1, layer: 'two' })]
      const rig = new MuxerRig({ tracks })
      const { sink } = rig.wait()
      rig.write('K1')
      await turn()
      expect(sink.text).to.equal('S(v1,v1) K1')
    })

    it('move to audio when the video ends, and back to video when it comes again', async () => {
      const rig = new MuxerRig()
      rig.wait()
      rig.write('K1 P2')
      rig.removeTrack(videoTrackOf(rig))
      rig.write('a3')
      await turn()
      const first = rig.join()
      await turn()
      expect(first.sink.text).to.equal('S(a1) a3')
      rig.addTrack(videoTrack({ id: 2 }))
      const second = rig.join()
      await turn()
      rig.write('a4 K5')
      await turn()
      expect(second.sink.text).to.equal('S(a1,v1) K5')
      expect(first.sink.text).to.equal('S(a1) a3 C(v1) a4 K5')
    })
  })

  describe('pausing', () => {
    it('sends nothing, and goes on at a keyframe with the configuration it missed', async () => {
      const rig = new MuxerRig()
      const { sink, queue } = rig.wait()
      rig.write('K1 P2')
      await turn()
      queue.pause()
      rig.write('P3')
      await turn()
      rig.configure(videoTrackOf(rig), 'v2')
      rig.write('K4')
      await turn()
      queue.resume()
      rig.write('P5 K6')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K1 P2 C(v2) K6')
      expect([queue.skips, queue.dropped]).to.deep.equal([0, 0])
    })
  })

  describe('what fails', () => {
    it('on a unit leaves that unit out, and is logged once', async () => {
      const rig = new MuxerRig()
      const { sink, closed } = rig.wait()
      rig.write('K1')
      rig.format.fails.mux = true
      rig.write('P2 P3')
      rig.format.fails.mux = false
      rig.write('P4')
      await turn()
      expect(sink.text).to.equal('S(v1,a1) K1 P4')
      expect(rig.messages).to.deep.equal(['a unit could not be muxed and is left out'])
      expect(closed).to.be.empty
    })

    it('in a sink ends its sink and nobody else', async () => {
      const rig = new MuxerRig()
      const [bad, good] = [rig.wait(), rig.wait()]
      bad.sink.fails = true
      rig.write('K1 P2')
      await turn()
      expect(bad.closed).to.deep.equal(['failed'])
      expect(good.sink.text).to.equal('S(v1,a1) K1 P2')
      expect(rig.messages).to.deep.equal(['a sink failed'])
    })

    for (const when of ['while it starts', 'while it is live', 'while it skips']) {
      it(`in a sink that can't say what is queued, ${when}, ends its sink and nobody else`, async () => {
        const rig = new MuxerRig()
        const bad = rig.wait({ queueBytes: 10 })
        const good = rig.wait()
        bad.sink.stuck = true
        if (when !== 'while it starts') rig.write('K1')
        await turn()
        if (when === 'while it skips') rig.write('P2 P3 P4')
        await turn()
        expect(bad.closed).to.be.empty
        bad.sink.lost = true
        rig.write('K5')
        await turn()
        expect(bad.closed).to.deep.equal(['failed'])
        expect(good.sink.tokens.at(-1)).to.equal('K5')
        expect(rig.messages).to.deep.equal(['a sink failed'])
      })
    }

    it('in framing ends the sinks that frame so, and not the others', async () => {
      const rig = new MuxerRig()
      const bad = rig.joinFramed(() => {
        throw new Error('frame fails')
      })
      const good = rig.joinFramed(inBrackets)
      rig.write('K1')
      await turn()
      expect([bad.closed, good.closed]).to.eql([['failed'], []])
      expect(good.sink.text).to.equal('[S(v1,a1) ] [K1 ]')
      expect(rig.messages).to.deep.equal(['a sink failed'])
    })

    for (const call of ['start', 'configure'] as const) {
      it(`in ${call} ends the sinks of the format`, async () => {
        const rig = new MuxerRig()
        const queue = rig.wait()
        rig.format.fails[call] = true
        rig.configure(videoTrackOf(rig), 'v2')
        rig.write('K1')
        await turn()
        expect(queue.closed).to.deep.equal(['failed'])
        expect(rig.messages).to.deep.equal(['a muxer failed'])
      })
    }
  })

  it('does nothing more once it is closed', async () => {
    const timerCount = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    // The test's own time limit begins with its first wait.
    await turn()
    const before = timerCount()
    const rig = new MuxerRig({ windowMs: 60_000 })
    const { sink } = rig.wait()
    rig.join()
    rig.write('K1')
    rig.muxer.close()
    expect(timerCount()).to.be.at.most(before)
    rig.muxer.flush()
    await turn()
    expect(sink.writes).to.be.empty
  })
})

function videoTrackOf(rig: MuxerRig, layer?: string) {
  const track = rig.tracks.find((other) => other.kind === 'video' && (layer === undefined || other.layer === layer))
  if (track?.kind !== 'video') throw new Error('no video track')
  return track
}
