import { createHook } from 'node:async_hooks'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { AccessUnit, type Subscriber, type Track } from 'sluice/sdk'
import { rounds } from '../../test/support/soak.ts'
import { FakeFormat, FakeSink } from './fixtures/fake-format.ts'
import { audioTrack, unitOf, videoTrack } from './fixtures/media.ts'
import { turn } from './fixtures/muxer-rig.ts'
import { RegistryRig, Source, VIDEO, closeRigs, endOf } from './fixtures/registry-rig.ts'
import { MAX_CACHE_BYTES } from './gop-cache.ts'
import { PULSE_MS } from './stream-pulse.ts'
import { MAX_TRACKS } from './stream-publisher.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'

/** A publisher that writes a keyframe for all that comes over a TCP connection. */
async function connectedSource(rig: RegistryRig) {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  const { publisher, video } = await rig.source('live/a')
  let timeMs = 0
  socket.on('data', () => publisher.write(unitOf(video, (timeMs += 10), 'K', true)))
  return {
    publisher,
    send: () => client.write('media'),
    received: () => once(socket, 'data'),
    close() {
      client.destroy()
      server.close()
    },
  }
}

/** Holds the process up, without work. */
function blockLoop(durationMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationMs)
}

async function view(rig: RegistryRig, path: string, query = '') {
  const subscriber = await rig.subscribe(path, { query })
  const sink = new FakeSink()
  const format = new FakeFormat()
  subscriber.attach(format, sink)
  await turn()
  return { subscriber, sink, format, end: endOf(subscriber) }
}

