import { expect } from 'chai'
import { InvalidRequest, StreamUnavailable, type PublishOptions, type SourceControl, type Subscriber } from 'sluice/sdk'
import { FakeFormat, FakeSink } from './fixtures/fake-format.ts'
import { initOf, RegistryRig, Source, closeRigs } from './fixtures/registry-rig.ts'
import { turn } from './fixtures/muxer-rig.ts'

const PATH = 'vod_1/film'

/** A source with a control, and its only viewer. */
async function rigWith(control: SourceControl, options: PublishOptions = { personal: true }) {
  const rig = new RegistryRig({ subscribe: { writemerge: '0s', waittimeout: '60s' } })
  const subscribed = rig.subscribe(PATH)
  const publisher = await rig.streams.manager.publish(initOf(PATH, { type: 'vod' }), { control, ...options })
  const source = new Source(publisher, 0)
  publisher.tracksComplete()
  const subscriber = await subscribed
  const sink = new FakeSink()
  subscriber.attach(new FakeFormat(), sink)
  // Units are held back until the subscriber has attached.
  await turn()
  await turn()
  return { rig, publisher, source, subscriber, sink }
}

function endOf(session: Pick<Subscriber, 'onClose'>): string[] {
  const ends: string[] = []
  session.onClose(({ code, text }) => ends.push(`${code}: ${text}`))
  return ends
}

async function failure(work: void | Promise<void>): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    return error
  }
}

describe('A discontinuity', () => {
  afterEach(closeRigs)

  it('has viewers go on at the next keyframe, their time a step later', async () => {
    const { publisher, source, subscriber, sink } = await rigWith({})
    source.write('K1 P2 a3')
    await turn()
    publisher.discontinuity()
    source.timeMs = 90_000
    source.write('P4 a5 K6 P7')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 P2 a3 K6 P7')
    expect(publisher.config.scale).to.equal(1)
    expect(subscriber.tracks).to.have.length(2)
  })

  it('forgets what was kept for late joiners', async () => {
    const { rig, publisher, source } = await rigWith({})
    source.write('K1 P2')
    publisher.discontinuity()
    const late = await rig.subscribe(PATH)
    const sink = new FakeSink()
    late.attach(new FakeFormat(), sink)
    await turn()
    expect(sink.text).to.equal('')
    source.write('P3 K4')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K4')
  })

  it('is told to readers, before its first unit', async () => {
    const { rig, publisher, source } = await rigWith({})
    source.write('K1 P2')
    const told: string[] = []
    const reader = await rig.subscribe(PATH)
    reader.read({
      unit: ({ data, dts }) => void told.push(`${data.toString()} ${dts}`),
      discontinuity: () => void told.push('discontinuity'),
    })
    publisher.discontinuity()
    source.timeMs = 5000
    source.write('P3 a4 K5')
    expect(told).to.eql(['K1 10', 'P2 20', 'discontinuity', 'K5 40'])
  })
})

describe('A paused publisher', () => {
  afterEach(closeRigs)

  it('is closed after pausetimeout, and not after publishtimeout', async () => {
    const rig = new RegistryRig({ publish: { publishtimeout: '10s', pausetimeout: '60s' } })
    const { publisher, write } = await source(rig)
    const ends = endOf(publisher)
    publisher.setPaused(true)
    rig.pulse(59_000)
    expect([...rig.registry.list()].map((stream) => stream.publisher?.pausedSinceMs)).to.not.include(undefined)
    publisher.setPaused(false)
    rig.pulse(9000)
    expect(ends).to.eql([])
    write('K1')
    publisher.setPaused(true)
    publisher.setPaused(true)
    rig.pulse(60_100)
    expect(ends).to.eql(['timeout: pause timeout'])
  })

  it('is kept for ever where pausetimeout is 0', async () => {
    const rig = new RegistryRig({ publish: { publishtimeout: '10s', pausetimeout: 0 } })
    const { publisher } = await source(rig)
    const ends = endOf(publisher)
    publisher.setPaused(true)
    rig.pulse(3_600_000)
    expect(ends).to.eql([])
  })

  async function source(rig: RegistryRig) {
    const made = await rig.source('live/a')
    return { publisher: made.publisher, write: (labels: string) => made.write(labels) }
  }
})

