import { expect } from 'chai'
import { closeRigs, RegistryRig, type Source } from '../../stream/fixtures/registry-rig.ts'
import { keptUnits, publishedTrack, trackSnapshot, type PublishedTrack } from './track-snapshot.ts'
import { MAX_WAITING_FRAMES, TrackWatch } from './track-watch.ts'

describe('TrackWatch', () => {
  let rig: RegistryRig
  let source: Source
  beforeEach(async () => {
    rig = new RegistryRig({ publish: { delayclosetimeout: '1s', idletimeout: '1s' } })
    source = await rig.source('live/a')
    source.publisher.tracksComplete()
  })
  afterEach(closeRigs)

  function track(kind: 'audio' | 'video'): PublishedTrack {
    const published = publishedTrack(rig.registry.get('live/a')!, kind)
    if (published === undefined) throw new Error(`there is no ${kind}`)
    return published
  }

  async function sequences(watch: TrackWatch, count: number): Promise<(number | undefined)[]> {
    const found: (number | undefined)[] = []
    while (found.length < count) found.push((await watch.next())?.sequence)
    return found
  }

  it('begins with what is kept of its track, and counts on from there', async () => {
    source.write('K1 P2 a3 P4 K5 a6 P7 a8')
    const watch = new TrackWatch(track('video'))
    source.write('P9 a10 K11')
    expect(await sequences(watch, 4)).to.eql([4, 5, 6, 7])
    const sound = new TrackWatch(track('audio'))
    source.write('a12')
    expect(await sequences(sound, 1)).to.eql([5])
  })

  it('waits for the next frame', async () => {
    source.write('K1')
    const watch = new TrackWatch(track('video'))
    expect(await watch.next()).to.include({ sequence: 1, timestamp: 10, keyFrame: true })
    const next = watch.next()
    source.write('a2 P3')
    expect(await next).to.deep.include({ sequence: 2, timestamp: 30, keyFrame: false })
  })

  it('begins with the newest of what is kept where that is long', async () => {
    source.write(['K1', ...Array.from({ length: MAX_WAITING_FRAMES + 4 }, () => 'P')].join(' '))
    const watch = new TrackWatch(track('video'))
    expect([watch.dropped, await sequences(watch, 2)]).to.eql([0, [6, 7]])
  })

  it('leaves the oldest out for a client that takes nothing, and counts them', async () => {
    source.write('K1')
    const watch = new TrackWatch(track('video'))
    const more = MAX_WAITING_FRAMES + 9
    for (let count = 0; count < more; count++) source.write('P')
    expect(watch.dropped).to.equal(10)
    expect(await sequences(watch, 2)).to.eql([11, 12])
  })

  const ends: readonly (readonly [what: string, end: (watch: TrackWatch) => void])[] = [
    ['when it is closed', (watch) => watch.close()],
    ['with its track', () => source.publisher.removeTrack(source.video)],
    ['with its stream', () => source.publisher.close()],
  ]
  for (const [what, end] of ends) {
    it(`ends ${what}, also while it is waited for`, async () => {
      source.write('K1')
      const watch = new TrackWatch(track('video'))
      await watch.next()
      const next = watch.next()
      end(watch)
      expect(await next).to.equal(undefined)
      expect(await watch.next()).to.equal(undefined)
    })
  }

  it('is nobody whom the stream counts or goes on for', () => {
    source.write('K1')
    const watch = new TrackWatch(track('video'))
    const { subscribers, subscriberCount, hadSubscriber } = rig.registry.get('live/a')!
    expect([subscribers.size, subscriberCount, hadSubscriber]).to.eql([0, 0, false])
    rig.pulse(2000)
    expect(rig.registry.get('live/a')).to.equal(undefined)
    watch.close()
  })
})

describe('the snapshot of a track', () => {
  afterEach(closeRigs)

  it('has the groups of pictures that are kept, by where they begin and end', async () => {
    const rig = new RegistryRig({ publish: { buffertime: '10s' } })
    const source = await rig.source('live/a')
    source.write('K1 P2 a3 K4 P5 P6')
    const published = publishedTrack(rig.registry.get('live/a')!, 'video')!
    const { ring, ringDataSize, memory, reader } = trackSnapshot(published)
    expect(ring.map(({ sequence, keyFrame }) => `${sequence}${keyFrame ? 'K' : ''}`)).to.eql([
      '1K',
      '2',
      '3K',
      '4',
      '5',
    ])
    expect([ringDataSize, reader]).to.eql([10, {}])
    expect(memory).to.eql([
      {
        size: 10,
        list: [
          { s: 0, e: 4 },
          { s: 4, e: 10 },
        ],
      },
    ])
  })

  it('is empty before the first keyframe', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    source.write('P1')
    const published = publishedTrack(rig.registry.get('live/a')!, 'video')!
    expect(keptUnits(published)).to.eql([])
    expect(trackSnapshot(published)).to.eql({ ring: [], ringDataSize: 0, reader: {}, memory: [] })
  })
})