describe('A publisher', () => {
  afterEach(closeRigs)

  it('has its tracks in the log once, when all are known', async () => {
    const rig = new RegistryRig()
    const { publisher } = await rig.source('live/a')
    const told = () => rig.lines.filter(({ msg }) => msg === 'publishing')
    expect(told()).to.eql([])
    publisher.tracksComplete()
    publisher.tracksComplete()
    expect(told()).to.have.length(1)
    expect(told()[0]).to.include({ stream: 'live/a', plugin: 'fake', tracks: 'h264 640x360, aac 48000 Hz stereo' })
  })

  it('that sends no media for publishtimeout is closed', async () => {
    const rig = new RegistryRig({ publish: { publishtimeout: '10s' } })
    const source = await rig.source('live/a')
    const end = endOf(source.publisher)
    rig.pulse(9000)
    source.write('K1')
    rig.pulse(9900)
    expect(end.reason).to.equal(undefined)
    rig.pulse(10_100)
    expect(end).to.deep.equal({ code: 'timeout', reason: 'publish timeout' })
  })

  it('keeps its path through a long turn of the event loop, when its media lies in the socket', async () => {
    const limitMs = 2 * PULSE_MS
    const rig = new RegistryRig({ publish: { publishtimeout: `${limitMs}ms` } })
    const { publisher, ...source } = await connectedSource(rig)
    const end = endOf(publisher)
    source.send()
    await source.received()
    source.send()
    blockLoop(limitMs + 100)
    await turn()
    await turn()
    expect(end.reason).to.equal(undefined)
    source.close()
  })

  it('is closed when nobody subscribed for idletimeout', async () => {
    const rig = new RegistryRig({ publish: { idletimeout: '5s', publishtimeout: 0 } })
    const source = await rig.source('live/a')
    const end = endOf(source.publisher)
    rig.pulse(4900)
    expect(end.reason).to.equal(undefined)
    const subscriber = await rig.subscribe('live/a')
    rig.pulse(60_000)
    subscriber.close()
    rig.pulse(60_000)
    expect(end.reason).to.equal(undefined)
    const other = endOf(await rig.publish('live/b'))
    rig.pulse(5100)
    expect(other).to.deep.equal({ code: 'idle', reason: 'publish idle timeout' })
  })

  it('is closed when its last subscriber has been gone for delayclosetimeout', async () => {
    const rig = new RegistryRig({ publish: { delayclosetimeout: '5s', publishtimeout: 0 } })
    const source = await rig.source('live/a')
    const end = endOf(source.publisher)
    rig.pulse(60_000)
    const [one, two] = [await rig.subscribe('live/a'), await rig.subscribe('live/a')]
    one.close()
    rig.pulse(60_000)
    two.close()
    rig.pulse(4900)
    expect(end.reason).to.equal(undefined)
    expect(rig.registry.get('live/a')?.info().state).to.equal(3)
    rig.pulse(5100)
    expect(end).to.deep.equal({ code: 'idle', reason: 'publish delay close timeout' })
  })

  it('has tracks up to a limit at a time', async () => {
    const rig = new RegistryRig({ publish: { pubaudio: false } })
    const publisher = await rig.publish('live/a')
    const tracks: Track[] = []
    for (let count = 0; count < MAX_TRACKS; count++) {
      tracks.push(publisher.addTrack(count % 2 ? audioTrack() : { ...VIDEO, layer: String(count) }))
    }
    expect(() => publisher.addTrack(VIDEO)).to.throw(MalformedError)
    for (const track of tracks) publisher.removeTrack(track)
    for (let count = 0; count < 3 * MAX_TRACKS; count++) publisher.removeTrack(publisher.addTrack(VIDEO))
  })

  it('starts each track at a keyframe', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const { sink } = await view(rig, 'live/a')
    source.write('P1 a2 P3 K4 P5')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K4 P5')
    const stream = rig.registry.get('live/a')
    expect(stream?.publisher?.meter(source.video)).to.include({ units: 2, keyframes: 1, bytes: 4 })
  })

  it('may repeat its configuration without anybody noticing', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const { sink } = await view(rig, 'live/a')
    source.write('K1')
    await turn()
    rig.notices.length = 0
    source.video = source.publisher.configureTrack(source.video, videoTrack().config)
    const late = await view(rig, 'live/a')
    source.write('P2')
    await turn()
    expect([sink.text, late.sink.text]).to.deep.equal(['S(v1,a1) K1 P2', 'S(v1,a1) K1 P2'])
    expect(rig.notices.filter((notice) => notice.startsWith('track'))).to.be.empty
  })

  it('sends what is pending before its tracks change and before it ends', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const { sink } = await view(rig, 'live/a')
    source.write('K1')
    source.video = source.publisher.configureTrack(source.video, videoTrack({ record: 'v2' }).config)
    source.write('K2 a3')
    source.publisher.close()
    expect(sink.text).to.equal('S(v1,a1) K1 C(v2) K2 a3')
  })

  it('that has ended changes nothing for its successor', async () => {
    const rig = new RegistryRig()
    const old = await rig.source('live/a')
    const { sink } = await view(rig, 'live/a')
    old.publisher.close()
    const next = await rig.source('live/a')
    next.write('K1')
    await turn()
    old.write('K9')
    old.video = old.publisher.configureTrack(old.video, videoTrack({ record: 'v9' }).config)
    old.publisher.removeTrack(old.video)
    old.publisher.addTrack(VIDEO)
    old.publisher.setMetadata({ a: 1 })
    old.publisher.tracksComplete()
    next.video = next.publisher.configureTrack(next.video, videoTrack().config)
    next.write('P2')
    await turn()
    expect(rig.registry.get('live/a')?.tracks).to.deep.equal([next.video, next.audio])
    next.publisher.close()
    const third = await rig.source('live/a')
    third.write('K3')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 P2 K3')
  })

  it('says once in the log that its keyframes are too far apart', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const large = Buffer.alloc(40 * 1024 * 1024)
    for (const keyframe of [true, false, true, false]) {
      source.publisher.write(unitOf(source.video, source.timeMs++, large.toString('latin1'), keyframe))
    }
    expect(rig.messages.filter((message) => message.includes('no keyframe'))).to.have.length(1)
  })
})

