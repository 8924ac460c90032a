import { expect } from 'chai'
import { closeRigs, RegistryRig } from './fixtures/registry-rig.ts'

describe('StreamIndex', () => {
  let rig: RegistryRig
  beforeEach(() => {
    rig = new RegistryRig({ subscribe: { waittimeout: '60s' }, publish: { kickexist: true } })
  })
  afterEach(closeRigs)

  const published = () => [...rig.registry.index.published].map(({ path }) => path)

  it('has the streams with a publisher, once each, whoever replaces whom', async () => {
    const first = await rig.source('live/a')
    await rig.source('live/b')
    expect(published()).to.eql(['live/a', 'live/b'])
    const second = await rig.source('live/a')
    expect(published()).to.eql(['live/b', 'live/a'])
    first.publisher.close()
    expect(published()).to.eql(['live/b', 'live/a'])
    second.publisher.close()
    expect(published()).to.eql(['live/b'])
  })

  it('knows nothing of what is published nowhere', async () => {
    await rig.publish('test/a', {}, { unlisted: true })
    expect(published()).to.eql([])
  })

  it('finds subscribers by id and counts them by type: those that wait, were moved and have left', async () => {
    const { index } = rig.registry
    await rig.source('live/a')
    await rig.source('live/b')
    const viewer = await rig.subscribe('live/a')
    const relay = await rig.subscribe('live/a', { type: 'transform' })
    const leaving = new AbortController()
    const waiting = rig.subscribe('live/none', { signal: leaving.signal }).catch(() => 'left')
    const counts = () => [index.subscribers.size, index.countOf('server'), index.countOf('transform')]
    while (index.subscribers.size < 3) await new Promise(setImmediate)
    expect(counts()).to.eql([3, 2, 1])
    rig.streams.manager.move([viewer.id], 'live/b')
    rig.registry.send([rig.registry.subscriber(relay.id)!], 'live/b')
    expect(counts()).to.eql([3, 2, 1])
    expect(index.subscribers.get(relay.id)?.sourcePath).to.equal('live/b')
    leaving.abort()
    expect(await waiting).to.equal('left')
    relay.close()
    relay.close()
    expect(counts()).to.eql([1, 1, 0])
    expect([...index.subscribers.keys()]).to.eql([viewer.id])
    viewer.close()
    expect(counts()).to.eql([0, 0, 0])
  })

  it('agrees with what hooks are told: who has ended is not there any more', async () => {
    const { publisher } = await rig.source('live/a')
    const viewer = await rig.subscribe('live/a')
    const seen: number[][] = []
    viewer.onClose(() => void seen.push([rig.registry.index.subscribers.size, rig.registry.index.published.size]))
    publisher.onClose(() => void seen.push([rig.registry.index.subscribers.size, rig.registry.index.published.size]))
    viewer.close()
    publisher.close()
    expect(seen).to.eql([
      [0, 1],
      [0, 0],
    ])
  })
})
