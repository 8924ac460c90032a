import { expect } from 'chai'
import { StreamUnavailable, type CloseReason } from 'sluice/sdk'
import type { HandlerOwner } from '../auth/auth-handlers.ts'
import { Gatekeeper } from '../auth/gatekeeper.ts'
import { turn } from './fixtures/muxer-rig.ts'
import { recordingLog } from './fixtures/recording-log.ts'
import { CountingGate, RegistryRig, closeRigs, initOf } from './fixtures/registry-rig.ts'

function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'admitted',
    (error: unknown) => (error instanceof StreamUnavailable ? error.message : error),
  )
}

describe('OwnedStreams', () => {
  afterEach(closeRigs)

  it('counts the sessions that run, wait or are being admitted', async () => {
    const rig = new RegistryRig()
    const { streams } = rig
    const publishing = rig.publish('live/a')
    expect(streams.sessionCount).to.equal(1)
    const publisher = await publishing
    const waiting = rig.subscribe('live/b')
    await turn()
    expect(streams.sessionCount).to.equal(2)
    const other = await rig.source('live/b', 0, rig.owner())
    const subscriber = await waiting
    expect(streams.sessionCount).to.equal(2)
    publisher.close()
    subscriber.close()
    other.publisher.close()
    expect(streams.sessionCount).to.equal(0)
  })

  it("ends its own sessions and nobody else's, and takes no new ones", async () => {
    const rig = new RegistryRig()
    const other = rig.owner()
    const source = await rig.source('live/a', 0, other)
    const subscriber = await rig.subscribe('live/a')
    const waiting = rig.subscribe('live/b')
    await turn()
    let reason: CloseReason | undefined
    subscriber.onClose((why) => (reason = why))
    const late = rig.publish('live/c')
    rig.streams.close('replaced')
    expect(reason).to.deep.equal({ code: 'unloaded', text: 'replaced' })
    expect(await codeOf(waiting)).to.equal('replaced')
    expect(await codeOf(late)).to.equal('replaced')
    rig.notices.length = 0
    expect(await codeOf(rig.publish('live/d'))).to.equal('replaced')
    expect(await codeOf(rig.subscribe('live/a'))).to.equal('replaced')
    expect(rig.notices).to.be.empty
    expect(rig.streams.sessionCount).to.equal(0)
    expect(rig.registry.list()).to.have.length(1)
    source.publisher.close()
  })

  it('lets no request through its gates once it has ended, or while it ends', async () => {
    const rig = new RegistryRig()
    const gate = new CountingGate()
    rig.gates.playAuth.push(gate)
    const ask = () => codeOf(rig.streams.manager.authenticate(initOf('live/a')))
    expect(await ask()).to.equal('admitted')
    gate.onAsked = () => rig.streams.close('replaced')
    expect(await ask()).to.equal('replaced')
    expect(await ask()).to.equal('replaced')
    expect(gate.asked).to.equal(2)
  })

  it('admits players who get no stream by all gates, and ends them with the others', async () => {
    const rig = new RegistryRig()
    const gate = new CountingGate()
    gate.streamPath = 'live/b'
    rig.gates.play.push(gate)
    const admit = () => rig.streams.manager.admit(initOf('live/a'))
    const plays = [await admit(), await admit()]
    expect(plays.map(({ streamPath }) => streamPath)).to.eql(['live/b', 'live/b'])
    expect([rig.streams.sessionCount, gate.ended]).to.eql([2, 0])
    plays[0]?.close()
    expect([rig.streams.sessionCount, gate.ended]).to.eql([1, 1])
    let reason: CloseReason | undefined
    plays[1]?.onClose((why) => (reason = why))
    gate.onAsked = () => rig.streams.close('replaced')
    expect(await codeOf(admit())).to.equal('replaced')
    expect(reason).to.eql({ code: 'unloaded', text: 'replaced' })
    expect([rig.streams.sessionCount, gate.ended]).to.eql([0, 3])
  })

  it('applies another config to the sessions to come', async () => {
    const rig = new RegistryRig()
    const { streams } = rig
    const before = await rig.publish('live/a')
    streams.configure({ ...rig.config, publish: { ...rig.config.publish, pubaudio: false } })
    const after = await rig.publish('live/b')
    expect([before.config.pubaudio, after.config.pubaudio]).to.deep.equal([true, false])
  })

  it('lists streams and subscribers as snapshots', async () => {
    const rig = new RegistryRig()
    const source = await rig.source('live/a')
    source.publisher.setMetadata({ title: 'a' })
    await rig.subscribe('live/a', { client: { ip: '2001:db8::1', port: 5000, userAgent: '' } })
    const { manager } = rig.streams
    expect(manager.list()).to.have.length(1)
    expect(manager.get('live/a')).to.include({ path: 'live/a', pluginName: 'fake', type: 'server', subscriberCount: 1 })
    expect(manager.get('live/a')?.metadata).to.deep.equal({ title: 'a' })
    expect(manager.subscribers('live/a')[0]).to.include({ streamPath: 'live/a', remoteAddr: '[2001:db8::1]:5000' })
    expect(manager.subscribers()).to.have.length(1)
    expect(manager.get('live/b')).to.equal(undefined)
  })

  it('puts the auth handler that was there before back when it is disposed of', async () => {
    const set: string[] = []
    const rig = new RegistryRig()
    Object.assign(rig.gatekeeper, {
      setHandler: ({ plugin }: HandlerOwner, handler: unknown) =>
        set.push(`${plugin} ${handler === null ? 'none' : 'set'}`),
      removeHandler: ({ plugin }: HandlerOwner) => set.push(`${plugin} removed`),
    })
    const [one, two] = [rig.owner({}, 'one'), rig.owner({}, 'two')]
    one.manager.setStreamAuthHandler(() => true)
    two.manager.set_stream_auth_handler(() => true)
    two.manager.setStreamAuthHandler(null)
    two.dispose()
    two.manager.setStreamAuthHandler(() => true)
    expect(set).to.deep.equal(['one set', 'two set', 'two none', 'two removed'])
  })

  it('has the latest handler asked, as the gatekeeper keeps them', async () => {
    const rig = new RegistryRig({ enableauth: true, publish: { key: 'k' } })
    const section = () => ({ enabled: true, values: rig.config })
    const config = { global: rig.config, declared: [], section }
    const gatekeeper = new Gatekeeper({ log: recordingLog().log, config })
    Object.assign(rig.gatekeeper, {
      admit: gatekeeper.admit.bind(gatekeeper),
      setHandler: gatekeeper.setHandler.bind(gatekeeper),
      removeHandler: gatekeeper.removeHandler.bind(gatekeeper),
    })
    const [one, two] = [rig.owner({}, 'one'), rig.owner({}, 'two')]
    const asked: string[] = []
    one.manager.setStreamAuthHandler(() => void asked.push('one'))
    two.manager.setStreamAuthHandler(() => void asked.push('two'))
    await one.manager.publish(initOf('live/a'))
    two.dispose()
    await one.manager.publish(initOf('live/b'))
    expect(asked).to.deep.equal(['two', 'one'])
    await gatekeeper.close(0)
  })
})
