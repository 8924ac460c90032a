import { getEventListeners } from 'node:events'
import { expect } from 'chai'
import {
  InvalidRequest,
  StreamDenied,
  StreamExists,
  StreamNotFound,
  StreamUnavailable,
  type Publisher,
  type Subscriber,
} from 'sluice/sdk'
import { FakeFormat, FakeSink } from './fixtures/fake-format.ts'
import { turn } from './fixtures/muxer-rig.ts'
import { AUDIO, CountingGate, RegistryRig, Source, VIDEO, closeRigs, endOf } from './fixtures/registry-rig.ts'

type ErrorClass = new (...args: never[]) => Error

async function expectRejection(promise: Promise<unknown>, kind: ErrorClass, message?: string): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).to.be.instanceOf(kind)
  if (message !== undefined) expect((error as Error).message).to.equal(message)
}

describe('StreamRegistry', () => {
  afterEach(closeRigs)

  describe('publishing', () => {
    it('refuses a path that has a publisher', async () => {
      const rig = new RegistryRig()
      await rig.publish('live/a')
      await expectRejection(rig.publish('/live/a/'), StreamExists, 'stream exist')
      expect(rig.registry.list()).to.have.length(1)
    })

    it('replaces the publisher where kickexist is on', async () => {
      const rig = new RegistryRig({ publish: { kickexist: true } })
      const end = endOf(await rig.publish('live/a'))
      const second = await rig.publish('live/a')
      expect(end).to.deep.equal({ code: 'kick', reason: 'kick' })
      expect(rig.registry.get('live/a')?.publisher).to.equal(second)
    })

    it('takes maxcount streams, of which a replaced one is none', async () => {
      const rig = new RegistryRig({ publish: { maxcount: 2, kickexist: true } })
      await rig.publish('live/a')
      const second = await rig.publish('live/b')
      await expectRejection(rig.publish('live/c'), StreamUnavailable, 'publish max count exceeded')
      await rig.publish('live/a')
      second.close()
      await rig.publish('live/c')
      expect(rig.registry.pathCount).to.equal(2)
    })

    it('leaves out the tracks that are not wanted', async () => {
      const rig = new RegistryRig({ publish: { pubvideo: false } })
      const source = await rig.source('live/a')
      source.write('K1 a2')
      expect(
        rig.registry
          .get('live/a')
          ?.info()
          .tracks.map(({ kind }) => kind),
      ).to.deep.equal(['audio'])
    })
  })

  describe('subscribing', () => {
    it('gives the stream and its tracks at once when they are there', async () => {
      const rig = new RegistryRig()
      await rig.source('live/a')
      const subscriber = await rig.subscribe('live/a')
      expect(subscriber.tracks.map(({ kind }) => kind)).to.deep.equal(['video', 'audio'])
      expect(rig.registry.get('live/a')?.info()).to.include({ subscriberCount: 1, state: 2 })
    })

    it("takes maxcount subscribers, of which the server's own are none", async () => {
      const rig = new RegistryRig({ subscribe: { maxcount: 1 } })
      await rig.source('live/a')
      await rig.subscribe('live/a', { type: 'vod' })
      const first = await rig.subscribe('live/a')
      await expectRejection(rig.subscribe('live/a'), StreamUnavailable, 'subscribe max count exceeded')
      await rig.subscribe('live/a', { type: 'vod' })
      first.close()
      await rig.subscribe('live/a')
    })

    it('waits for a publisher and its tracks', async () => {
      const rig = new RegistryRig()
      const waiting = rig.subscribe('live/a')
      await turn()
      expect(rig.registry.subscribers('live/a')).to.have.length(1)
      await rig.source('live/a')
      expect((await waiting).tracks).to.have.length(2)
    })

    it('waits for the next publisher where one ends as soon as its tracks are there', async () => {
      const rig = new RegistryRig()
      let tracks = -1
      const waiting = rig.subscribe('live/a').then((subscriber) => (tracks = subscriber.tracks.length))
      await turn()
      const short = new Source(await rig.publish('live/a'), 0)
      short.publisher.close()
      await turn()
      expect(tracks).to.equal(-1)
      await rig.source('live/a')
      await waiting
      expect(tracks).to.equal(2)
    })

    it('ends with "not found" when no publisher comes in waittimeout', async () => {
      const rig = new RegistryRig({ subscribe: { waittimeout: '5ms' } })
      await expectRejection(rig.subscribe('live/a'), StreamNotFound)
      expect(rig.registry.pathCount).to.equal(0)
      expect(rig.notices).to.be.empty
    })

    it('ends with "not found" when the publisher has no tracks for waittimeout', async () => {
      const rig = new RegistryRig({ subscribe: { waittimeout: '5ms' } })
      await rig.publish('live/a')
      await expectRejection(rig.subscribe('live/a'), StreamNotFound)
      expect(rig.registry.subscribers()).to.be.empty
    })

    it('ends with "not found" when the publisher that came has no tracks for waittimeout', async () => {
      const rig = new RegistryRig({ subscribe: { waittimeout: '5ms' }, publish: { publishtimeout: 0 } })
      const waiting = rig.subscribe('live/a')
      await turn()
      await rig.publish('live/a')
      await expectRejection(waiting, StreamNotFound)
    })

    it('does not begin anew when a publisher without tracks is closed by publishtimeout', async () => {
      const rig = new RegistryRig({ subscribe: { waittimeout: '10s' }, publish: { publishtimeout: '10s' } })
      const publisher = await rig.publish('live/a')
      const waiting = rig.subscribe('live/a')
      await turn()
      const [subscriber] = rig.registry.subscribers('live/a')
      let begun = 0
      subscriber!.startWaiting = () => (begun += 1)
      publisher.close({ code: 'timeout', text: 'publish timeout' })
      expect(begun).to.equal(0)
      const next = await rig.publish('live/a')
      expect(begun).to.equal(1)
      next.close({ code: 'left', text: 'left' })
      expect(begun).to.equal(2)
      subscriber!.close('enough')
      await expectRejection(waiting, StreamUnavailable)
    })

    it('is over when the client leaves', async () => {
      const rig = new RegistryRig()
      const client = new AbortController()
      const waiting = rig.subscribe('live/a', { signal: client.signal })
      await turn()
      client.abort()
      await expectRejection(waiting, StreamUnavailable, 'the client left')
      expect(rig.registry.pathCount).to.equal(0)
      expect(getEventListeners(client.signal, 'abort')).to.be.empty
    })

    it('is over for a client that left on the way in, before it waits', async () => {
      const rig = new RegistryRig()
      const client = new AbortController()
      rig.taps.subscribe = async () => client.abort()
      let failed = false
      await rig.subscribe('live/a', { signal: client.signal }).catch(() => (failed = true))
      expect(failed).to.be.true
      expect(rig.registry.pathCount).to.equal(0)
    })

    it('is over whenever on its way in the client leaves', async () => {
      for (let steps = 0; steps < 30; steps++) {
        const rig = new RegistryRig()
        const client = new AbortController()
        const asked = rig.subscribe('live/a', { signal: client.signal }).catch(() => 'over')
        for (let step = 0; step < steps; step++) await Promise.resolve()
        client.abort()
        expect(await asked).to.equal('over')
        expect(rig.registry.pathCount).to.equal(0)
      }
    })

    it('listens to the client no longer once it has the stream', async () => {
      const rig = new RegistryRig()
      const client = new AbortController()
      await rig.source('live/a')
      const subscriber = await rig.subscribe('live/a', { signal: client.signal })
      expect(getEventListeners(client.signal, 'abort')).to.be.empty
      client.abort()
      expect(endOf(subscriber).reason).to.equal(undefined)
    })
  })

  describe('waittrack', () => {
    const cases = [
      { waittrack: 'video', tracks: 'va', ready: true },
      { waittrack: 'video', tracks: 'v', ready: false },
      { waittrack: 'video', tracks: 'a', ready: false },
      { waittrack: 'video', tracks: 'v.', ready: true },
      { waittrack: 'video', tracks: 'a.', ready: true },
      { waittrack: 'video', tracks: '.', ready: false },
      { waittrack: 'audio', tracks: 'a', ready: true },
      { waittrack: 'audio', tracks: 'v', ready: false },
      { waittrack: 'audio', tracks: 'v.', ready: true },
      { waittrack: 'all', tracks: 'a', ready: false },
      { waittrack: 'all', tracks: 'va', ready: true },
      { waittrack: 'all', tracks: 'v.', ready: true },
    ]
    for (const { waittrack, tracks, ready } of cases) {
      it(`${waittrack} is ${ready ? 'met' : 'not met'} by "${tracks}"`, async () => {
        const rig = new RegistryRig({ subscribe: { waittrack } })
        let resolved = false
        const waiting = rig.subscribe('live/a').then(() => (resolved = true))
        await turn()
        const source = await rig.publish('live/a')
        for (const what of tracks) {
          if (what === '.') source.tracksComplete()
          else source.addTrack(what === 'v' ? VIDEO : AUDIO)
        }
        await turn()
        expect(resolved).to.equal(ready)
        if (!ready) rig.registry.close('over')
        await waiting.catch(() => undefined)
      })
    }

    it('all starts with what there is when waittimeout is over', async () => {
      const rig = new RegistryRig({ subscribe: { waittrack: 'all', waittimeout: '5ms' } })
      const publisher = await rig.publish('live/a')
      publisher.addTrack(VIDEO)
      expect((await rig.subscribe('live/a')).tracks).to.have.length(1)
    })

    it('video starts without audio when none came for a while', async () => {
      const rig = new RegistryRig()
      const publisher = await rig.publish('live/a')
      publisher.addTrack(VIDEO)
      expect((await rig.subscribe('live/a')).tracks).to.have.length(1)
    })
  })

  describe('hooks', () => {
    it('admit in the order gate, hook, path, and refuse before anything is made', async () => {
      const rig = new RegistryRig()
      const order: string[] = []
      const gate = new CountingGate()
      gate.onAsked = () => void order.push('gate')
      rig.gates.publish.push(gate)
      rig.taps.publish = async (name, request) => {
        order.push(`${name} ${request.streamPath} ${request.protocol} ${request.params['a']}`)
        throw new StreamDenied('no')
      }
      await expectRejection(rig.publish('live/a', { query: 'a=1&a=2' }), StreamDenied, 'unauthorized')
      expect(order).to.deep.equal(['gate', 'publish live/a fake 1'])
      expect(rig.registry.pathCount).to.equal(0)
    })

    it('refuse a subscriber', async () => {
      const rig = new RegistryRig()
      rig.taps.subscribe = () => Promise.reject(new StreamDenied('no'))
      await expectRejection(rig.subscribe('live/a'), StreamDenied)
      expect(rig.registry.pathCount).to.equal(0)
    })

    it('are told what happened, in pairs', async () => {
      const rig = new RegistryRig()
      const publisher = await rig.publish('live/a')
      publisher.addTrack(VIDEO)
      publisher.tracksComplete()
      const subscriber = await rig.subscribe('live/a')
      subscriber.close('left')
      publisher.close('done')
      expect(rig.notices).to.deep.equal([
        'published live/a',
        'track live/a video',
        'subscribed live/a',
        'unsubscribed live/a left',
        'unpublished live/a done',
      ])
    })

    it('resolve a path that has no publisher, and only such a one', async () => {
      const rig = new RegistryRig()
      const asked: string[] = []
      rig.taps.resolve = async (request) => {
        asked.push(request.streamPath)
        const source = new Source(await rig.publish(request.streamPath, { type: 'pull' }), 0)
        source.write('K1')
        return true
      }
      await rig.subscribe('live/a')
      await rig.subscribe('live/a')
      expect(asked).to.deep.equal(['live/a'])
    })
  })

  describe('gates', () => {
    it("are not asked where there are none, nor about the server's own sessions", async () => {
      const rig = new RegistryRig()
      const gate = new CountingGate()
      rig.gates.play.push(gate)
      await rig.source('live/a')
      await rig.subscribe('live/a', { type: 'push' })
      expect(gate.asked).to.equal(0)
      await rig.subscribe('live/a')
      expect(gate.asked).to.equal(1)
    })

    it('may rewrite the path', async () => {
      const rig = new RegistryRig()
      const gate = new CountingGate()
      gate.streamPath = 'live/real'
      rig.gates.publish.push(gate)
      const publisher = await rig.publish('live/a')
      expect(publisher.streamPath).to.equal('live/real')
      expect(rig.registry.get('live/real')?.publisher).to.equal(publisher)
      expect(rig.registry.get('live/a')).to.equal(undefined)
    })

    type Ending = {
      readonly name: string
      readonly config?: object
      readonly before?: (rig: RegistryRig) => Promise<unknown>
      readonly act: (rig: RegistryRig) => Promise<unknown>
      /** It came as far as publishing, or as getting a stream. */
      readonly begins?: boolean
    }
    const endings: Ending[] = [
      { name: 'the publisher closes, twice', act: async (rig) => twice(await rig.publish('live/a')), begins: true },
      {
        name: 'the subscriber closes',
        act: async (rig) => (await rig.subscribe('live/taken')).close(),
        begins: true,
      },
      { name: 'the path is taken', act: (rig) => rig.publish('live/taken') },
      { name: 'a query override is wrong', act: (rig) => rig.subscribe('live/taken', { query: 'submode=9' }) },
      { name: 'a hook refuses', act: (rig) => refused(rig, () => rig.publish('live/a')) },
      { name: 'a hook refuses a subscriber', act: (rig) => refused(rig, () => rig.subscribe('live/taken')) },
      {
        name: 'there are too many streams',
        config: { publish: { maxcount: 1 } },
        act: (rig) => rig.publish('live/a'),
      },
      {
        name: 'there are too many subscribers',
        config: { subscribe: { maxcount: 1 } },
        before: (rig) => rig.subscribe('live/taken'),
        act: (rig) => rig.subscribe('live/taken'),
      },
      {
        name: 'nobody publishes',
        config: { subscribe: { waittimeout: '1ms' } },
        act: (rig) => rig.subscribe('live/a'),
      },
      { name: 'the client is gone already', act: (rig) => rig.subscribe('live/a', { signal: AbortSignal.abort() }) },
      {
        name: 'the server stops',
        act: async (rig) => (await rig.subscribe('live/taken'), rig.registry.close('stop')),
        begins: true,
      },
      {
        name: 'the plugin stops',
        act: async (rig) => (await rig.subscribe('live/taken'), rig.streams.close('stop')),
        begins: true,
      },
      {
        name: 'the plugin stops meanwhile',
        act: async (rig) => {
          const asked = rig.subscribe('live/taken')
          rig.streams.close('stop')
          await asked
        },
      },
      {
        name: 'the server stops meanwhile',
        act: async (rig) => {
          const asked = rig.publish('live/a')
          rig.registry.close('stop')
          await asked
        },
      },
    ]
    for (const { name, config, before: prepare, act, begins = false } of endings) {
      it(`are told ${begins ? 'once' : 'nothing'} of the end when ${name}`, async () => {
        const rig = new RegistryRig({ ...config })
        await rig.source('live/taken', 0, rig.owner())
        await prepare?.(rig)
        const gate = new CountingGate()
        rig.gates.publish.push(gate)
        rig.gates.play.push(gate)
        await act(rig).catch(() => undefined)
        await turn()
        expect(gate.ended).to.equal(begins ? 1 : 0)
        rig.registry.close('over')
        expect(gate.ended).to.equal(begins ? 1 : 0)
      })
    }
  })

  describe('closing', () => {
    it('ends all sessions with the reason, after what is pending was sent, and takes no new ones', async () => {
      const rig = new RegistryRig()
      const source = await rig.source('live/a')
      const subscriber = await rig.subscribe('live/a')
      const sink = new FakeSink()
      subscriber.attach(new FakeFormat(), sink)
      source.write('K1')
      await turn()
      source.write('P2')
      const waiting = rig.subscribe('live/b')
      await turn()
      const ends = [endOf(source.publisher), endOf(subscriber)]
      rig.registry.close('bye')
      expect(ends.map(({ reason }) => reason)).to.deep.equal(['bye', 'bye'])
      expect(sink.text).to.equal('S(v1,a1) K1 P2')
      await expectRejection(waiting, StreamUnavailable, 'bye')
      await expectRejection(rig.publish('live/c'), StreamUnavailable, 'the server is stopping')
      await expectRejection(rig.subscribe('live/a'), StreamUnavailable)
      expect(rig.registry.pathCount).to.equal(0)
    })
  })

  const paths = [
    '',
    '/',
    'a//b',
    '../a',
    'a/./b',
    'a?b',
    'a\u0000',
    'a\\b',
    'x'.repeat(513),
    `a${'/'.repeat(100_000)}b`,
  ]
  for (const path of paths) {
    it(`takes no path like ${JSON.stringify(path.slice(0, 20))}`, async () => {
      const rig = new RegistryRig()
      await expectRejection(rig.publish(path), InvalidRequest)
      await expectRejection(rig.subscribe(path), InvalidRequest)
    })
  }
})

function twice(session: Publisher | Subscriber): void {
  session.close('one')
  session.close('two')
}

function refused(rig: RegistryRig, act: () => Promise<unknown>): Promise<unknown> {
  const refuse = () => Promise.reject(new StreamDenied('no'))
  Object.assign(rig.taps, { publish: refuse, subscribe: refuse })
  return act()
}
