import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { StreamNotFound, type AccessUnit, type Subscriber } from 'sluice/sdk'
import { FakeSink } from './fixtures/fake-format.ts'
import { unitOf } from './fixtures/media.ts'
import { settle } from './fixtures/muxer-rig.ts'
import { AUDIO, VIDEO, closeRigs, RegistryRig, type Source } from './fixtures/registry-rig.ts'
import { labelsOf, TimedFormat, timesOf } from './fixtures/timed-format.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

type Viewer = { readonly subscriber: Subscriber; readonly sink: FakeSink }

describe('a subscriber that is moved', () => {
  let rig: RegistryRig
  let a: Source
  let b: Source
  let format: TimedFormat

  beforeEach(async () => {
    rig = new RegistryRig({ subscribe: { waittimeout: '1s', writemerge: '0s' } })
    format = new TimedFormat()
    a = await rig.source('live/a', 100)
    b = await rig.source('live/b', 500_000)
    a.write('KA1 aA1 PA2')
    b.write('KB1 aB1 PB2')
    await settle()
  })
  afterEach(closeRigs)

  async function watch(streamPath: string): Promise<Viewer> {
    const subscriber = await rig.subscribe(streamPath)
    const sink = new FakeSink()
    subscriber.attach(format, sink)
    await settle()
    return { subscriber, sink }
  }

  const move = (streamPath: string, ...viewers: readonly Pick<Viewer, 'subscriber'>[]) => {
    const ids = viewers.map(({ subscriber }) => subscriber.id)
    rig.registry.move(ids, streamPath)
  }
  const muxers = (streamPath: string) => rig.registry.get(streamPath)?.fanOut.muxers.length

  it('leaves no muxer in memory that it had before', async () => {
    const viewer = await watch('live/a')
    const had: WeakRef<object>[] = []
    for (const [path, source, label] of [
      ['live/b', b, 'KB3'],
      ['live/a', a, 'KA3'],
      ['live/b', b, 'KB4'],
      ['live/a', a, 'KA4'],
    ] as const) {
      had.push(
        ...(rig.registry.get(viewer.subscriber.sourcePath)?.fanOut.muxers ?? []).map((muxer) => new WeakRef(muxer)),
      )
      move(path, viewer)
      source.write(label)
      await settle()
    }
    collectGarbage()
    expect(had).to.have.length(4)
    expect(had.filter((muxer) => muxer.deref() !== undefined)).to.eql([])
  })

  it('goes at the next keyframe of the other stream, not before, and its time goes on', async () => {
    const own = await watch('live/b')
    const viewer = await watch('live/a')
    move('live/b', viewer)
    a.write('PA3')
    b.write('PB3 aB3')
    await settle()
    expect(labelsOf(viewer.sink).at(-1)).to.equal('PA3')
    expect(viewer.subscriber.sourcePath).to.equal('live/a')
    b.write('KB4 aB4 PB5')
    a.write('KA4')
    await settle()
    expect(labelsOf(viewer.sink)).to.eql([
      'S(v1,a1)',
      'KA1',
      'aA1',
      'PA2',
      'PA3',
      'C(v1)',
      'C(a1)',
      'KB4',
      'aB4',
      'PB5',
    ])
    expectOnward(viewer.sink)
    expect(timesOf(viewer.sink).at(-1)).to.be.lessThan(5000)
    expect(viewer.subscriber).to.include({ streamPath: 'live/a', sourcePath: 'live/b' })
    expect(labelsOf(own.sink), 'of a viewer of its own').to.eql([
      'S(v1,a1)',
      'KB1',
      'aB1',
      'PB2',
      'PB3',
      'aB3',
      'KB4',
      'aB4',
      'PB5',
    ])
  })

  it('shares one muxer with those that are moved with it, and leaves none behind', async () => {
    const [one, two] = [await watch('live/a'), await watch('live/a')]
    await watch('live/b')
    move('live/b', one)
    move('live/b', two)
    b.write('KB4 PB5')
    await settle()
    expect(two.sink.tokens).to.eql(one.sink.tokens)
    expect([muxers('live/a'), muxers('live/b')]).to.eql([0, 2])
    await watch('live/b')
    expect(muxers('live/b'), 'who subscribes to the stream shares its own').to.equal(2)
  })

  it('shares a muxer with those that were moved before from the same stream', async () => {
    const [one, two] = [await watch('live/a'), await watch('live/a')]
    move('live/b', one)
    b.write('KB4')
    a.write('PA3')
    await settle()
    b.write('PB5')
    move('live/b', two)
    b.write('KB6 aB6')
    await settle()
    expect(muxers('live/b')).to.equal(1)
    expect(two.sink.tokens.slice(-2)).to.eql(one.sink.tokens.slice(-2))
    expectOnward(one.sink)
    expectOnward(two.sink)
  })

  it('goes to and fro, without a step back or another muxer', async () => {
    const { sink, subscriber } = await watch('live/a')
    for (let round = 0; round < 20; round++) {
      const there = round % 2 === 0 ? 'live/b' : 'live/a'
      move(there, { subscriber })
      a.write(`PA KA${round} aA PA`)
      b.write(`PB KB${round} aB PB`)
      await settle()
      expect(subscriber.sourcePath).to.equal(there)
    }
    expectOnward(sink)
    expect(labelsOf(sink).filter((token) => token.startsWith('S('))).to.have.length(1)
    expect([muxers('live/a'), muxers('live/b')]).to.eql([1, 0])
  })

  it('goes where it was told last, or stays where it is', async () => {
    const [one, two] = [await watch('live/a'), await watch('live/a')]
    const c = await rig.source('live/c', 7)
    move('live/b', one, two)
    move('live/c', one)
    move('live/a', two)
    b.write('KB4')
    c.write('KC1')
    a.write('KA4')
    await settle()
    expect(one.subscriber.sourcePath).to.equal('live/c')
    expect(two.subscriber.sourcePath).to.equal('live/a')
    expect(labelsOf(two.sink).at(-1)).to.equal('KA4')
  })

  it('goes at once when its own publisher ends, and plays from the next keyframe on', async () => {
    const viewer = await watch('live/a')
    move('live/b', viewer)
    a.publisher.close()
    expect(viewer.subscriber.sourcePath).to.equal('live/b')
    b.write('PB3 KB4')
    await settle()
    expect(labelsOf(viewer.sink).slice(-3)).to.eql(['C(v1)', 'C(a1)', 'KB4'])
    expectOnward(viewer.sink)
  })

  it('stays when the other stream ends before', async () => {
    const viewer = await watch('live/a')
    move('live/b', viewer)
    b.publisher.close()
    b = await rig.source('live/b')
    b.write('KB1')
    a.write('PA3')
    await settle()
    expect(viewer.subscriber.sourcePath).to.equal('live/a')
    expect(labelsOf(viewer.sink).at(-1)).to.equal('PA3')
  })

  it('waits for the next publisher of the other stream, and can be moved back', async () => {
    const viewer = await watch('live/a')
    move('live/b', viewer)
    b.write('KB4')
    await settle()
    b.publisher.close()
    await settle()
    b = await rig.source('live/b', 90_000)
    b.write('KB5 PB6')
    await settle()
    expect(labelsOf(viewer.sink).slice(-2)).to.eql(['KB5', 'PB6'])
    b.publisher.close()
    move('live/a', viewer)
    expect(viewer.subscriber.sourcePath).to.equal('live/a')
    a.write('KA4')
    await settle()
    expect(labelsOf(viewer.sink).at(-1)).to.equal('KA4')
    expectOnward(viewer.sink)
  })

  it('need not have its stream yet', async () => {
    const waiting = watch('live/none')
    await settle()
    const [pending] = rig.registry.subscribers('live/none')
    if (pending === undefined) throw new Error('nobody waits')
    move('live/a', { subscriber: pending })
    const { subscriber, sink } = await waiting
    expect(subscriber).to.include({ streamPath: 'live/none', sourcePath: 'live/a' })
    expect(labelsOf(sink)).to.eql(['S(v1,a1)', 'KA1', 'aA1', 'PA2'])
    expect(muxers('live/a')).to.equal(1)
    expect(rig.registry.pathCount, 'the path that nobody publishes is gone').to.equal(2)
  })

  it('counts where it is', async () => {
    const viewer = await watch('live/a')
    move('live/b', viewer)
    b.write('KB4')
    const counts = ['live/a', 'live/b'].map((path) => rig.registry.get(path)?.subscriberCount)
    expect(counts).to.eql([0, 1])
    expect(rig.notices.filter((notice) => notice.includes('subscribed'))).to.eql(['subscribed live/a'])
    viewer.subscriber.close('left')
    expect(rig.notices.at(-1)).to.equal('unsubscribed live/a left')
    expect(rig.registry.get('live/b')?.subscriberCount).to.equal(0)
  })

  it('has no move pending any more when it has ended', async () => {
    const viewer = await watch('live/a')
    move('live/b', viewer)
    viewer.subscriber.close('left')
    b.write('KB4')
    expect(rig.registry.get('live/b')?.subscribers.size).to.equal(0)
    expect(() => move('live/none', viewer)).to.throw(StreamNotFound)
    move('live/b', viewer)
  })

  it('is told before it gets anything, and may be attached then', async () => {
    const subscriber = await rig.subscribe('live/a')
    const sink = new FakeSink()
    subscriber.onSource((sourcePath) => {
      expect(sourcePath).to.equal('live/b')
      subscriber.attach(format, sink)
    })
    move('live/b', { subscriber })
    b.write('KB4 PB5')
    await settle()
    expect(labelsOf(sink), 'as one that has just come').to.eql(['S(v1,a1)', 'KB1', 'aB1', 'PB2', 'KB4', 'PB5'])
  })

  it('ends when it is told and throws, and nobody else does', async () => {
    const [one, two] = [await watch('live/a'), await watch('live/a')]
    let code: string | undefined
    one.subscriber.onClose((reason) => (code = reason.code))
    one.subscriber.onSource(() => {
      throw new Error('broken')
    })
    move('live/b', one, two)
    b.write('KB4')
    await settle()
    expect(code).to.equal('failed')
    expect(labelsOf(two.sink).at(-1)).to.equal('KB4')
  })

  it('goes to a stream of sound, and back to pictures', async () => {
    const viewer = await watch('live/a')
    const sound = await rig.publish('live/sound')
    const track = sound.addTrack(AUDIO)
    let timeMs = 70_000
    const audio = (labels: string) => {
      for (const label of labels.split(' ')) sound.write(unitOf(track, (timeMs += 10), label))
    }
    move('live/sound', viewer)
    audio('aS1 aS2')
    a.write('PA3')
    await settle()
    expect(labelsOf(viewer.sink).slice(-3)).to.eql(['C(a1)', 'aS1', 'aS2'])
    move('live/a', viewer)
    audio('aS3')
    a.write('PA4 KA5')
    await settle()
    expect(labelsOf(viewer.sink).slice(-4)).to.eql(['aS3', 'C(v1)', 'C(a1)', 'KA5'])
    expectOnward(viewer.sink)
  })

  it('gets no sound from before its time of a track that begins after the move', async () => {
    const viewer = await watch('live/a')
    const late = await rig.publish('live/late')
    const [video, audio] = [late.addTrack(VIDEO), late.addTrack(AUDIO)]
    late.write(unitOf(video, 1000, 'KL1', true))
    move('live/late', viewer)
    late.write(unitOf(video, 1040, 'KL2', true))
    for (const timeMs of [900, 920, 1080]) late.write(unitOf(audio, timeMs, 'aL'))
    await settle()
    expect(labelsOf(viewer.sink).slice(-4)).to.eql(['KL2', 'aL', 'aL', 'aL'])
    const [picture = 0, ...sound] = timesOf(viewer.sink).slice(-4)
    expect(sound.toSorted((x, y) => x - y)).to.eql(sound)
    expect(sound.at(-1), 'as soon as it is past the times before, it is with the pictures again').to.equal(picture + 40)
    const formerSound = 120
    expect(sound[0]).to.be.greaterThan(formerSound)
  })

  it('shares a muxer with those that are moved from the same ended stream', async () => {
    const [one, two] = [await watch('live/a'), await watch('live/a')]
    a.publisher.close()
    move('live/b', one, two)
    b.write('KB4')
    await settle()
    expect(muxers('live/b')).to.equal(1)
    expect(two.sink.tokens).to.eql(one.sink.tokens)
  })

  it('takes a unit reader along, which shares its units with those that are moved with it', async () => {
    const [one, two] = [await read('live/a'), await read('live/a')]
    move('live/b', one, two)
    a.write('PA3')
    b.write('KB4 PB5')
    expect(one.told).to.eql(['Tv1', 'Ta1', 'KA1', 'aA1', 'PA2', 'PA3', 'end', 'Tv1', 'Ta1', 'KB4', 'PB5'])
    const times = one.units.map(({ dts }) => dts)
    expect(times).to.eql(times.toSorted((x, y) => x - y))
    expect(one.units.at(-1)).to.equal(two.units.at(-1))
  })

  async function read(streamPath: string) {
    const subscriber = await rig.subscribe(streamPath)
    const told: string[] = []
    const units: AccessUnit[] = []
    subscriber.read({
      track: (track) => void told.push(`T${track.config.record.toString()}`),
      unit: (unit) => {
        told.push(unit.data.toString())
        units.push(unit)
      },
      sourceEnded: () => void told.push('end'),
    })
    return { subscriber, told, units }
  }
})

function expectOnward(sink: FakeSink): void {
  const times = timesOf(sink)
  expect(times).to.eql(times.toSorted((x, y) => x - y))
}
