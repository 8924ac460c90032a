import { expect } from 'chai'
import { StreamDenied, type SessionRequest } from 'sluice/sdk'
import { Gatekeeper } from '../auth/gatekeeper.ts'
import { recordingLog } from './fixtures/recording-log.ts'
import { closeRigs, initOf, RegistryRig, Source } from './fixtures/registry-rig.ts'

/** All gates; the control server is not there, and so refuses everybody. */
const GATES = {
  enableauth: true,
  publish: { key: 'publish-key' },
  subscribe: { key: 'play-key' },
  signed_policy: { enable: true, secret: 'policy-secret' },
  admission_webhook: { enable: true, url: 'http://127.0.0.1:1/' },
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('a ticket', () => {
  let rig: RegistryRig
  let keeper: Gatekeeper
  let asked: SessionRequest[]
  beforeEach(async () => {
    rig = new RegistryRig(GATES)
    const section = () => ({ enabled: true, values: rig.config })
    keeper = new Gatekeeper({ log: recordingLog().log, config: { global: rig.config, declared: [], section } })
    const admit = keeper.admit.bind(keeper)
    Object.assign(rig.gatekeeper, { admit, authenticate: keeper.authenticate.bind(keeper) })
    asked = []
    rig.taps.subscribe = async (_name, request) => void asked.push(request)
    const own = { ...initOf('live/a'), type: 'vod' } as const
    new Source(await rig.streams.manager.publish(own), 0).write('K1 a1')
  })
  afterEach(async () => {
    closeRigs()
    await keeper.close(0)
  })

  const play = (streamPath: string, query: string) =>
    rig.subscribe(streamPath, { query, url: `rtsp://host/${streamPath}?${query}` })

  it('lets one play its path past all gates, as the server itself does, and nobody sees it', async () => {
    const { manager } = rig.streams
    expect(await failure(play('live/a', 'a=1'))).to.be.instanceOf(StreamDenied)
    const { query } = manager.ticket('/live/a/')
    expect(query).to.match(/^ticket=[0-9a-f]{32}$/u)
    expect(manager.hasTicket('live/a', query)).to.equal(true)
    await play('live/a', `a=1&${query}&submode=3`)
    await play('/live/a', query)
    await manager.authenticate(initOf('live/a', { query }))
    expect(asked.map(({ type, url, query: shown }) => [type, url, shown])).to.eql([
      ['transform', 'rtsp://host/live/a?a=1&submode=3', 'a=1&submode=3'],
      ['transform', 'rtsp://host//live/a', ''],
    ])
    expect(asked[0]?.params).to.deep.include({ a: '1', submode: '3' }).and.not.have.property('ticket')
    expect(manager.get('live/a')?.subscriberCount).to.equal(0)
    const shown = JSON.stringify([rig.lines, manager.subscribers(), asked])
    expect(shown).not.to.include(query.slice('ticket='.length))
  })

  it('lets nobody do anything else', async () => {
    const { manager } = rig.streams
    const { query } = manager.ticket('live/a')
    const wrong = `${query.slice(0, -1)}${query.endsWith('0') ? '1' : '0'}`
    for (const other of [
      wrong,
      query.slice(0, -1),
      `${query}0`,
      `x${query}`,
      query.toUpperCase(),
      'ticket=',
      'ticket',
    ]) {
      expect(await failure(play('live/a', other)), other).to.be.instanceOf(StreamDenied)
      expect(manager.hasTicket('live/a', other), other).to.equal(false)
    }
    expect(await failure(play('live/b', query))).to.be.instanceOf(StreamDenied)
    expect(await failure(rig.publish('live/a', { query }))).to.be.instanceOf(StreamDenied)
    expect(await failure(manager.talk(initOf('live/a', { query }), []))).to.be.instanceOf(StreamDenied)
  })

  it('is worth nothing once it was revoked, and others for the path go on', async () => {
    const { manager } = rig.streams
    const [one, other] = [manager.ticket('live/a'), manager.ticket('live/a')]
    one.revoke()
    one.revoke()
    expect(await failure(play('live/a', one.query))).to.be.instanceOf(StreamDenied)
    await play('live/a', other.query)
    other.revoke()
    expect(manager.hasTicket('live/a', other.query)).to.equal(false)
  })

  it('ends with the generation that has made it', async () => {
    const maker = rig.owner({}, 'maker')
    const { query } = maker.manager.ticket('live/a')
    await play('live/a', query)
    maker.close('replaced')
    expect(await failure(play('live/a', query))).to.be.instanceOf(StreamDenied)
    expect(() => maker.manager.ticket('live/a')).to.throw('replaced')
  })

  it('is for stream paths', () => {
    expect(() => rig.streams.manager.ticket('live/../a')).to.throw('stream path')
  })
})
