import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { AccessUnit } from 'sluice/sdk'
import { sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { addressesIn, ask, askRaw, watch } from '../../../test/support/hls-client.ts'
import { validateMediaPlaylist } from '../../../test/support/hls/media-rules.ts'
import { validateMultivariant } from '../../../test/support/hls/multivariant-rules.ts'
import { HlsRig } from '../fixtures/hls-rig.ts'

/** Frames of three segments of two seconds, and of what ends the last. */
const THREE_SEGMENTS = 175

describe('playing by HLS', () => {
  let rig: HlsRig
  beforeEach(async () => {
    rig = await HlsRig.start()
  })
  afterEach(async () => {
    await rig.stop()
    expect(rig.host.log.problems).to.eql([])
  })

  it('gives playlists, and files under the names in them', async () => {
    const { multivariant, media } = await rig.watch()
    expect(validateMultivariant(multivariant.text)).to.eql([])
    expect(validateMediaPlaylist(media.text, { format: 'fmp4', lowLatency: true })).to.eql([])
    expect(Object.fromEntries(media.headers)).to.include({
      'content-type': 'application/vnd.apple.mpegurl',
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
    })
    expect(multivariant.headers.get('cache-control')).to.equal('no-cache, no-store')
    const [init = '', segment = ''] = addressesIn(media, /(?:mp4|[0-9]{6}\.m4s)$/u)
    const answers = await Promise.all([fetch(init), fetch(segment)])
    for (const { status, headers } of answers) {
      expect(status).to.equal(200)
      expect(headers.get('cache-control')).to.equal('public, max-age=14, immutable')
      expect(headers.get('content-type')).to.match(/^video\//u)
      expect(Number(headers.get('content-length'))).to.be.greaterThan(0)
    }
    const bytes = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())))
    expect(bytes.map((buffer) => buffer.toString('latin1', 4, 8))).to.eql(['ftyp', 'moof'])
  })

  it('gives the same in the older form, and lists a session as one subscriber', async () => {
    const { multivariant, mediaUrl, media } = await rig.watch('/hls/live/a.m3u8?x=1')
    expect(multivariant.text).to.match(/^a\/~[\w-]{36}\/video\.m3u8\?x=1$/mu)
    expect(new URL(mediaUrl).pathname).to.match(/^\/hls\/live\/a\/~[\w-]{36}\/video\.m3u8$/u)
    const file = addressesIn(media, /\.m4s/u)[0] ?? ''
    expect(file).to.match(/\/hls\/live\/a\/[^/]+\.m4s\?x=1$/u)
    expect((await ask(file)).status).to.equal(200)
    await ask(mediaUrl)
    expect(rig.viewers.map(({ request }) => request.client.userAgent)).to.eql(['node'])
  })

  it('carries the query on byte for byte, but for what would break the text', async () => {
    const hlsStream = rig.watch()
    await hlsStream
    const sent = '?q=a%2Fb&q=c+d&"x"=1&empty=&_HLS_skip=YES'
    const multivariant = (await askRaw(rig.host.http.origin, `/hls/live/a/index.m3u8${sent}`)).body.toString()
    const carried = '?q=a%2Fb&q=c+d&%22x%22=1&empty='
    const path = multivariant.split('\n').find((line) => line.startsWith('~')) ?? ''
    expect(path.slice(path.indexOf('?'))).to.equal(carried)
    const media = (await askRaw(rig.host.http.origin, `/hls/live/a/${path}&_HLS_skip=YES`)).body.toString()
    const queries = [...media.matchAll(/\.(?:m4s|mp4)([^"\n]*)/gu)].map(([, query]) => query)
    expect(queries.length).to.be.greaterThan(2)
    expect([...new Set(queries)]).to.eql([carried])
  })

  const formats: readonly [string, RegExp, { format: 'fmp4' | 'ts'; lowLatency?: boolean }][] = [
    ['/hls/live/a/index.m3u8?format=fmp4', /\.m4s/u, { format: 'fmp4' }],
    ['/hls/live/a/index.m3u8?format=ts', /\.ts/u, { format: 'ts' }],
    ['/hls/live/a/index.m3u8?format=llhls', /#EXT-X-PART:/u, { format: 'fmp4', lowLatency: true }],
  ]
  for (const [path, sign, kind] of formats) {
    it(`gives a format by ${path}`, async () => {
      const { media } = await rig.watch(path, THREE_SEGMENTS)
      expect(media.text).to.match(sign)
      expect(validateMediaPlaylist(media.text, kind)).to.eql([])
    })
  }

  it('takes the format from the config, and low latency from its own prefix', async () => {
    rig.host.configure({ format: 'ts' })
    expect((await rig.watch('/hls/live/a/index.m3u8', THREE_SEGMENTS)).media.text).to.include('.ts\n')
    expect((await rig.watch('/llhls/live/a/index.m3u8')).media.text).to.include('#EXT-X-PART:')
  })

  it('refuses what no player asks for', async () => {
    await rig.watch()
    const statuses = ['?format=dash', '?_HLS_msn=x', '?_HLS_part=1'].map(async (query) => {
      return (await ask(rig.url(`/hls/live/a/index.m3u8${query}`))).status
    })
    expect(await Promise.all(statuses)).to.eql([400, 400, 400])
    expect((await ask(rig.url('/hls/live/a/index.m3u8'), { method: 'POST' })).status).to.equal(404)
  })

  it('answers HEAD with the same headers, and counts no viewer for it', async () => {
    const { mediaUrl, media } = await rig.watch()
    const file = addressesIn(media, /\.m4s/u)[0] ?? ''
    for (const url of [rig.url('/hls/live/a/index.m3u8'), mediaUrl, file]) {
      const headers = { 'accept-encoding': 'identity' }
      const head = await ask(url, { method: 'HEAD', headers })
      const get = await ask(url, { headers })
      expect(head.text).to.equal('')
      for (const name of ['content-type', 'content-length', 'cache-control', 'vary', 'content-encoding']) {
        expect(head.headers.get(name), name).to.equal(get.headers.get(name))
      }
    }
    expect(rig.viewers).to.have.length(2)
  })

  it('compresses playlists for those who take it so', async () => {
    const { mediaUrl } = await rig.watch()
    const { origin } = rig.host.http
    const path = mediaUrl.slice(origin.length)
    const answers = await Promise.all(
      ['', 'gzip', 'br, gzip;q=0.5', 'gzip;q=0', '*', 'x-gzip'].map((accepted) =>
        askRaw(origin, path, accepted === '' ? {} : { 'accept-encoding': accepted }),
      ),
    )
    const encodings = answers.map(({ headers }) => headers['content-encoding'])
    expect(encodings).to.eql([undefined, 'gzip', 'gzip', undefined, 'gzip', undefined])
    const texts = answers.map(({ body, headers }) => (headers['content-encoding'] ? gunzipSync(body) : body).toString())
    expect(new Set(texts).size).to.equal(1)
    for (const { headers, body } of answers) expect(headers['content-length']).to.equal(String(body.length))
  })

  it('waits for a publisher as long as any subscriber', async () => {
    expect((await ask(rig.url('/hls/live/nobody/index.m3u8'))).status).to.equal(404)
    const viewer = watch(rig.url('/hls/live/late/index.m3u8'))
    await waitFor(() => rig.viewers.some(({ streamPath }) => streamPath === 'live/late'))
    const late = await HlsRig.publish(rig.host, 'live/late')
    await waitFor(() => rig.feeders.some(({ attached }) => attached))
    late.writeFrames(75)
    expect((await viewer).media.status).to.equal(200)
  })

  it('answers 404 at once for a stream that it can not carry, before any media of it came, and says once why', async () => {
    const publisher = await rig.host.streams.publish(sessionInit('live/odd'))
    const config = { record: Buffer.alloc(0), sampleRate: 8000, channels: 1, codecString: 'alaw' }
    const track = publisher.addTrack({ kind: 'audio', codec: 'pcma', timescale: 8000, config })
    publisher.tracksComplete()
    const { status, text } = await ask(rig.url('/hls/live/odd/index.m3u8?format=ts'))
    for (let dts = 0; dts < 1600; dts += 160) {
      publisher.write(AccessUnit.fromData(track, dts, dts, true, Buffer.alloc(160)))
    }
    expect(status).to.equal(404)
    expect(text).to.include('HLS has no place for pcma; publish H.264')
    expect((await ask(rig.url('/hls/live/odd/index.m3u8?format=ts'))).text).to.equal(text)
    const problems = rig.host.log.records.splice(0).filter(({ level }) => level >= 40)
    const said = problems.filter(({ msg }) => msg === 'the stream cannot be played by HLS')
    expect(problems.map(({ msg }) => msg)).to.eql(['tracks are left out', 'the stream cannot be played by HLS'])
    expect(said.map(({ stream }) => stream)).to.eql(['live/odd'])
    expect(said[0]?.['reason']).to.include('pcma')
    expect(rig.viewers).to.eql([])
  })

  it('is not to be had by hostile names', async () => {
    const { media } = await rig.watch()
    const file = new URL(addressesIn(media, /\.m4s/u)[0] ?? '').pathname
    const name = file.slice(file.lastIndexOf('/') + 1)
    const [id = ''] = name.split('-')
    const targets = [
      '/hls/',
      '/hls',
      '/hls/..',
      '/hls/../../../etc/passwd',
      '/hls/live/a/../../../etc/passwd.ts',
      '/hls/live/a/..%2f..%2f..%2fetc%2fpasswd.ts',
      '/hls/live/a/%2e%2e%2findex.ts',
      '/hls/live/a/%00.ts',
      `/hls/live/a/${name}%00.m4s`,
      `/hls/live/a/${id}-.m4s`,
      `/hls/live/a/${id}-video-99999999999999999999.m4s`,
      `/hls/live/a/${id}-constructor-1.m4s`,
      `/hls/live/a/__proto__-video-1.m4s`,
      `/hls/live/b/${name}`,
      `/hls/${name}`,
      `/hls/live/a/${'x'.repeat(4000)}.ts`,
      '/hls/live/a/%.ts',
      '/hls/live/a/%ff%fe.ts',
      '/hls/live/a/~/video.m3u8.ts',
    ]
    for (const target of targets) {
      const { status, body } = await askRaw(rig.host.http.origin, target)
      expect(status, target).to.be.within(400, 404)
      expect(body.toString(), target).not.to.include('root:')
    }
    expect((await askRaw(rig.host.http.origin, `/hls/live/a/${name}`)).status).to.equal(200)
  })
})
