import { expect } from 'chai'
import { publish, type PublishInit } from '../peers/ffmpeg.ts'
import { ffprobeStreams } from '../peers/ffprobe.ts'
import { PeerProcess, type PeerExit } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { ControlServer } from './control-server.ts'
import { policyQuery, signatureQuery } from './signing.ts'

const VIDEO_ONLY: Omit<PublishInit, 'url'> = { audio: false, video: { size: '160x120' }, durationSeconds: 30 }

/** All three gates, each with what it needs. */
function configOf(control: ControlServer): string {
  return `
global:
  enable_auth: true
  publish: { key: s3cret-publish }
  subscribe: { key: s3cret-subscribe }
  signed_policy: { enable: true, secret: s3cret-policy, expire_query: until }
  admission_webhook: { enable: true, url: ${control.url}, secret: s3cret-webhook, notify_closing: true }
`
}

function query(action: 'publish' | 'play', protocol: string, wrong?: 'signature' | 'policy'): string {
  const key = action === 'publish' ? 's3cret-publish' : 's3cret-subscribe'
  const pathOf = (gate: typeof wrong) => (gate === wrong ? 'live/other' : 'live/test')
  const policy = policyQuery('s3cret-policy', { protocol, action, streamPath: pathOf('policy') })
  return `${signatureQuery(key, pathOf('signature'))}&${policy}`
}

describe('gates before ffmpeg', () => {
  let server: RunningServer
  let control: ControlServer

  before(function () {
    requirePeer(this, 'ffmpeg')
  })
  beforeEach(async () => {
    control = await ControlServer.start()
    server = await startServer({ config: configOf(control) })
  })

  async function published(): Promise<PeerProcess> {
    const source = publish({ ...VIDEO_ONLY, url: server.rtmp(`live/test?${query('publish', 'rtmp')}`) })
    await waitFor(() => server.server.streams.get('live/test') !== undefined, { what: 'the stream' })
    return source
  }

  /** Runs a client that is to be turned away. */
  async function refused(client: PeerProcess): Promise<{ readonly exit: PeerExit; readonly stderr: string }> {
    const exit = await client.exit
    return { exit, stderr: client.stderr }
  }

  it('let it publish and play by RTMP and HTTP-FLV when all agree', async () => {
    const source = await published()
    const rtmp = server.rtmp(`live/test?${query('play', 'rtmp')}`)
    const flv = server.http(`/flv/live/test.flv?${query('play', 'flv')}`)
    for (const url of [rtmp, flv]) {
      const streams = await ffprobeStreams(url, { input: ['-probesize', '100000'] })
      expect(streams.map(({ codec, width }) => ({ codec, width }))).to.eql([{ codec: 'h264', width: 160 }])
    }
    expect(source.exited).to.equal(undefined)
    expect(control.openings.map(({ fields }) => [fields.action, fields.protocol, fields.stream_path])).to.eql([
      ['publish', 'rtmp', 'live/test'],
      ['play', 'rtmp', 'live/test'],
      ['play', 'flv', 'live/test'],
    ])
    expect(control.openings[0]?.fields.url).to.match(/^rtmp:\/\/127\.0\.0\.1:\d+\/live\/test\?secret=[0-9a-f]{32}&/u)
    expect(control.openings[2]?.fields.url).to.match(/^http:\/\/127\.0\.0\.1:\d+\/flv\/live\/test\.flv\?secret=/u)
    expect(control.openings[0]?.fields.client.user_agent).to.match(/^FMLE/u)
    expect(control.openings[2]?.fields.client.user_agent).to.match(/^Lavf/u)
    await source.close()
    // RTMP's publisher and player; HTTP-FLV has no lasting sessions.
    const closings = await control.waitForClosings(2)
    expect(closings.map(({ fields }) => fields.protocol)).to.eql(['rtmp', 'rtmp'])
  })

  const wrongs = ['signature', 'policy', 'webhook'] as const
  for (const wrong of wrongs) {
    const gate = wrong === 'webhook' ? undefined : wrong

    it(`turn its publishing away at the ${wrong}`, async () => {
      if (wrong === 'webhook') control.rule = () => ({ body: { allowed: false, reason: 'r3ason' } })
      const url = server.rtmp(`live/test?${query('publish', 'rtmp', gate)}`)
      const { exit, stderr } = await refused(publish({ ...VIDEO_ONLY, url }))
      expect(exit.code).not.to.equal(0)
      expect(stderr).to.match(/unauthorized/u)
      expect(stderr).not.to.include('r3ason')
      expect(server.server.streams.list()).to.eql([])
    })

    it(`turn its playing away at the ${wrong}`, async () => {
      await published()
      if (wrong === 'webhook') control.rule = () => ({ body: { allowed: false, reason: 'r3ason' } })
      const rtmp = server.rtmp(`live/test?${query('play', 'rtmp', gate)}`)
      const flv = server.http(`/flv/live/test.flv?${query('play', 'flv', gate)}`)
      const [byRtmp, byFlv] = await Promise.all(
        [rtmp, flv].map((url) => refused(new PeerProcess('ffprobe', ['-v', 'error', '-i', url]))),
      )
      expect(byRtmp?.exit.code).not.to.equal(0)
      expect(byRtmp?.stderr).to.match(/unauthorized/u)
      expect(byFlv?.exit.code).not.to.equal(0)
      expect(byFlv?.stderr).to.match(/401 Unauthorized/u)
      expect(`${byRtmp?.stderr}${byFlv?.stderr}`).not.to.include('r3ason')
      expect(server.server.streams.subscribers()).to.eql([])
    })
  }
})
