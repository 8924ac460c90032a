import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FileServer } from '../support/file-server.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const USER = 'someone:pa55word@'
const QUERY = '?token=s3cret'
const SECRETS = /pa55word|s3cret|h34der/u
const FOREVER = 'loop: -1'

describe('pulls', () => {
  let folder: string
  let web: FileServer
  let server: RunningServer

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    const inputs = ['-f', 'lavfi', '-i', 'testsrc2=rate=25:size=160x120', '-t', '2']
    const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p']
    const output = ['-f', 'hls', '-hls_time', '1', '-hls_playlist_type', 'vod', path.join(folder, 'a.m3u8')]
    await runPeer('ffmpeg', ['-v', 'error', '-nostdin', ...inputs, ...codec, ...output])
    const old = ['-c:v', 'mpeg2video', '-f', 'hls', '-hls_playlist_type', 'vod', path.join(folder, 'old.m3u8')]
    await runPeer('ffmpeg', ['-v', 'error', '-nostdin', ...inputs, ...old])
    await writeFile(
      path.join(folder, 'cenc.m3u8'),
      '#EXTM3U\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI="k"\n#EXTINF:1,\na0.ts\n',
    )
    await writeFile(path.join(folder, 'file.m3u8'), '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n')
    await writeFile(path.join(folder, 'page.m3u8'), '<html></html>')
  })
  beforeEach(async () => {
    web = await FileServer.start(folder)
  })
  afterEach(async () => {
    await server?.stop()
    web.close()
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  const isUp = (streamPath: string) => server.server.streams.get(streamPath) !== undefined

  function ask(body: unknown, route = '/api/stream/pull') {
    const headers = { 'content-type': 'application/json' }
    return server.api(route, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  describe('asked for by the API', () => {
    beforeEach(async () => (server = await startServer()))

    it('publish a path, which the protocol names if nobody else does', async () => {
      expect((await ask({ remoteURL: web.url('a.m3u8') })).body).to.include({ code: 0, message: 'success' })
      expect(isUp('pull/hls')).to.equal(true)
      const own = {
        remote_url: web.url(`a.m3u8${QUERY}`),
        protocol: 'hls',
        stream_path: 'a/b',
        loop: -1,
        pubAudio: false,
      }
      expect((await ask(own, '/api/pull/add')).body.code).to.equal(0)
      const viewer = new FlvViewer(server.http('/flv/a/b.flv'))
      expect((await viewer.received.wait(60)).every(({ kind }) => kind === 'video')).to.equal(true)
    })

    it('take the pace of a recording, what its times are divided by, and the limits of its publisher', async () => {
      const pace = { speed: 8, scale: 4, pauseTimeout: '7s', max_fps: 24 }
      expect((await ask({ remoteURL: web.url('a.m3u8'), streamPath: 'a/b', loop: -1, ...pace })).body.code).to.equal(0)
      const config = server.server.streams.get('a/b')?.publisher?.config
      expect(config).to.include({ speed: 8, scale: 4, pausetimeout: 7000, maxfps: 24 })
      const viewer = new FlvViewer(server.http('/flv/a/b.flv'))
      const times = (await viewer.received.wait(20)).slice(0, 20).map(({ dtsMs }) => dtsMs)
      const steps = times.slice(1).map((timeMs, index) => timeMs - times[index]!)
      expect(new Set(steps)).to.eql(new Set([10]))
    })

    it('tell how far they are', async () => {
      await ask({ remoteURL: web.url('a.m3u8'), streamPath: 'a/b', loop: -1 })
      const { body } = await server.api('/api/stream/progress/a/b')
      expect(body.data).to.have.property('currentStep', 1)
      const { steps } = body.data as { steps: Record<string, string>[] }
      expect(steps.map(({ name, error }) => [name, error])).to.eql([
        ['connect', ''],
        ['publish', ''],
      ])
      for (const { startedAt, completedAt } of steps) {
        expect(Date.parse(completedAt!)).to.be.at.least(Date.parse(startedAt!))
      }
      expect((await server.api('/api/stream/progress/a/c')).status).to.equal(404)
    })

    it('publish nothing when they are tests, also of a path that is taken', async () => {
      await ask({ remoteURL: web.url('a.m3u8'), streamPath: 'a/b', loop: -1 })
      const publisher = server.server.streams.get('a/b')?.publisher
      const tested = { remoteURL: web.url('a.m3u8'), streamPath: 'a/test', loop: -1, testMode: 1 }
      expect((await ask(tested)).body.code).to.equal(0)
      expect((await ask({ ...tested, remoteURL: web.url('none.m3u8'), streamPath: 'a/b' })).status).to.equal(409)
      expect(server.server.streams.list().map(({ path: streamPath }) => streamPath)).to.eql(['a/b'])
      expect(server.server.streams.get('a/b')?.publisher).to.equal(publisher)
    })

    it('are one for each path', async () => {
      const body = { remoteURL: web.url('a.m3u8'), streamPath: 'a/b', loop: -1 }
      await ask(body)
      const second = await ask(body)
      expect([second.status, second.body.message]).to.eql([409, 'stream exist'])
    })

    it('end with their stream, and can be asked for again', async () => {
      const body = { remoteURL: web.url('a.m3u8'), streamPath: 'a/b', loop: -1 }
      await ask(body)
      await server.api('/api/stream/stop/a/b', { method: 'POST' })
      await waitFor(() => !isUp('a/b'))
      await waitFor(async () => (await ask(body)).body.code === 0)
    })

    const refusals: readonly (readonly [what: string, body: unknown, status: number, message: RegExp])[] = [
      ['no address', {}, 400, /^remoteURL is missing$/u],
      ['no object', 'http://host/a.m3u8', 400, /^the body must be an object$/u],
      ['an address that is none', { remoteURL: `nonsense${USER}` }, 400, /^remoteURL is neither an address/u],
      ['an unknown ending', { remoteURL: 'http://host/a.xyz' }, 400, /does not tell its protocol/u],
      [
        'an unknown protocol',
        { remoteURL: 'http://host/a.m3u8', protocol: 'gopher' },
        400,
        /no plugin pulls by 'gopher'/u,
      ],
      ['a file', { remoteURL: 'file:///etc/passwd', protocol: 'hls' }, 502, /no http or https address/u],
      ['another scheme', { remoteURL: 'ftp://host/a.m3u8' }, 502, /no http or https address/u],
      ['a bad path', { remoteURL: 'http://host/a.m3u8', streamPath: 'a/../b' }, 400, /stream path/u],
      [
        'a bad option',
        { remoteURL: 'http://host/a.m3u8', delayCloseTimeout: 'soon' },
        400,
        /delayclosetimeout: expected/u,
      ],
      ['a mode that there is not', { remoteURL: 'http://host/a.m3u8', testMode: 2 }, 400, /testmode: expected/u],
      ['nobody there', { remoteURL: `http://${USER}127.0.0.1:9/a.m3u8${QUERY}` }, 502, /ECONNREFUSED|bad port/u],
    ]
    for (const [what, body, status, message] of refusals) {
      it(`are refused for ${what}`, async () => {
        const answer = await ask(body)
        expect(answer.status).to.equal(status)
        expect(answer.body.message).to.match(message)
        expect(JSON.stringify(answer.body)).not.to.match(SECRETS)
      })
    }

    const sources: readonly (readonly [name: string, message: RegExp])[] = [
      ['none.m3u8', /^the server answered 404 for http:\/\/127\.0\.0\.1:\d+\/none\.m3u8\?token=\*{6}$/u],
      ['cenc.m3u8', /encrypted by SAMPLE-AES; only AES-128/u],
      ['file.m3u8', /no http or https address|no segments/u],
      ['page.m3u8', /the source is no HLS/u],
      ['old.m3u8', /no track that can be carried \(stream type 0x02\)/u],
    ]
    for (const [name, message] of sources) {
      it(`say what is wrong with a source: ${name}`, async () => {
        const answer = await ask({ remoteURL: web.url(name + QUERY, USER), streamPath: 'a/b' })
        expect(answer.status).to.equal(502)
        expect(answer.body.message).to.match(message)
        expect(isUp('a/b')).to.equal(false)
      })
    }
  })

  describe('by the rules of the config', () => {
    const rule = (name: string) => `'${web.url(name + QUERY, USER)}'`

    it('start with the server, and follow the config without a reload of the plugin', async () => {
      server = await startServer({ config: `hls: { pull: { a/one: { url: ${rule('a.m3u8')}, ${FOREVER} } } }` })
      await waitFor(() => isUp('a/one'))
      const kept = `a/one: { url: ${rule('a.m3u8')}, ${FOREVER} }`
      await server.writeConfig(`hls: { pull: { ${kept}, a/two: { url: ${rule('a.m3u8')}, ${FOREVER} } } }`)
      const publisher = server.server.streams.get('a/one')?.publisher
      await waitFor(() => isUp('a/two'))
      expect(server.server.streams.get('a/one')?.publisher).to.equal(publisher)
      await server.writeConfig(`hls: { pull: { a/two: { url: ${rule('a.m3u8')}, ${FOREVER} } } }`)
      await waitFor(() => !isUp('a/one'))
      expect(isUp('a/two')).to.equal(true)
      expect(server.server.host.list().find(({ name }) => name === 'hls')?.generation).to.equal(1)
    })

    it('try again as often as they are told', async () => {
      const options = 'maxretry: 2, retryinterval: 50ms'
      server = await startServer({ config: `hls: { pull: { a/b: { url: ${rule('none.m3u8')}, ${options} } } }` })
      const failures = () => server.records.filter(({ msg }) => msg.startsWith('the pull failed'))
      await waitFor(() => failures().some(({ level }) => level === 'error'))
      expect(failures().map(({ level }) => level)).to.eql(['warn', 'warn', 'error'])
      expect(web.requests).to.have.length(3)
    })

    it('send user, query and headers, and show none of them', async () => {
      web.asksForUser = true
      const options = `${FOREVER}, header: { X-Key: h34der, X-List: [a, b] }`
      server = await startServer({ config: `hls: { pull: { a/b: { url: ${rule('a.m3u8')}, ${options} } } }` })
      await waitFor(() => isUp('a/b'))
      const [unknown, first] = web.requests
      expect(unknown?.headers).not.to.have.any.keys('authorization')
      expect(first?.url).to.equal(`/a.m3u8${QUERY}`)
      const authorization = `Basic ${Buffer.from(USER.slice(0, -1)).toString('base64')}`
      expect(first?.headers).to.deep.include({ authorization, 'x-key': 'h34der', 'x-list': 'a, b' })
      const shown = await Promise.all(
        ['/api/sysinfo', '/api/stream/list', '/api/stream/info/a/b'].map(async (url) => server.api(url)),
      )
      expect(JSON.stringify(shown.map(({ body }) => body))).not.to.match(SECRETS)
      expect(JSON.stringify(server.records)).not.to.match(SECRETS)
      expect(JSON.stringify(shown[0]?.body)).to.include('******@127.0.0.1')
    })

    it('go on in the old generation of the plugin until that is gone, and then at once in the new one', async () => {
      const config = (fragment: string) =>
        `global: { draintimeout: 1s }\nhls: { fragment: ${fragment}, pull: { a/b: { url: ${rule('a.m3u8')}, ${FOREVER} } } }`
      server = await startServer({ config: config('2s') })
      await waitFor(() => isUp('a/b'))
      const { publisher } = server.server.streams.get('a/b')!
      await server.writeConfig(config('3s'))
      await waitFor(() => server.server.host.list().find(({ name }) => name === 'hls')?.generation === 2)
      expect(server.server.streams.get('a/b')?.publisher).to.equal(publisher)
      await waitFor(() => isUp('a/b') && server.server.streams.get('a/b')?.publisher !== publisher)
      expect(server.problems).to.eql([])
    })

    it('begin anew when the plugin is switched off and on', async () => {
      const config = (enable: boolean) =>
        `hls: { enable: ${enable}, pull: { a/b: { url: ${rule('a.m3u8')}, ${FOREVER} } } }`
      server = await startServer({ config: config(true) })
      await waitFor(() => isUp('a/b'))
      await server.writeConfig(config(false))
      await waitFor(() => !isUp('a/b'))
      await server.writeConfig(config(true))
      await waitFor(() => isUp('a/b'))
    })

    const mistakes: readonly (readonly [config: string, message: RegExp])[] = [
      ['pull: { a/../b: "http://host/a.m3u8" }', /hls\.pull\.a\/\.\.\/b: expected a stream path/u],
      ['onsub: { pull: { "^(": "http://host/a.m3u8" } }', /expected a regular expression, found '\^\('/u],
      ['pull: { a/b: { loop: 1 } }', /hls\.pull\.a\/b\.url: is missing/u],
      ['pull: { a/b: { url: "http://host/a.m3u8", mode: 1 } }', /unknown key/u],
      ['pull: { a/b: { url: "http://host/a.m3u8", proxy: "ftp://u:pa55word@p" } }', /proxy: expected a proxy such as/u],
    ]
    for (const [config, message] of mistakes) {
      it(`are an error of the config: ${config}`, async () => {
        const error: unknown = await startServer({ config: `hls: { ${config} }` }).catch((error: unknown) => error)
        expect(String(error)).to.match(message)
        expect(String(error)).not.to.match(SECRETS)
      })
    }
  })
})
