import { expect } from 'chai'
import { SluiceError } from '../errors/sluice-error.ts'
import { StreamDenied } from '../errors/stream-errors.ts'
import type { MuxerFormat } from '../media/muxer.ts'
import { effectiveConfig, type WrittenConfig } from './fake-config.ts'
import { FakeHooks } from './fake-hooks.ts'
import { FakeStreams, sessionInit } from './fake-streams.ts'
import { LogRecords } from './log-records.ts'
import { SCRIPTED_VIDEO, ScriptedPublisher } from './scripted-publisher.ts'
import { CollectingSink, ScriptedSubscriber } from './scripted-subscriber.ts'

// Says in words what it was told.
const WORDS: MuxerFormat = {
  name: 'words',
  createMuxer: () => ({
    start: ({ tracks }) => Buffer.from(`start ${tracks.map((track) => track.codec).join('+')}`),
    configure: (track) => Buffer.from(`configure ${track.codec}`),
    mux: (unit) => (unit.track.kind === 'video' ? Buffer.from(`video ${unit.dts}`) : null),
  }),
}

function withSemicolon(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.from(';')])
}

function setUp(config: WrittenConfig = {}) {
  const log = new LogRecords('test')
  const hooks = new FakeHooks(log.logger)
  const streams = new FakeStreams({ protocol: 'test', hooks, config: () => effectiveConfig({}, config) })
  return { log, hooks, streams }
}

