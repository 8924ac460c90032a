import { expect } from 'chai'
import { StreamNotFound, StreamRedirect, StreamUnavailable, type Resolution } from 'sluice/sdk'
import { turn } from './fixtures/muxer-rig.ts'
import { closeRigs, initOf, RegistryRig } from './fixtures/registry-rig.ts'
import { PathResolver } from './path-resolver.ts'
import type { StreamSubscriber } from './stream-subscriber.ts'
import { TrackWait } from './track-wait.ts'

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('a path without a publisher', () => {
  afterEach(closeRigs)

  it('is asked about once, however many wait', async () => {
    const rig = new RegistryRig()
    const asked: string[] = []
    const { promise, resolve } = Promise.withResolvers<Resolution>()
    rig.taps.resolve = ({ streamPath }) => {
      asked.push(streamPath)
      return promise
    }
    const subscribers = Promise.all([rig.subscribe('live/a'), rig.subscribe('live/a'), rig.subscribe('live/a')])
    await turn()
    resolve(true)
    await turn()
    const late = rig.subscribe('live/a')
    await turn()
    expect(asked).to.eql(['live/a'])
    await rig.source('live/a')
    expect(await subscribers).to.have.length(3)
    await late
  })

  it('is asked about again for each who comes after it was declined', async () => {
    const rig = new RegistryRig({ subscribe: { waittimeout: '10ms' } })
    let asked = 0
    rig.taps.resolve = async () => {
      asked++
      return false
    }
    for (const path of ['live/a', 'live/a']) expect(await failure(rig.subscribe(path))).to.be.instanceOf(StreamNotFound)
    expect(asked).to.equal(2)
  })

  it('is asked about again when its publisher has gone before it had media', async () => {
    const rig = new RegistryRig()
    let asked = 0
    rig.taps.resolve = async () => {
      if (++asked === 1) setImmediate(() => void rig.publish('live/a').then((publisher) => publisher.close()))
      else await rig.source('live/a')
      return true
    }
    const subscriber = await rig.subscribe('live/a')
    expect([asked, subscriber.tracks.length]).to.eql([2, 2])
  })

  it('is not asked about for those who have had the stream', async () => {
    const rig = new RegistryRig()
    let asked = 0
    rig.taps.resolve = async () => {
      asked++
      return true
    }
    const source = await rig.source('live/a')
    await rig.subscribe('live/a')
    source.publisher.close()
    await turn()
    expect(asked).to.equal(0)
  })

  it('is waited for as long as the answer says', async () => {
    const rig = new RegistryRig({ subscribe: { waittimeout: '1ms' } })
    const { promise, resolve } = Promise.withResolvers<void>()
    rig.taps.resolve = async () => {
      resolve()
      return { withinMs: 60_000 }
    }
    const patient = rig.owner({ subscribe: { waittimeout: '10s' } }, 'patient')
    const first = patient.manager.subscribe(initOf('live/a'))
    await promise
    await turn()
    // Its own time is over in a millisecond, and the answer holds for who comes later, too.
    const second = rig.subscribe('live/a')
    await new Promise((over) => setTimeout(over, 20))
    await rig.source('live/a')
    expect((await Promise.all([first, second])).map(({ tracks }) => tracks.length)).to.eql([2, 2])
  })

  it('may be another, which its subscribers get', async () => {
    const rig = new RegistryRig()
    await rig.source('live/b')
    rig.taps.resolve = async ({ streamPath }) => streamPath === 'live/a' && { streamPath: 'live/b' }
    const subscriber = await rig.subscribe('live/a')
    expect([subscriber.streamPath, subscriber.tracks.length]).to.eql(['live/a', 2])
    expect(rig.registry.get('live/b')?.subscriberCount).to.equal(1)
    expect(rig.notices).to.include('subscribed live/a')
    subscriber.close('done')
    expect(rig.registry.get('live/b')?.subscriberCount).to.equal(0)
    expect(rig.registry.pathCount).to.equal(1)
  })

  it('may be another that is asked about in its turn', async () => {
    const rig = new RegistryRig()
    const asked: string[] = []
    rig.taps.resolve = async ({ streamPath }) => {
      asked.push(streamPath)
      if (streamPath === 'live/a') return { streamPath: 'live/b' }
      await rig.source(streamPath)
      return true
    }
    await rig.subscribe('live/a')
    expect(asked).to.eql(['live/a', 'live/b'])
  })

  it('may not lead round in a circle', async () => {
    const rig = new RegistryRig()
    rig.taps.resolve = async ({ streamPath }) => ({ streamPath: streamPath === 'live/a' ? 'live/b' : 'live/a' })
    expect(await failure(rig.subscribe('live/a'))).to.be.instanceOf(StreamUnavailable)
    expect(rig.registry.pathCount).to.equal(0)
  })

  it('may not lead to a stream that is full', async () => {
    const rig = new RegistryRig({ subscribe: { maxcount: 1 } })
    await rig.source('live/b')
    await rig.subscribe('live/b')
    rig.taps.resolve = async () => ({ streamPath: 'live/b' })
    expect(await failure(rig.subscribe('live/a'))).to.be.instanceOf(StreamUnavailable)
    expect(rig.registry.pathCount).to.equal(1)
  })

  it('may be had elsewhere, to which each is sent with its own query', async () => {
    const rig = new RegistryRig()
    rig.taps.resolve = async () => ({ redirect: 'https://b.example/live/a' })
    const errors = await Promise.all(['t=1', 't=2'].map((query) => failure(rig.subscribe('live/a', { query }))))
    expect(errors.map((error) => error instanceof StreamRedirect && error.url)).to.eql([
      'https://b.example/live/a?t=1',
      'https://b.example/live/a?t=2',
    ])
    expect(rig.registry.pathCount).to.equal(0)
  })

  it('may be had elsewhere by each protocol', async () => {
    const rig = new RegistryRig()
    const asked: string[] = []
    rig.taps.resolve = async ({ protocol }) => {
      asked.push(protocol)
      return { redirect: `https://b.example/live/a.${protocol}` }
    }
    const { manager } = rig.owner({}, 'other')
    const waiting = [rig.subscribe('live/a'), manager.subscribe(initOf('live/a')), rig.subscribe('live/a')]
    const errors = await Promise.all(waiting.map(failure))
    expect(errors.map((error) => error instanceof StreamRedirect && error.url.slice(-5))).to.eql([
      '.fake',
      'other',
      '.fake',
    ])
    expect(asked).to.eql(['fake', 'other'])
  })

  it('keeps the publisher that came before the answer', async () => {
    const rig = new RegistryRig()
    const { promise, resolve } = Promise.withResolvers<Resolution>()
    rig.taps.resolve = () => promise
    const waiting = rig.subscribe('live/a')
    await turn()
    const publisher = await rig.publish('live/a')
    resolve({ redirect: 'https://b.example/' })
    await turn()
    publisher.close()
    await rig.source('live/a')
    expect(await waiting).to.have.property('streamPath', 'live/a')
  })
})

