import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { addressesIn, ask, watch, withQuery } from '../support/hls-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { ControlServer } from '../gates/control-server.ts'
import { policyQuery, signatureQuery, soon } from '../gates/signing.ts'

const KEY = 's3cret-subscribe-key'
const POLICY = 's3cret-of-the-policy'
const TARGET = 'live/gated'

function configOf(control: ControlServer, { signature, policy }: { signature: boolean; policy: boolean }): string {
  return `
hls:
  fragment: 1s
  idletimeout: 500ms
  enableauth: ${signature}
  subscribe: { key: ${signature ? KEY : "''"} }
  signed_policy: { enable: ${policy}, secret: ${POLICY}, expire_query: until }
  admission_webhook: { enable: true, url: ${control.url}, notify_closing: true }
`
}

describe('the gates of HLS', () => {
  let server: RunningServer
  let control: ControlServer

  before(function () {
    requirePeer(this, 'ffmpeg')
  })
  afterEach(async () => {
    expect(server.problems).to.eql([])
    const log = JSON.stringify(server.records)
    for (const secret of [KEY, POLICY, 'secret=', 'policy=']) expect(log).not.to.include(secret)
    await server.stop()
    await control.close()
  })

  async function start(gates: { signature: boolean; policy: boolean }, target = TARGET): Promise<void> {
    control = await ControlServer.start()
    server = await startServer({ config: configOf(control, gates) })
    publish({ url: server.rtmp(target), durationSeconds: 30, video: { gopFrames: 25 } })
    await waitFor(() => server.server.streams.get(target))
  }

  const url = (query: string, streamPath = TARGET) => server.http(`/hls/${streamPath}/index.m3u8?${query}`)
  const viewers = () => server.server.streams.subscribers().filter(({ request }) => request.type === 'server')

  it('let in who has all signatures, by one question to the control server, and nobody else', async () => {
    await start({ signature: true, policy: true })
    const claims = { protocol: 'hls', action: 'play', streamPath: TARGET }
    const signature = signatureQuery(KEY, TARGET)
    const right = `${signature}&${policyQuery(POLICY, claims)}`
    const wrong: readonly string[] = [
      '',
      signature,
      policyQuery(POLICY, claims),
      `${signatureQuery(KEY, 'live/other')}&${policyQuery(POLICY, claims)}`,
      `${signatureQuery(KEY, TARGET, soon() - 7200)}&${policyQuery(POLICY, claims)}`,
      `${signature}&${policyQuery(POLICY, { ...claims, protocol: 'flv' })}`,
      `${signature}&${policyQuery(POLICY, claims, soon() - 7200)}`,
    ]
    const viewer = await watch(url(right))
    expect(viewer.multivariant.text).to.include(`video.m3u8?${right}`)
    const files = addressesIn(viewer.media, /\.(?:m4s|mp4)/u)
    const hinted = /PRELOAD-HINT[^\n]*-(\d+)\.(\d+)\.m4s/u.exec(viewer.media.text)
    const reload = `_HLS_msn=${hinted?.[1]}&_HLS_part=${hinted?.[2]}`
    expect((await ask(withQuery(viewer.mediaUrl, reload))).status).to.equal(200)
    for (const file of files) expect((await ask(file)).status).to.equal(200)

    for (const query of wrong) {
      const swap = (address: string) => `${address.split('?')[0]}?${query}`
      const asked = [
        url(query),
        server.http(`/hls/${TARGET}.m3u8?${query}`),
        swap(viewer.mediaUrl),
        swap(files[0] ?? ''),
      ]
      const answers = await Promise.all(asked.map((address) => ask(address)))
      expect(
        answers.map(({ status }) => status),
        query,
      ).to.eql([401, 401, 401, 401])
      for (const { text } of answers) expect(text).to.equal('{"code":16,"message":"unauthorized","details":[]}')
    }
    expect(control.openings.map(({ fields }) => fields.url)).to.eql([url(right)])
    expect(viewers()).to.have.length(1)
  })

  it('ask the control server once for each viewer, and again for one who comes back', async () => {
    await start({ signature: false, policy: false })
    const first = await watch(url('viewer=1'))
    await watch(url('viewer=2'))
    for (const file of addressesIn(first.media, /\.m4s/u)) expect((await ask(file)).status).to.equal(200)
    await ask(first.mediaUrl)
    expect(control.openings.map(({ fields }) => fields.query)).to.eql([{ viewer: '1' }, { viewer: '2' }])
    await waitFor(() => viewers().length === 0)
    const { status, headers } = await ask(first.mediaUrl)
    expect(status).to.equal(302)
    expect(headers.get('location')).to.include('video.m3u8?viewer=1')
    expect(control.openings).to.have.length(3)
    expect(control.closings).to.eql([])
  })

  it('keep out whom the control server refuses, with a session that is not known, too', async () => {
    await start({ signature: false, policy: false })
    control.rule = () => ({ body: { allowed: false, reason: 'not you' } })
    const unknown = server.http(`/hls/${TARGET}/~AAAAAAAAAAAAAAAAAAAAAA/video.m3u8`)
    const answers = await Promise.all(
      [url(''), server.http(`/hls/${TARGET}.m3u8`), unknown].map((address) => ask(address)),
    )
    expect(answers.map(({ status, text }) => `${status} ${text.includes('not you')}`)).to.eql(
      Array.from({ length: 3 }, () => '401 false'),
    )
    expect(server.server.streams.subscribers()).to.eql([])
  })

  it('lead a viewer to another path, by one question and under the address that was asked for', async () => {
    await start({ signature: true, policy: false }, 'hidden/one')
    control.rule = () => ({ body: { allowed: true, stream_path: 'hidden/one' } })
    const { media, mediaUrl } = await watch(url(signatureQuery(KEY, TARGET)))
    expect(media.status).to.equal(200)
    const [file = ''] = addressesIn(media, /\.m4s/u)
    expect(new URL(mediaUrl).pathname).to.match(new RegExp(`^/hls/${TARGET}/~`, 'u'))
    expect(new URL(file).pathname).to.match(new RegExp(`^/hls/${TARGET}/[^/]+$`, 'u'))
    expect((await ask(file)).status).to.equal(200)
    expect((await ask(mediaUrl)).text).to.include('#EXTINF')
    expect(control.openings.map(({ fields }) => fields.stream_path)).to.eql([TARGET])
    expect(viewers().map(({ streamPath }) => streamPath)).to.eql(['hidden/one'])
    const elsewhere = new URL(file).pathname.replace(TARGET, 'live/else')
    expect((await ask(server.http(`${elsewhere}?${signatureQuery(KEY, 'live/else')}`))).status).to.equal(404)
  })

  it('decide for viewers from before they were set, too, whether caches may keep what they get', async () => {
    await start({ signature: false, policy: false })
    const { media } = await watch(url(''))
    const [file = ''] = addressesIn(media, /\.m4s/u)
    const caching = async (query: string) => (await ask(withQuery(file, query))).headers.get('cache-control')
    expect(await caching('')).to.match(/^public,/u)
    await server.writeConfig(configOf(control, { signature: true, policy: false }))
    await waitFor(async () => (await ask(file)).status === 401)
    expect(await caching(signatureQuery(KEY, TARGET))).to.match(/^private,/u)
  })
})
