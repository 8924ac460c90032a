import { expect } from 'chai'
import { StreamExists, StreamUnavailable } from 'sluice/sdk'
import { closeRigs, endOf, RegistryRig, Source } from './fixtures/registry-rig.ts'

const PATH = 'live/a'
const CONNECTING = { connecting: true } as const

describe('A publisher that sends no media', () => {
  afterEach(closeRigs)

  it('is closed publishtimeout after it was last heard, by media or by a sign of life', async () => {
    const rig = new RegistryRig({ publish: { publishtimeout: '10s' } })
    const source = await rig.source(PATH)
    const { publisher } = rig.registry.get(PATH)!
    const heard = [publisher!.lastHeardMs]
    source.write('K1')
    heard.push(publisher!.lastHeardMs)
    source.publisher.alive()
    heard.push(publisher!.lastHeardMs)
    expect(new Set(heard).size).to.equal(3)
    expect(heard).to.eql(heard.toSorted((one, other) => one - other))
    const end = endOf(source.publisher)
    rig.pulse(5000)
    expect(end).to.eql({})
    rig.pulse(10_000)
    expect(end).to.eql({ code: 'timeout', reason: 'publish timeout' })
  })

  it('is kept as long as its last sign of life holds', async () => {
    const rig = new RegistryRig({ publish: { publishtimeout: '10s' } })
    const { publisher } = await rig.source(PATH)
    const end = endOf(publisher)
    publisher.alive(30_000)
    publisher.alive()
    rig.pulse(20_000)
    expect(end).to.eql({})
    rig.pulse(30_000)
    expect(end).to.eql({ code: 'timeout', reason: 'publish timeout' })
  })

  it('is closed after mediatimeout, however alive it is, where there is one', async () => {
    const rig = new RegistryRig({ publish: { publishtimeout: '10s', mediatimeout: '20s' } })
    const source = await rig.source(PATH)
    const { publisher } = source
    const end = endOf(publisher)
    source.write('K1')
    publisher.alive(3_600_000)
    publisher.setPaused(true)
    rig.pulse(20_000)
    expect(end, 'paused').to.eql({})
    publisher.setPaused(false)
    rig.pulse(10_000)
    expect(end).to.eql({})
    rig.pulse(20_000)
    expect(end).to.eql({ code: 'timeout', reason: 'media timeout' })
  })
})

describe('A publisher that has yet to connect', () => {
  afterEach(closeRigs)

  it('has its path, and nothing else is seen of it until it is heard', async () => {
    const rig = new RegistryRig({ publish: { publishtimeout: '10s', idletimeout: '5s', mediatimeout: '10s' } })
    const publisher = await rig.publish(PATH, {}, CONNECTING)
    const end = endOf(publisher)
    rig.pulse(60_000)
    expect([rig.registry.list(), rig.registry.get(PATH), rig.notices, end]).to.eql([[], undefined, [], {}])
    expect(await rig.publish(PATH).catch((error: unknown) => error)).to.be.instanceOf(StreamExists)
    publisher.alive()
    publisher.alive()
    expect(rig.registry.list().map(({ path }) => path)).to.eql([PATH])
    expect(rig.notices).to.eql([`published ${PATH}`])
    rig.pulse(5000)
    expect(end).to.eql({ code: 'idle', reason: 'publish idle timeout' })
  })

  it('is heard by its first track, and has its subscribers from then on', async () => {
    const rig = new RegistryRig()
    const publisher = await rig.publish(PATH, {}, CONNECTING)
    const subscribing = rig.subscribe(PATH)
    const source = new Source(publisher, 0)
    publisher.tracksComplete()
    source.write('K1')
    const { tracks } = await subscribing
    expect(tracks.map(({ kind }) => kind)).to.eql(['video', 'audio'])
    expect(rig.notices[0]).to.equal(`published ${PATH}`)
  })

  it('leaves nothing when it ends before, and no hook hears of it, but the gates that admitted it', async () => {
    const rig = new RegistryRig()
    let notices = 0
    rig.gates.publish.push({ name: 'notice', check: async () => ({ onEnd: () => (notices += 1) }) })
    const publisher = await rig.publish(PATH, {}, CONNECTING)
    expect(notices).to.equal(0)
    publisher.close('it was not reached')
    expect(notices).to.equal(1)
    publisher.alive()
    expect([rig.registry.pathCount, rig.registry.list(), rig.notices]).to.eql([0, [], []])
    await rig.source(PATH)
    expect(rig.notices[0]).to.equal(`published ${PATH}`)
  })

  it('counts as a stream, gives way as others do, and ends with the server', async () => {
    const rig = new RegistryRig({ publish: { maxcount: 1, kickexist: true } })
    const first = endOf(await rig.publish(PATH, {}, CONNECTING))
    expect(await rig.publish('live/b').catch((error: unknown) => error)).to.be.instanceOf(StreamUnavailable)
    const second = endOf(await rig.publish(PATH, {}, CONNECTING))
    expect(first).to.include({ code: 'kick' })
    rig.registry.close('the server is stopping')
    expect(second).to.include({ code: 'unloaded' })
  })
})