describe('PathResolver', () => {
  afterEach(closeRigs)

  /** A subscriber that waits. */
  async function subscriber(): Promise<StreamSubscriber> {
    const rig = new RegistryRig()
    void failure(rig.subscribe('live/asked'))
    await turn()
    const [waiting] = rig.registry.subscribers()
    if (waiting === undefined) throw new Error('nobody waits')
    return waiting
  }

  for (const answer of [false, true, { withinMs: 1 }]) {
    it(`asks again after ${JSON.stringify(answer)}, as long as somebody waits, by its own path`, async () => {
      const waiting = new TrackWait()
      const asked: string[] = []
      const { promise: enough, resolve: done } = Promise.withResolvers<void>()
      const resolver = new PathResolver({
        path: 'live/own',
        waiting,
        intervalMs: 1,
        hasPublisher: () => false,
        wait: () => {},
        resolve: async ({ streamPath }) => {
          asked.push(streamPath)
          if (asked.length === 4) done()
          return answer
        },
      })
      resolver.begin()
      await turn()
      expect(asked).to.eql([])
      const one = await subscriber()
      void waiting.enter(one)
      resolver.begin()
      await enough
      waiting.release(one)
      await turn()
      expect(asked).to.eql(Array(4).fill('live/own'))
    })
  }
})