describe('A subscriber', () => {
  afterEach(closeRigs)

  it('waits when its publisher ends, and is over when none comes', async () => {
    const rig = new RegistryRig({ subscribe: { waittimeout: '5ms' } })
    const source = await rig.source('live/a')
    const { end, subscriber } = await view(rig, 'live/a')
    source.publisher.close()
    expect(end.reason).to.equal(undefined)
    await new Promise<void>((resolve) => subscriber.onClose(() => resolve()))
    expect(end).to.deep.equal({ code: 'timeout', reason: 'subscribe timeout' })
    expect(rig.registry.pathCount).to.equal(0)
  })

  it('goes on with the next publisher, at its keyframe, and in time', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a', 5000)
    const { subscriber, sink } = await view(rig, 'live/a')
    source.write('K1 P2')
    await turn()
    const lastMs = (subscriber as StreamSubscriber).queue?.lastTimeMs ?? 0
    source.publisher.close()
    const silent = await rig.publish('live/a')
    silent.close()
    const next = await rig.source('live/a', 90_000)
    next.write('a1 P2 K3')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 P2 K3')
    const queue = (subscriber as StreamSubscriber).queue
    expect(queue?.lastTimeMs).to.be.within(lastMs, lastMs + 10_000)
    expect(queue).to.include({ skips: 0, dropped: 0 })
  })

  it('is moved to a publisher that kicks the other', async () => {
    const rig = new RegistryRig({ publish: { kickexist: true } })
    const source = await rig.source('live/a')
    const { sink, end } = await view(rig, 'live/a')
    source.write('K1')
    const taking = await rig.source('live/a')
    taking.write('K2')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K1 K2')
    expect(end.reason).to.equal(undefined)
  })

  it('of a path that is kept for its publisher sees the time go on', async () => {
    const rig = new RegistryRig({ publish: { continuepushtimeout: '60s' } })
    const source = await rig.source('live/a', 500)
    source.write('K1')
    source.publisher.close()
    expect(rig.registry.pathCount).to.equal(1)
    const next = await rig.source('live/a', 70_000)
    next.write('K1')
    const stream = rig.registry.get('live/a')
    expect(stream?.publisher?.timeline.lastMs).to.be.within(510, 5000)
  })

  it('waits for its publisher, though the times to wait add up to more than a timer takes', async () => {
    const rig = new RegistryRig({ publish: { continuepushtimeout: '480h' }, subscribe: { waittimeout: '480h' } })
    const source = await rig.source('live/a')
    const { end } = await view(rig, 'live/a')
    source.publisher.close()
    // A timer that overflows is one of a millisecond, and would be over before this one.
    await delay(2)
    expect(end.reason).to.equal(undefined)
  })

  it('leaves no path behind when continuepushtimeout is over', async () => {
    const rig = new RegistryRig({ publish: { continuepushtimeout: '5ms' } })
    const publisher = await rig.publish('live/a')
    publisher.close()
    expect(rig.registry.pathCount).to.equal(1)
    while (rig.registry.pathCount > 0) await turn()
  })

  it('makes the buffer longer while it is there', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const { subscriber } = await view(rig, 'live/a', 'buffertime=1')
    source.write('K1 P2 K3 P4')
    await turn()
    const back = await view(rig, 'live/a', 'buffertime=1')
    const newest = await view(rig, 'live/a')
    expect(back.sink.text).to.equal('S(v1,a1) K1 P2 K3 P4')
    expect(newest.sink.text).to.equal('S(v1,a1) K3 P4')
    subscriber.close()
    back.subscriber.close()
    source.write('K5')
    expect((await view(rig, 'live/a', 'buffertime=1')).sink.text).to.equal('S(v1,a1) K5')
  })

  it('of submode 3 waits for the next keyframe', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    source.write('K1 P2')
    const { sink } = await view(rig, 'live/a', 'submode=3')
    source.write('P3 K4')
    await turn()
    expect(sink.text).to.equal('S(v1,a1) K4')
  })

  for (const submode of [1, 2]) {
    it(`of submode ${submode} is closed when it is too slow`, async () => {
      const rig = new RegistryRig({ subscribe: { queuesize: '20B' } })
      const source = await rig.source('live/a')
      const { sink, end } = await view(rig, 'live/a', `submode=${submode}`)
      sink.stuck = true
      source.write('K1')
      await turn()
      source.write('P2 P3 P4 P5')
      await turn()
      expect(end).to.deep.equal({ code: 'slow', reason: 'slow' })
    })
  }

  it('that takes nothing is closed', async () => {
    const rig = new RegistryRig({ subscribe: { stalltimeout: '20s' }, publish: { publishtimeout: 0 } })
    const source = await rig.source('live/a')
    const { sink, end } = await view(rig, 'live/a')
    sink.stuck = true
    source.write('K1')
    await turn()
    rig.pulse(0)
    rig.pulse(19_000)
    expect(end.reason).to.equal(undefined)
    rig.pulse(21_000)
    expect(end).to.deep.equal({ code: 'slow', reason: 'slow' })
  })

  it('shares its muxer with those of the same format, selection and window, and the last one ends it', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const format = new FakeFormat()
    const queries = ['', '', 'subaudio=false', 'iframeonly=true']
    const subscribers = await Promise.all(queries.map((query) => rig.subscribe('live/a', { query })))
    for (const subscriber of subscribers) subscriber.attach(format, new FakeSink())
    expect(format.muxers).to.equal(3)
    source.write('K1 P2 a3')
    expect(format.muxed.filter((label) => label === 'K1')).to.have.length(3)
    for (const subscriber of subscribers) subscriber.close()
    expect(rig.registry.get('live/a')?.fanOut.muxers).to.be.empty
    source.write('P4')
    expect(format.muxed).not.to.include('P4')
  })

  it('is attached once', async () => {
    const rig = new RegistryRig()
    await rig.source('live/a')
    const subscriber = await rig.subscribe('live/a')
    subscriber.read({ unit: () => undefined })
    expect(() => subscriber.attach(new FakeFormat(), new FakeSink())).to.throw('attached already')
  })

  it('that has ended meanwhile is attached to nothing', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    source.write('K1')
    const subscriber = await rig.subscribe('live/a')
    subscriber.close('left')
    const format = new FakeFormat()
    subscriber.attach(format, new FakeSink())
    expect(format.muxers).to.equal(0)
  })
})

