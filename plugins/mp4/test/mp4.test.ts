import { expect } from 'chai'
import type { TrackInit } from 'sluice/sdk'
import { g711Config } from 'sluice/sdk/media'
import { createFakeHost, SCRIPTED_AUDIO, ScriptedPublisher, sessionInit, type FakeHost } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { Mp4Viewer } from '../../../test/support/mp4-viewer.ts'
import mp4 from '../index.ts'

const G711: TrackInit = { kind: 'audio', codec: 'pcma', timescale: 8000, config: g711Config('pcma', 8000, 1) }
const HUGE: TrackInit = {
  kind: 'video',
  codec: 'av1',
  timescale: 1e3,
  config: {
    record: Buffer.from('81000c00', 'hex'),
    width: 65536,
    height: 1080,
    codecString: 'av01.0.00M.08',
  },
}
const TYPE = 'video/mp4; codecs="avc1.64000d,mp4a.40.2"'

describe('the mp4 plugin', () => {
  let host: FakeHost<unknown>
  beforeEach(async () => {
    host = await createFakeHost(mp4, { config: { subscribe: { waittimeout: '100ms' } } })
  })
  afterEach(() => host.dispose())

  const address = (target: string, scheme = 'http') => `${host.http.origin}/mp4/${target}`.replace('http', scheme)

  async function publish(path = 'live/a'): Promise<ScriptedPublisher> {
    return new ScriptedPublisher(await host.streams.publish(sessionInit(path)))
  }

  for (const scheme of ['http', 'ws']) {
    it(`plays over ${scheme}, begun at a keyframe, whatever the address ends with`, async () => {
      const publisher = await publish('live/a b')
      publisher.writeFrames(30)
      for (const target of ['live/a%20b.mp4', 'live/a%20b', 'live/a%20b.MP4?x=1']) {
        const viewer = new Mp4Viewer(address(target, scheme))
        await viewer.wait(5)
        expect(viewer.order).to.match(scheme === 'ws' ? /^tif+$/u : /^if+$/u)
        expect(viewer.pictures()[0]).to.include({ keyframe: true, baseDts: 25 * 3600 })
        viewer.close()
      }
      expect(host.streams.requests.at(-1)).to.include({ streamPath: 'live/a b', query: 'x=1', protocol: 'mp4' })
      expect(host.streams.requests.at(-1)?.url).to.equal(address('live/a%20b.MP4?x=1'))
      await waitFor(() => host.streams.subscribers().length === 0)
      expect(host.log.problems).to.eql([])
    })
  }

  it('says what it sends', async () => {
    const publisher = await publish()
    publisher.writeFrames(1)
    const { status, headers } = await fetch(address('live/a.mp4'), { method: 'HEAD' })
    expect(status).to.equal(200)
    const expected = { 'content-type': TYPE, 'cache-control': 'no-store', connection: 'close' }
    expect(Object.fromEntries(headers)).to.include(expected)
    expect(host.streams.subscribers()).to.eql([])
  })

  it('ends a viewer whose session is ended', async () => {
    const publisher = await publish()
    publisher.writeFrames(1)
    const viewers = ['http', 'ws'].map((scheme) => new Mp4Viewer(address('live/a.mp4', scheme)))
    for (const viewer of viewers) await viewer.wait(1)
    for (const subscriber of host.streams.allSubscribers) subscriber.close('kicked')
    for (const { ended } of viewers) await ended
    expect(host.log.records.filter(({ msg }) => msg === 'play ended').map((record) => record['reason'])).to.eql([
      'kicked',
      'kicked',
    ])
  })

  it('says what it can not carry, and plays the rest', async () => {
    const publisher = await host.streams.publish(sessionInit('live/huge'))
    publisher.addTrack(HUGE)
    const answer = await fetch(address('live/huge.mp4'))
    expect(answer.status).to.equal(404)
    expect(await answer.text()).to.include('MP4 cannot carry av1 of 65536x1080; it carries H.264')
    publisher.addTrack(SCRIPTED_AUDIO)
    const { status, headers } = await fetch(address('live/huge.mp4'), { method: 'HEAD' })
    expect([status, headers.get('content-type')]).to.eql([200, 'audio/mp4; codecs="mp4a.40.2"'])
    const notices = host.log.records.filter(({ msg }) => msg.startsWith('MP4 leaves out'))
    expect(notices).to.have.length(1)
    expect(notices[0]).to.deep.include({ stream: 'live/huge', leftOut: ['av1 of 65536x1080'], level: 30 })
  })

  it('says why there are no pictures of recordings', async () => {
    const answer = await fetch(address('snap/live/a?targetTime=1795391283'))
    expect(answer.status).to.equal(503)
    expect(await answer.text()).to.include('the plugin snap, which does not run')
    const other = await fetch(address('extract/gop/live/a?targetTime=1795391283'))
    expect([other.status, await other.text()]).to.deep.include(503)
    host.streams.denyAll()
    for (const kind of ['snap', 'extract/gop', 'extract/compressed']) {
      expect((await fetch(address(`${kind}/live/a?targetTime=1&start=1`))).status, kind).to.equal(401)
    }
  })

  for (const scheme of ['http', 'ws']) {
    it(`turns ${scheme} viewers away with a status`, async () => {
      const other = await host.streams.publish(sessionInit('live/g711'))
      other.addTrack(G711)
      const statusOf = (target: string) => new Mp4Viewer(address(target, scheme)).status
      expect(await statusOf('live/g711.mp4')).to.equal(404)
      const refusals = host.log.records.filter(({ msg }) => msg.startsWith('refused'))
      expect(refusals).to.have.length(1)
      expect(refusals[0]).to.deep.include({ stream: 'live/g711', leftOut: ['pcma'], level: 30 })
      expect(host.streams.subscribers()).to.eql([])
      expect(await statusOf('live/nobody.mp4')).to.equal(404)
      expect(await statusOf('')).to.equal(400)
      host.streams.denyAll()
      expect(await statusOf('live/g711.mp4')).to.equal(401)
      expect(host.log.problems).to.eql([])
    })
  }
})
