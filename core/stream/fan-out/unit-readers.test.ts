import { expect } from 'chai'
import type { AccessUnit } from 'sluice/sdk'
import { videoTrack } from '../fixtures/media.ts'
import { turn } from '../fixtures/muxer-rig.ts'
import { closeRigs, endOf, RegistryRig } from '../fixtures/registry-rig.ts'

describe('A subscriber that reads units', () => {
  afterEach(closeRigs)

  async function read(rig: RegistryRig, query = '') {
    const subscriber = await rig.subscribe('live/a', { query })
    const got: string[] = []
    subscriber.read({
      track: (track) => void got.push(track.config.record.toString()),
      unit: (unit: AccessUnit) => void got.push(unit.data.toString()),
    })
    return { subscriber, got }
  }

  it('gets the tracks, and units from the newest keyframe on', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    source.write('K1 P2 K3 a4')
    const all = await read(rig)
    const next = await read(rig, 'submode=3')
    const audio = await read(rig, 'subvideo=false')
    source.write('P5 a6 K7')
    expect(all.got).to.deep.equal(['v1', 'a1', 'K3', 'a4', 'P5', 'a6', 'K7'])
    expect(next.got).to.deep.equal(['v1', 'a1', 'K7'])
    expect(audio.got).to.deep.equal(['a1', 'a4', 'a6'])
  })

  it('is told of changes, and goes on at the keyframe of the next publisher', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const { got } = await read(rig)
    source.write('K1')
    source.video = source.publisher.configureTrack(source.video, videoTrack({ record: 'v2' }).config)
    source.write('K2')
    source.publisher.close()
    const next = await rig.source('live/a')
    next.write('a1 K3')
    expect(got).to.deep.equal(['v1', 'a1', 'K1', 'v2', 'K2', 'v1', 'a1', 'K3'])
  })

  it('gets nothing that was kept before the configuration changed', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    source.write('K1 P2')
    source.video = source.publisher.configureTrack(source.video, videoTrack({ record: 'v2' }).config)
    const { got } = await read(rig)
    source.write('P3 K4')
    expect(got).to.deep.equal(['v2', 'a1', 'K4'])
  })

  it('gets no units of a track that another has replaced, of which the log tells once', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const { got } = await read(rig)
    source.write('K1')
    source.publisher.configureTrack(source.video, videoTrack({ record: 'v2' }).config)
    source.write('K2 K3')
    expect(got).to.deep.equal(['v1', 'a1', 'K1', 'v2'])
    expect(rig.messages).to.eql(['units are left out: configureTrack has given their track a successor'])
  })

  it('hears of tracks that go, and of the end of the publisher', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const told: string[] = []
    const subscriber = await rig.subscribe('live/a')
    subscriber.read({
      unit: () => undefined,
      trackRemoved: ({ kind }) => void told.push(`${kind} removed`),
      sourceEnded: () => void told.push('ended'),
    })
    source.publisher.removeTrack(source.audio)
    source.publisher.close()
    expect(told).to.deep.equal(['audio removed', 'ended'])
  })

  it('and takes time for it holds nobody up', async () => {
    const rig = new RegistryRig({ subscribe: { queuesize: 4 } })
    const source = await rig.source('live/a')
    const slow = await rig.subscribe('live/a')
    const work = Promise.withResolvers<void>()
    const taken: string[] = []
    slow.read({
      unit: async (unit) => {
        taken.push(unit.data.toString())
        if (taken.length === 1) await work.promise
      },
    })
    const { got } = await read(rig)
    source.write('K1 P2 P3 P4 K5')
    await turn()
    expect(got).to.deep.equal(['v1', 'a1', 'K1', 'P2', 'P3', 'P4', 'K5'])
    expect(taken).to.deep.equal(['K1'])
    work.resolve()
    await turn()
    source.write('P6 K7')
    await turn()
    expect(taken).to.deep.equal(['K1', 'P2', 'P3', 'K7'])
  })

  it('and rejects is closed, and nobody else', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const bad = await rig.subscribe('live/a')
    bad.read({ unit: () => Promise.reject(new Error('no')) })
    const { got } = await read(rig)
    source.write('K1 P2')
    await turn()
    expect(endOf(bad)).to.deep.equal({ code: 'failed', reason: 'failed' })
    expect(got).to.deep.equal(['v1', 'a1', 'K1', 'P2'])
    expect(rig.messages.filter((message) => message === 'a unit reader failed')).to.have.length(1)
  })

  it('and never comes back from one is closed as slow', async () => {
    const rig = new RegistryRig({ subscribe: { stalltimeout: '3s' } })
    const source = await rig.source('live/a')
    const stuck = await rig.subscribe('live/a')
    stuck.read({ unit: () => new Promise<void>(() => {}) })
    source.write('K1 P2')
    rig.pulse(0)
    rig.pulse(4000)
    expect(endOf(stuck)).to.deep.equal({ code: 'slow', reason: 'slow' })
  })

  it('gets nothing while it has paused, and goes on at a keyframe', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const { subscriber, got } = await read(rig)
    source.write('K1')
    subscriber.pause()
    source.write('P2 K3')
    subscriber.resume()
    source.write('P4 a5 K6 P7')
    expect(got).to.deep.equal(['v1', 'a1', 'K1', 'K6', 'P7'])
  })

  it('that paused before it began gets nothing either', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    source.write('K1')
    const subscriber = await rig.subscribe('live/a')
    const got: string[] = []
    subscriber.pause()
    subscriber.read({ unit: (unit) => void got.push(unit.data.toString()) })
    source.write('P2')
    subscriber.resume()
    source.write('P3 K4')
    expect(got).to.deep.equal(['K4'])
  })

  it('and throws is closed, once, and nobody else', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    source.write('K1 P2 P3')
    const bad = await rig.subscribe('live/a')
    let calls = 0
    bad.read({
      unit: () => {
        calls++
        throw new Error('no')
      },
    })
    const { got } = await read(rig)
    source.write('P4')
    expect(calls).to.equal(1)
    expect(endOf(bad)).to.deep.equal({ code: 'failed', reason: 'failed' })
    expect(got).to.include('P4')
    expect(rig.messages.filter((message) => message === 'a unit reader failed')).to.have.length(1)
  })
})