describe('The control of a source', () => {
  afterEach(closeRigs)

  it('is for the viewers of a stream of their own, with what the source can do', async () => {
    const told: string[] = []
    const { subscriber } = await rigWith({
      position: () => ({ atMs: 5, fromMs: 0, toMs: 10 }),
      pause: () => void told.push('pause'),
      seek: async (positionMs) => void told.push(`seek ${positionMs}`),
      requestKeyframe: () => void told.push('keyframe'),
    })
    const { control } = subscriber
    await control?.pause?.()
    await control?.seek?.(7)
    expect(told).to.eql(['pause', 'seek 7'])
    expect(control?.position?.()).to.eql({ atMs: 5, fromMs: 0, toMs: 10 })
    expect(Object.keys(control ?? {})).to.eql(['position', 'pause', 'seek'])
  })

  it('is given no number that is no speed or position', async () => {
    const told: number[] = []
    const { subscriber } = await rigWith({
      setSpeed: (speed) => void told.push(speed),
      seek: (ms) => void told.push(ms),
    })
    const { control } = subscriber
    for (const speed of [0, -1, NaN, Infinity]) {
      expect(await failure(control?.setSpeed?.(speed)), String(speed)).to.be.instanceOf(InvalidRequest)
    }
    for (const ms of [NaN, Infinity]) expect(await failure(control?.seek?.(ms))).to.be.instanceOf(InvalidRequest)
    expect(told).to.eql([])
  })

  it('is for nobody who shares a stream, nor for who has left', async () => {
    const shared = await rigWith({ pause: () => {} }, {})
    expect(shared.subscriber.control).to.equal(undefined)
    const own = await rigWith({ pause: () => {} })
    own.subscriber.close()
    expect(own.subscriber.control).to.equal(undefined)
  })

  it('fails for who asks, when the source throws, rejects, or has ended', async () => {
    const { rig, publisher, subscriber, source, sink } = await rigWith({
      pause: () => {
        throw new Error('secret')
      },
      resume: () => Promise.reject(new Error('secret')),
      seek: () => Promise.reject(new InvalidRequest('not there')),
    })
    const { control } = subscriber
    const ends = endOf(publisher)
    expect(await failure(control?.pause?.()))
      .to.be.instanceOf(StreamUnavailable)
      .with.property('message', 'the source failed')
    expect(await failure(control?.resume?.())).to.be.instanceOf(StreamUnavailable)
    expect(await failure(control?.seek?.(0))).to.be.instanceOf(InvalidRequest)
    const logged = rig.lines.filter(({ msg }) => msg === 'the control of a source failed')
    expect(logged.map(({ plugin, command }) => [plugin, command])).to.eql([
      ['fake', 'pause'],
      ['fake', 'resume'],
    ])
    source.write('K1')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1')
    expect(ends).to.eql([])
    publisher.close('over')
    expect(await failure(control?.seek?.(0)))
      .to.be.instanceOf(StreamUnavailable)
      .with.property('message', 'over')
  })

  it('asks for a keyframe once for all who want one, of the track they start at', async () => {
    const asked: string[] = []
    const control: SourceControl = {
      requestKeyframe(track) {
        asked.push(track.codec)
        throw new Error('busy')
      },
    }
    const { rig, publisher, source, subscriber } = await rigWith(control, {})
    const other = await rig.subscribe(PATH)
    const deaf = await rig.subscribe(PATH, { query: 'subvideo=false' })
    for (const viewer of [deaf, subscriber, other, subscriber]) viewer.requestKeyframe()
    expect(asked).to.eql(['h264'])
    source.write('K1')
    subscriber.requestKeyframe()
    expect(asked).to.eql(['h264'])
    publisher.close()
    subscriber.requestKeyframe()
  })

  it('is not asked where there is none', async () => {
    const { subscriber } = await rigWith({}, {})
    subscriber.requestKeyframe()
    expect(subscriber.control).to.equal(undefined)
  })
})

describe('A personal stream', () => {
  afterEach(closeRigs)

  it('ends with its last viewer', async () => {
    const { rig, publisher, subscriber } = await rigWith({})
    const second = await rig.subscribe(PATH)
    const ends = endOf(publisher)
    subscriber.close()
    expect(ends).to.eql([])
    second.close()
    expect(ends).to.eql(['idle: its viewer left'])
    expect(rig.registry.pathCount).to.equal(0)
  })

  it('ends its viewers with it, once they have what was written', async () => {
    const { rig, publisher, source, subscriber, sink } = await rigWith({})
    const ends = endOf(subscriber)
    source.write('K1 P2')
    publisher.close('the recording is over')
    expect(ends).to.eql(['closed: the recording is over'])
    expect(sink.text).to.equal('S(v1,a1) K1 P2')
    expect(rig.registry.pathCount).to.equal(0)
    expect(rig.notices.slice(-2)).to.eql([
      `unsubscribed ${PATH} the recording is over`,
      `unpublished ${PATH} the recording is over`,
    ])
  })
})
