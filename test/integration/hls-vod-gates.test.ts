import { expect } from 'chai'
import { ControlServer } from '../gates/control-server.ts'
import { policyQuery, signatureQuery, soon } from '../gates/signing.ts'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { addressesIn, ask } from '../support/hls-client.ts'
import { finishedFiles } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const KEY = 's3cret-subscribe-key'
const POLICY = 's3cret-of-the-policy'
const TARGET = 'live/gated'
const ALL = 'start=1500000000'

function gatesOf(plugin: string, control: ControlServer): string {
  return `
${plugin}:
  onpub: { record: { 'live/.*': { filepath: '$0' } } }
  enableauth: true
  subscribe: { key: ${KEY} }
  signed_policy: { enable: true, secret: ${POLICY}, expire_query: until, actions: [play] }
  admission_webhook: { enable: true, url: ${control.url}, actions: [play] }
`
}

describe('the gates of recordings', () => {
  let server: RunningServer
  let control: ControlServer

  before(async function () {
    requirePeer(this, 'ffmpeg')
    control = await ControlServer.start()
    server = await startServer({
      config: `${gatesOf('hls', control)}${gatesOf('flv', control)}${gatesOf('mp4', control)}`,
    })
    await publish({ url: server.rtmp(TARGET), durationSeconds: 3 }).succeed()
    for (const type of ['hls', 'flv', 'mp4']) await finishedFiles(server, type)
  })
  beforeEach(() => {
    control.requests.length = 0
    control.rule = () => ({ body: { allowed: true } })
  })
  after(async () => {
    expect(server.problems).to.eql([])
    const log = JSON.stringify(server.records)
    for (const secret of [KEY, POLICY, 'secret=', 'policy=']) expect(log).not.to.include(secret)
    await server.stop()
    await control.close()
  })

  const claims = (protocol: string, streamPath = TARGET) => ({ protocol, action: 'play', streamPath })
  const right = (protocol: string, streamPath = TARGET) =>
    `${signatureQuery(KEY, streamPath)}&${policyQuery(POLICY, claims(protocol, streamPath))}`
  const wrong = (protocol: string) => [
    'a=b',
    signatureQuery(KEY, TARGET),
    policyQuery(POLICY, claims(protocol)),
    `${signatureQuery(KEY, 'live/other')}&${policyQuery(POLICY, claims(protocol))}`,
    `${signatureQuery(KEY, TARGET, soon() - 7200)}&${policyQuery(POLICY, claims(protocol))}`,
    `${signatureQuery(KEY, TARGET)}&${policyQuery(POLICY, claims('rtmp'))}`,
    `${signatureQuery(KEY, TARGET)}&${policyQuery(POLICY, claims(protocol, 'live/other'))}`,
  ]
  const asked = () => control.openings.map(({ fields }) => [fields.protocol, fields.action, fields.stream_path])

  it('are asked for a playlist, all of them, and for its segments those that look at the query', async () => {
    const playlists = [
      `${TARGET}.m3u8?${ALL}`,
      `${TARGET}/index.m3u8?${ALL}`,
      `vod/ts.m3u8?streamPath=${TARGET}&${ALL}`,
    ]
    for (const playlist of playlists) {
      const answer = await ask(server.http(`/hls/${playlist}&${right('hls')}`))
      expect(answer.status, answer.text).to.equal(200)
      const [segment = ''] = addressesIn(answer, /\.ts\?/u)
      expect((await fetch(segment)).status).to.equal(200)
      for (const query of wrong('hls')) {
        const bare = segment.slice(0, segment.indexOf('&secret='))
        const refused = [server.http(`/hls/${playlist}&${query}`), `${bare}&${query}`]
        const statuses = await Promise.all(refused.map(async (address) => (await ask(address)).status))
        expect(statuses, query).to.eql([401, 401])
      }
    }
    expect(asked()).to.eql(playlists.map(() => ['hls', 'play', TARGET]))
  })

  const KINDS = { ts: /\.ts\?/u, fmp4: /\.fmp4\?/u } as const

  it('are all asked for segments and files that no playlist listed', async () => {
    for (const [kind, ending] of Object.entries(KINDS)) {
      const playlist = await ask(server.http(`/hls/vod/${kind}.m3u8?streamPath=${TARGET}&${ALL}&${right('hls')}`))
      const [listed = ''] = addressesIn(playlist, ending)
      const bare = listed.replace(/&seg=[\w.-]+/u, '')
      const made = [bare, listed.replace('&seg=', '&seg=x'), bare.replace(/(start|id)=\d+/u, '$1=1500000000')]
      control.rule = () => ({ body: { allowed: false } })
      control.requests.length = 0
      expect((await fetch(listed)).status, listed).to.equal(200)
      expect(asked()).to.eql([])
      for (const address of made) expect((await ask(address)).status, address).to.equal(401)
      expect(asked()).to.eql(made.map(() => ['hls', 'play', TARGET]))
      control.rule = () => ({ body: { allowed: true } })
      expect((await fetch(bare)).status, bare).to.equal(200)
    }
  })

  it('lead to segments and files of another stream by the signature for the one that is asked for', async () => {
    control.rule = () => ({ body: { allowed: true, stream_path: TARGET } })
    for (const [kind, ending] of Object.entries(KINDS)) {
      const query = `streamPath=live/other&${ALL}&${right('hls', 'live/other')}`
      const playlist = await ask(server.http(`/hls/vod/${kind}.m3u8?${query}`))
      const addresses = addressesIn(playlist, ending)
      expect(addresses).to.have.length.above(0)
      control.requests.length = 0
      for (const address of addresses) expect((await fetch(address)).status, address).to.equal(200)
      expect(asked()).to.eql([])
    }
  })

  it('are asked for pictures and parts of recordings', async () => {
    control.rule = () => ({ body: { allowed: false } })
    for (const target of ['snap', 'extract/gop', 'extract/compressed']) {
      const { status } = await ask(server.http(`/mp4/${target}/${TARGET}?targetTime=1500000000&${ALL}&${right('mp4')}`))
      expect(status, target).to.equal(401)
    }
    expect(asked()).to.eql(Array.from({ length: 3 }, () => ['mp4', 'play', TARGET]))
    control.rule = () => ({ body: { allowed: true, stream_path: TARGET } })
    const query = `${ALL}&${right('mp4', 'live/other')}`
    expect((await fetch(server.http(`/mp4/extract/compressed/live/other?${query}`))).status).to.equal(200)
  })

  it('are asked for a download of FLV', async () => {
    const target = server.http(`/flv/download/${TARGET}?${ALL}`)
    expect((await fetch(`${target}&${right('flv')}`)).status).to.equal(200)
    for (const query of wrong('flv')) expect((await ask(`${target}&${query}`)).status, query).to.equal(401)
    expect(asked()).to.eql([['flv', 'play', TARGET]])
  })

  it('keep out whom the control server refuses, and lead to the recordings of another stream', async () => {
    const addresses = [
      server.http(`/hls/${TARGET}.m3u8?${ALL}&${right('hls')}`),
      server.http(`/flv/download/${TARGET}?${ALL}&${right('flv')}`),
    ]
    control.rule = () => ({ body: { allowed: false, reason: 'not you' } })
    for (const address of addresses) {
      const { status, text } = await ask(address)
      expect([status, text.includes('not you')]).to.eql([401, false])
    }
    control.rule = () => ({ body: { allowed: true, stream_path: 'live/nothing' } })
    for (const address of addresses) expect((await ask(address)).status).to.equal(404)
  })
})