async function errorOf(session: Promise<unknown>): Promise<unknown> {
  return session.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('FakeStreams', () => {
  let streams: FakeStreams
  let hooks: FakeHooks
  beforeEach(() => ({ streams, hooks } = setUp({ subscribe: { waittimeout: '50ms' } })))
  afterEach(() => streams.dispose())

  it('gives a late reader the units since the newest keyframe, and then all', async () => {
    const publisher = await streams.publish(sessionInit('live/test'))
    const script = new ScriptedPublisher(publisher, { audio: false, gopFrames: 10 })
    script.writeFrames(15)
    const reader = new ScriptedSubscriber(await streams.subscribe(sessionInit('live/test')))
    script.writeFrames(18)
    expect(reader.tracks).to.eql([script.videoTrack])
    expect(reader.units).to.eql(publisher.units.slice(10))
  })

  it('writes start bytes and muxed units to a sink, framed, and configuration when it changes', async () => {
    const publisher = await streams.publish(sessionInit('live/test'))
    const script = new ScriptedPublisher(publisher)
    const sink = new CollectingSink(withSemicolon)
    const subscriber = await streams.subscribe(sessionInit('live/test'))
    subscriber.attach(WORDS, sink)
    expect(sink.writes).to.eql([])
    script.writeFrames(1)
    if (script.videoTrack)
      script.videoTrack = publisher.configureTrack(script.videoTrack, { ...script.videoTrack.config, width: 640 })
    expect(sink.bytes.toString()).to.equal('start h264+aac;video 0;configure h264;')
    expect(() => subscriber.attach(WORDS, sink)).to.throw('called before')
  })

  it('leaves out the tracks a subscriber does not take', async () => {
    const { streams: audioOnly } = setUp({ subscribe: { subvideo: false } })
    const script = new ScriptedPublisher(await audioOnly.publish(sessionInit('live/test')))
    const subscriber = await audioOnly.subscribe(sessionInit('live/test'))
    expect(subscriber.tracks).to.eql([script.audioTrack])
  })

  it('lets subscribers wait for a publisher, and for the next', async () => {
    const waiting = streams.subscribe(sessionInit('live/test'))
    const first = await streams.publish(sessionInit('live/test'))
    new ScriptedPublisher(first, { audio: false }).writeFrames(2)
    const reader = new ScriptedSubscriber(await waiting)
    first.close()
    const second = await streams.publish(sessionInit('live/test'))
    new ScriptedPublisher(second, { audio: false }).writeFrames(1)
    expect(reader.units).to.eql([...first.units, ...second.units])
    expect(reader.closeReason).to.equal(undefined)
  })

  it('holds back what is written while a subscriber pauses, up to the next keyframe', async () => {
    const publisher = await streams.publish(sessionInit('live/test'))
    const script = new ScriptedPublisher(publisher, { audio: false, gopFrames: 3 })
    const subscriber = await streams.subscribe(sessionInit('live/test'))
    const reader = new ScriptedSubscriber(subscriber)
    script.writeFrames(1)
    subscriber.pause()
    script.writeFrames(2)
    subscriber.resume()
    script.writeFrames(4)
    expect(reader.units).to.eql([publisher.units[0], publisher.units[3]])
  })

  it('answers a subscriber nobody comes for with 404, and closes one whose publisher does not come back', async () => {
    const error = await errorOf(streams.subscribe(sessionInit('live/none')))
    expect(error).to.be.instanceOf(SluiceError).with.property('code', 'NOT_FOUND')
    const publisher = await streams.publish(sessionInit('live/test'))
    publisher.addTrack(SCRIPTED_VIDEO)
    const subscriber = await streams.subscribe(sessionInit('live/test'))
    publisher.close()
    expect(await new Promise((resolve) => subscriber.onClose(resolve))).to.include({ code: 'timeout' })
    expect(streams.subscribers()).to.eql([])
  })

  it('tells the address of a subscriber as the server does, and none of its own', async () => {
    const ips = ['192.0.2.1', '2001:db8::1', '']
    await streams.publish(sessionInit('live/test')).then((publisher) => publisher.addTrack(SCRIPTED_VIDEO))
    for (const ip of ips) {
      await streams.subscribe(sessionInit('live/test', { client: { ip, port: 5000, userAgent: '' } }))
    }
    const told = streams.subscribers('live/test').map(({ remoteAddr }) => remoteAddr)
    expect(told).to.eql(['192.0.2.1:5000', '[2001:db8::1]:5000', ''])
  })

  it('ends the waiting of a client that goes', async () => {
    const client = new AbortController()
    const waiting = errorOf(streams.subscribe(sessionInit('live/none', { signal: client.signal })))
    client.abort()
    expect(await waiting).to.have.property('code', 'UNAVAILABLE')
  })

  it('refuses a second publisher, or lets it take over with kickexist', async () => {
    const first = await streams.publish(sessionInit('live/test'))
    expect(await errorOf(streams.publish(sessionInit('live/test')))).to.have.property('code', 'EXISTS')
    expect(first.closeReason).to.equal(undefined)
    const { streams: kicking } = setUp({ publish: { kickexist: true } })
    const kicked = await kicking.publish(sessionInit('live/test'))
    await kicking.publish(sessionInit('live/test'))
    expect(kicked.closeReason).to.equal('kick')
  })

  it('keeps every request, and denies as it is told', async () => {
    await streams.publish(sessionInit('/live/test', { query: 'a=1&a=2&b=%20' }))
    expect(streams.requests[0]).to.deep.include({
      action: 'publish',
      protocol: 'test',
      type: 'server',
      streamPath: 'live/test',
      params: { a: '1', b: ' ' },
    })
    streams.denyAll('because')
    const error = await errorOf(streams.subscribe(sessionInit('live/test')))
    expect(error).to.be.instanceOf(StreamDenied).with.property('cause').with.property('message', 'because')
    expect(streams.requests).to.have.length(2)
  })

  it('fires the hooks of a session, which may deny it or bring a publisher', async () => {
    const fired: string[] = []
    hooks.on('published', ({ path }) => void fired.push(`published ${path}`))
    hooks.on('track', (_, { codec }) => void fired.push(`track ${codec}`))
    hooks.on('subscribed', ({ streamPath }) => void fired.push(`subscribed ${streamPath}`))
    hooks.on('unsubscribed', (_, reason) => void fired.push(`unsubscribed ${reason.text}`))
    hooks.on('unpublished', (_, reason) => void fired.push(`unpublished ${reason.text}`))
    hooks.on('resolve', async ({ streamPath }) => {
      const publisher = await streams.publish(sessionInit(streamPath))
      publisher.addTrack(SCRIPTED_VIDEO)
      return true
    })
    const subscriber = await streams.subscribe(sessionInit('live/test'))
    subscriber.close('done')
    streams.publishers[0]?.close('over')
    expect(fired).to.eql([
      'published live/test',
      'track h264',
      'subscribed live/test',
      'unsubscribed done',
      'unpublished over',
    ])
    hooks.on('subscribe', () => {
      throw new Error('not you')
    })
    const error = await errorOf(streams.subscribe(sessionInit('live/test')))
    expect(error).to.be.instanceOf(StreamDenied).with.property('cause').with.property('message', 'not you')
  })

  it('lists what runs', async () => {
    await streams.publish(sessionInit('live/a', { type: 'pull' }))
    expect(streams.list().map(({ path, type, state }) => [path, type, state])).to.eql([['live/a', 'pull', 0]])
    expect(streams.get('live/a')).to.include({ path: 'live/a', pluginName: 'test', subscriberCount: 0 })
    expect(streams.get('live/b')).to.equal(undefined)
  })
})

describe('CollectingSink', () => {
  it('queues what is written to it while it is stalled', () => {
    const sink = new CollectingSink()
    sink.write(Buffer.alloc(10))
    expect(sink.queuedBytes).to.equal(0)
    sink.stall()
    sink.write(Buffer.alloc(20))
    sink.write(Buffer.alloc(5))
    expect(sink.queuedBytes).to.equal(25)
    sink.drain(5)
    expect(sink.queuedBytes).to.equal(5)
    sink.drain()
    sink.write(Buffer.alloc(1))
    expect([sink.queuedBytes, sink.bytes.length]).to.eql([0, 36])
  })
})