describe('What is kept for late joiners', () => {
  afterEach(closeRigs)

  it('says once when its limit lets it keep less than buffertime asks for', async () => {
    const rig = new RegistryRig({ publish: { buffertime: '1h' } })
    const { publisher, video } = await rig.source('live/a')
    const third = Buffer.alloc(MAX_CACHE_BYTES / 3)
    for (let index = 0; index < 6; index++) {
      publisher.write(AccessUnit.fromData(video, index * 1000, index * 1000, true, third))
    }
    expect(rig.messages).to.have.length(1)
    expect(rig.lines[0]).to.include({ stream: 'live/a', buffertime: 3_600_000, keptMs: 2000 })
  })

  it('says once when there is no keyframe for too long', async () => {
    const rig = new RegistryRig()
    const { publisher, video } = await rig.source('live/a')
    const half = Buffer.alloc(MAX_CACHE_BYTES / 2)
    for (let index = 0; index < 6; index++) {
      publisher.write(AccessUnit.fromData(video, index, index, index % 3 === 0, half))
    }
    expect(rig.messages).to.deep.equal(['no keyframe for too long: late joiners wait for the next one'])
  })
})

describe('A plugin that fails its subscriber', () => {
  afterEach(closeRigs)

  it('is named by the log', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    const sink = new FakeSink()
    sink.lost = true
    ;(await rig.subscribe('live/a')).attach(new FakeFormat(), sink)
    const reader = await rig.subscribe('live/a')
    reader.read({
      unit: () => {
        throw new Error('no')
      },
    })
    source.write('K1')
    await turn()
    expect(rig.lines.map(({ msg, plugin, stream }) => ({ msg, plugin, stream }))).to.deep.equal([
      { msg: 'a unit reader failed', plugin: 'fake', stream: 'live/a' },
      { msg: 'a sink failed', plugin: 'fake', stream: 'live/a' },
    ])
  })
})

