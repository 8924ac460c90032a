import { expect } from 'chai'
import type { SessionView } from '../server/session-list.ts'
import { PLAY_OFFER, PUBLISH_OFFER, SignallingRig } from '../fixtures/signalling-rig.ts'

describe('sessions of WebRTC', () => {
  let rig: SignallingRig
  beforeEach(async () => (rig = await SignallingRig.start()))

  async function listed(): Promise<SessionView[]> {
    const response = await rig.request('GET', 'api/sessions')
    return ((await response.json()) as { data: SessionView[] }).data
  }

  const lines = () => rig.server.log.filter(({ plugin, level }) => plugin === 'webrtc' && level !== 'debug')

  it('show how they are connected, and what became of their media', async () => {
    await rig.offer('whip/live/a', PUBLISH_OFFER)
    expect((await listed()).map(({ state, checks }) => ({ state, checks }))).to.eql([
      { state: 'checking', checks: ['udp 192.0.2.1:9000 → 192.0.2.12:64386: no answer'] },
    ])
    rig.transport.succeed()
    const [session] = await listed()
    expect(session).to.deep.include({
      action: 'publish',
      streamPath: 'live/a',
      state: 'connected',
      reason: '',
      pair: 'udp 192.0.2.1:9000 192.0.2.12:64386',
      profile: 'SRTP_AEAD_AES_128_GCM',
    })
    expect(session?.remoteAddr).to.match(/^127\.0\.0\.1:\d+$/u)
    expect(lines().map(({ msg }) => msg)).to.include.members(['publish', 'connected'])
  })

  it('are published from when they are connected, and have their path before that', async () => {
    await rig.offer('whip/live/a', PUBLISH_OFFER)
    expect(rig.server.streams.list()).to.eql([])
    expect((await rig.offer('whip/live/a', PUBLISH_OFFER)).status).to.equal(409)
    rig.transport.succeed()
    expect(rig.server.streams.list().map(({ path }) => path)).to.eql(['live/a'])
  })

  it('keep what was tried, when the peer could not be reached', async () => {
    await rig.offer('whip/live/a', PUBLISH_OFFER)
    rig.transport.fail('ICE failed: nothing answered')
    expect(rig.server.streams.get('live/a')).to.equal(undefined)
    const [failed] = await listed()
    expect(failed).to.deep.include({ state: 'failed', reason: 'ICE failed: nothing answered', action: 'publish' })
    expect(failed?.checks).to.eql(['udp 192.0.2.1:9000 → 192.0.2.12:64386: no answer'])
    const problem = rig.server.problems.find(({ msg }) => msg === 'the peer could not be reached')
    expect(problem).to.deep.include({ stream: 'live/a', checks: failed?.checks })
  })

  it('are kept in bounds, when many fail', async () => {
    for (let count = 0; count < 60; count++) {
      await rig.offer(`whip/live/${count}`, PUBLISH_OFFER)
      rig.transport.fail('ICE failed')
    }
    const paths = (await listed()).map(({ streamPath }) => streamPath)
    expect([paths.length, paths[0], paths.at(-1)]).to.eql([50, 'live/10', 'live/59'])
  })

  it('ask their publishers for keyframes, and say when all tracks are there', async () => {
    await rig.server.configure({ pli: '5s' })
    await rig.offer('whip/live/a', PUBLISH_OFFER)
    const [ingest] = rig.parts.ingests
    expect(ingest?.init.pliIntervalMs).to.equal(5000)
    expect(ingest?.init.medias.map(({ kind }) => kind)).to.eql(['audio', 'video'])
    rig.transport.succeed()
    ingest?.init.sink.addTrack({
      kind: 'audio',
      codec: 'opus',
      timescale: 48e3,
      config: {
        record: Buffer.alloc(0),
        sampleRate: 48e3,
        channels: 2,
        codecString: 'opus',
      },
    })
    rig.transport.init.handlers.rtp(Buffer.alloc(12))
    expect(rig.server.streams.get('live/a')?.tracks.map(({ codec }) => codec)).to.eql(['opus'])
  })

  it('end once, whichever end comes first', async () => {
    await rig.publish()
    await rig.offer('whep/live/a', PLAY_OFFER)
    rig.transport.succeed()
    rig.transport.fail('no consent any more')
    rig.transport.fail('again')
    const [playout] = rig.parts.playouts
    expect([playout?.isClosed, rig.transport.isClosed]).to.eql([true, true])
    expect(lines().filter(({ msg }) => msg === 'play ended')).to.have.length(1)
    expect(lines().find(({ msg }) => msg === 'play ended')).to.include({ reason: 'no consent any more' })
    expect(await listed()).to.eql([])
    expect(rig.server.problems).to.eql([])
  })

  it('end with the server', async () => {
    await rig.offer('whip/live/a', PUBLISH_OFFER)
    await rig.server.stop()
    expect([rig.transport.isClosed, rig.parts.ingests[0]?.isClosed]).to.eql([true, true])
  })
})
