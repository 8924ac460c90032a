import { expect } from 'chai'
import { StreamDenied, StreamExists, StreamNotFound, StreamRedirect, StreamUnavailable } from 'sluice/sdk'
import { RegistryRig, closeRigs } from './fixtures/registry-rig.ts'

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('the undo of admission hooks', () => {
  afterEach(closeRigs)

  let rig: RegistryRig
  let undone: number
  beforeEach(() => {
    rig = new RegistryRig({ subscribe: { waittimeout: '20ms' } })
    undone = 0
    rig.taps.publish = async () => () => void undone++
    rig.taps.subscribe = rig.taps.publish
  })

  it('is called when a publisher ends, and once', async () => {
    const publisher = await rig.publish('live/a')
    expect(undone).to.equal(0)
    publisher.close()
    publisher.close()
    expect(undone).to.equal(1)
  })

  it('is called when a subscriber ends', async () => {
    await rig.source('live/a')
    const subscriber = await rig.subscribe('live/a')
    expect(undone).to.equal(0)
    subscriber.close()
    expect(undone).to.equal(1)
  })

  it('is called when the path is taken', async () => {
    await rig.publish('live/a')
    expect(await failure(rig.publish('live/a'))).to.be.instanceOf(StreamExists)
    expect(undone).to.equal(1)
    expect(rig.registry.get('live/a')).not.to.equal(undefined)
  })

  it('is called when what the query sets is not valid', async () => {
    await failure(rig.subscribe('live/a', { query: 'waittimeout=never' }))
    await failure(rig.subscribe('live/a', { query: 'submode=7' }))
    expect(undone).to.equal(2)
  })

  it('is called when nobody publishes in time', async () => {
    expect(await failure(rig.subscribe('live/a'))).to.be.instanceOf(StreamNotFound)
    expect(undone).to.equal(1)
  })

  it('is called when the client has left meanwhile', async () => {
    const leaving = new AbortController()
    const { promise, resolve } = Promise.withResolvers<() => void>()
    rig.taps.publish = () => promise
    const publishing = failure(rig.publish('live/a', { signal: leaving.signal }))
    leaving.abort()
    resolve(() => void undone++)
    expect(await publishing).to.be.instanceOf(StreamUnavailable)
    expect([undone, rig.registry.pathCount]).to.eql([1, 0])
  })

  it('is called when the server stops meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<() => void>()
    rig.taps.publish = () => promise
    const publishing = failure(rig.publish('live/a'))
    rig.registry.close('over')
    resolve(() => void undone++)
    expect(await publishing).to.be.instanceOf(StreamUnavailable)
    expect(undone).to.equal(1)
  })
})

describe('a redirect by an admission hook', () => {
  afterEach(closeRigs)

  const cases = [
    { url: 'https://b.example/live/a.flv', expected: 'https://b.example/live/a.flv?secret=1&x=%20' },
    { url: 'https://b.example/live/a.flv?', expected: 'https://b.example/live/a.flv?' },
    { url: 'rtmp://b.example/live/a?key=2', expected: 'rtmp://b.example/live/a?key=2' },
  ]
  for (const { url, expected } of cases) {
    it(`to ${url} leads to ${expected}`, async () => {
      const rig = new RegistryRig()
      rig.taps.subscribe = () => Promise.reject(new StreamRedirect(url))
      const error = await failure(rig.subscribe('live/a', { query: 'secret=1&x=%20' }))
      expect(error).to.be.instanceOf(StreamRedirect).with.property('url', expected)
      expect(error).not.to.be.instanceOf(StreamDenied)
    })
  }
})