describe('Streams that come and go', () => {
  afterEach(closeRigs)

  type Op = 'publish' | 'subscribe' | 'abort' | 'closePublisher' | 'closeSubscriber' | 'write' | 'turn' | 'refuse'
  const ops = fc.array(
    fc.tuple(
      fc.constantFrom<Op>(
        'publish',
        'subscribe',
        'abort',
        'closePublisher',
        'closeSubscriber',
        'write',
        'turn',
        'refuse',
      ),
      fc.nat(3),
    ),
    { maxLength: 60, size: 'max' },
  )

  async function play(rig: RegistryRig, steps: readonly (readonly [Op, number])[]): Promise<void> {
    const sources: Source[] = []
    const subscribers: Subscriber[] = []
    const clients: AbortController[] = []
    const asked: Promise<unknown>[] = []
    const ask = <T>(promise: Promise<T>, got: (value: T) => void) => {
      asked.push(promise.then(got, () => undefined))
    }
    for (const [op, pick] of steps) {
      const path = `live/${pick}`
      if (op === 'publish') ask(rig.publish(path), (publisher) => sources.push(new Source(publisher, 0)))
      else if (op === 'subscribe' || op === 'abort') {
        const client = new AbortController()
        clients.push(client)
        ask(rig.subscribe(path, { signal: client.signal }), (subscriber) => {
          subscribers.push(subscriber)
          subscriber.attach(new FakeFormat(), new FakeSink())
        })
        if (op === 'abort') client.abort()
      } else if (op === 'closePublisher') sources.at(pick)?.publisher.close()
      else if (op === 'closeSubscriber') subscribers.at(pick)?.close()
      else if (op === 'write') sources.at(pick)?.write('K1 P2 a3')
      else if (op === 'refuse') ask(rig.publish(path, { query: 'pubaudio=perhaps' }), () => undefined)
      else await turn()
    }
    await turn()
    for (const client of clients) client.abort()
    await Promise.all(asked)
    for (const session of [...subscribers, ...sources.map(({ publisher }) => publisher)]) session.close()
  }

  it('leave no path behind', async () => {
    await fc.assert(
      fc.asyncProperty(
        ops,
        fc.constantFrom({}, { publish: { kickexist: true, maxcount: 2 } }),
        async (steps, config) => {
          const rig = new RegistryRig(config)
          await play(rig, steps)
          expect(rig.registry.pathCount).to.equal(0)
          expect(rig.streams.sessionCount).to.equal(0)
          rig.registry.close('over')
        },
      ),
      { numRuns: rounds(100) },
    )
  })

  it('leave no timer behind when the registry closes', async () => {
    const timers = new Map<number, string>()
    const hook = createHook({
      init: (id, type) => {
        const place = new Error().stack
          ?.split('\n')
          .find((line) => line.includes('/core/stream/') && !line.includes('.test.'))
        if (type === 'Timeout' && place !== undefined) timers.set(id, place)
      },
      destroy: (id) => void timers.delete(id),
    }).enable()
    const rig = new RegistryRig({
      publish: { continuepushtimeout: '60s' },
      subscribe: { writemerge: '300ms' },
    })
    const source = await rig.source('live/a')
    await view(rig, 'live/a')
    source.write('K1 P2')
    const gone = await rig.source('live/b')
    await view(rig, 'live/b')
    gone.publisher.close()
    const waiting = rig.subscribe('live/c').catch(() => undefined)
    await turn()
    expect(timers.size).to.be.greaterThan(4)
    rig.registry.close('over')
    await waiting
    await turn()
    hook.disable()
    expect([...timers.values()]).to.be.empty
  })
})
