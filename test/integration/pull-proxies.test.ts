import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { Dialer } from 'sluice/sdk'
import { directDialer, pullRequest, pushRequest, ScriptedPublisher } from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import { createDialer } from '../../core/net/dialer/dialer.ts'
import { NetworkList } from '../../core/net/network-list.ts'
import hls from '../../plugins/hls/index.ts'
import rtsp from '../../plugins/rtsp/index.ts'
import { startMicrosocks, startTinyproxy, type ForwardProxy } from '../peers/forward-proxy.ts'
import { freePort } from '../peers/free-port.ts'
import { keep } from '../peers/lifetime.ts'
import { runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FileServer } from '../support/file-server.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'
import { ScriptedSource, type Script } from '../support/rtsp/scripted-source.ts'

const RETRY = { maxretry: -1, retryinterval: '50ms' }
const CLIENT = { ip: '', port: 0, userAgent: 'test' }
const USER = { name: 'someone', password: 'pa55word' }
const SECRETS = /pa55word|s3cret/u
/** An address of this machine, on which nothing of these tests listens. */
const DENIED = '127.0.0.2'

type Server = TestServer<unknown>
type Rules = Readonly<Record<string, unknown>>

/** A server that pulls by RTSP. */
async function rtspServer(config: Rules = {}, global: Rules = {}): Promise<Server> {
  const server = await createTestServer(rtsp, { beside: ['relay'], config, global })
  keep({ close: () => server.stop() })
  return server
}

/** A server that pulls by HLS. */
async function hlsServer(config: Rules, global: Rules = {}): Promise<Server> {
  const server = await createTestServer(hls, { beside: ['relay'], config, global })
  keep({ close: () => server.stop() })
  return server
}

/** A server with a stream at `live/source`, over TCP and TLS. */
async function origin(): Promise<Server> {
  const tcp = { listenaddr: '127.0.0.1:0', listenaddrtls: '127.0.0.1:0' }
  const server = await rtspServer({ tcp, subscribe: { waittimeout: '1s' } })
  const publisher = await server.streams.publish({ streamPath: 'live/source', url: '', query: '', client: CLIENT })
  const script = new ScriptedPublisher(publisher, { video: false })
  const timer = setInterval(() => script.write(1), 20)
  keep({ close: () => clearInterval(timer) })
  return server
}

async function expectMedia(server: Server, streamPath: string): Promise<void> {
  const received = await ReceivedUnits.of(server.streams, streamPath)
  await waitFor(() => received.units.length > 10, { what: `media of ${streamPath}` })
}

/** A line of the log that says so; no line has a secret. */
async function expectLine({ log }: Server, text: RegExp): Promise<void> {
  await waitFor(() => log.some((line) => text.test(JSON.stringify(line))), { what: String(text) })
  expect(log.map((line) => JSON.stringify(line)).filter((line) => SECRETS.test(line))).to.eql([])
}

describe('pulls and pushes through a proxy', () => {
  let folder: string
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    const inputs = ['-f', 'lavfi', '-i', 'testsrc2=rate=25:size=160x120', '-t', '2']
    const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-pix_fmt', 'yuv420p']
    const output = ['-f', 'hls', '-hls_time', '1', '-hls_playlist_type', 'vod', path.join(folder, 'a.m3u8')]
    await runPeer('ffmpeg', ['-v', 'error', '-nostdin', ...inputs, ...codec, ...output])
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  const peers = [
    ['tinyproxy', startTinyproxy],
    ['microsocks', startMicrosocks],
  ] as const
  for (const [name, startProxy] of peers) {
    describe(`that is ${name}`, () => {
      let proxy: ForwardProxy
      beforeEach(async function () {
        requirePeer(this, name)
        proxy = await startProxy(USER)
      })
      const wasAsked = (port: number) =>
        waitFor(() => proxy.log().includes(String(port)), { what: 'the proxy to be asked' })

      it('bring HLS, wherever a redirect leads', async () => {
        const web = await FileServer.start(folder)
        const other = await FileServer.start(folder)
        keep(web)
        keep(other)
        web.redirects.set('/old.m3u8', other.url('a.m3u8'))
        const rule = { url: web.url('old.m3u8?token=s3cret'), loop: -1, proxy: proxy.url, ...RETRY }
        const server = await hlsServer({ pull: { 'live/a': rule } })
        await expectMedia(server, 'live/a')
        for (const url of [web.url(''), other.url('')]) await wasAsked(Number(new URL(url).port))
        expect(server.problems).to.eql([])
      })

      it('bring RTSP by TCP, in its tunnel and over TLS', async () => {
        const from = await origin()
        const at = `127.0.0.1:${from.port()}/live/source`
        const rules = {
          'live/auto': { url: `rtsp://${at}`, proxy: proxy.url, ...RETRY },
          'live/http': { url: `rtsph://${at}`, proxy: proxy.url, ...RETRY },
          'live/tls': { url: `rtsps://127.0.0.1:${from.port('tls')}/live/source`, proxy: proxy.url, ...RETRY },
        }
        const server = await rtspServer({ pull: rules, verifycertificate: false })
        for (const streamPath of Object.keys(rules)) await expectMedia(server, streamPath)
        for (const port of [from.port(), from.port('tls')]) await wasAsked(port)
        expect(server.problems).to.eql([])
      })

      it('take a stream elsewhere', async () => {
        const [from, target] = [await origin(), await rtspServer()]
        const dial = createDialer({ deny: new NetworkList([]), proxy: proxy.url })
        const stop = new AbortController()
        const url = `rtsp://127.0.0.1:${target.port()}/live/pushed`
        const pushed = from.ctx.services
          .get('push:rtsp')!
          .push(pushRequest({ url, streamPath: 'live/source', dial, signal: stop.signal }))
        await expectMedia(target, 'live/pushed')
        await wasAsked(target.port())
        stop.abort()
        expect(await pushed.catch(() => 'stopped')).to.equal('stopped')
      })
    })
  }

  it('say that there is no UDP, and when the proxy is away', async () => {
    const proxy = `socks5://${USER.name}:${USER.password}@127.0.0.1:${await freePort()}`
    const rule = { proxy, maxretry: 0 }
    const server = await rtspServer({
      pull: { 'live/udp': { url: 'rtspu://127.0.0.1/a', ...rule }, 'live/tcp': { url: 'rtsp://127.0.0.1/a', ...rule } },
    })
    await expectLine(server, /a proxy leads TCP on, and no UDP: use rtspt:\/\/ or no proxy/u)
    await expectLine(server, /can't reach the proxy 127\.0\.0\.1:\d+: nobody listens there/u)
  })
})

describe('pulls with addresses that are denied', () => {
  const GLOBAL = { pull: { deny: [DENIED, '::1'] } }
  const IS_DENIED = /the address 127\.0\.0\.2 is denied by global\.pull\.deny/u

  describe('by HLS', () => {
    let folder: string
    let web: FileServer
    beforeEach(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
      web = await FileServer.start(folder)
      const denied = web.url('a0.ts').replace('127.0.0.1', DENIED)
      const segment = `#EXTINF:1,\n${denied}?token=s3cret\n#EXT-X-ENDLIST\n`
      await writeFile(path.join(folder, 'segment.m3u8'), `#EXTM3U\n#EXT-X-TARGETDURATION:1\n${segment}`)
      const variant = denied.replace('a0.ts', 'v.m3u8')
      await writeFile(path.join(folder, 'variant.m3u8'), `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${variant}\n`)
      web.redirects.set('/redirect.m3u8', denied)
    })
    afterEach(async () => {
      web.close()
      await rm(folder, { recursive: true })
    })

    for (const name of ['redirect', 'segment', 'variant']) {
      it(`don't go there for a ${name}`, async () => {
        const rule = { url: web.url(`${name}.m3u8?token=s3cret`, 'u:pa55word@'), maxretry: 0 }
        await expectLine(await hlsServer({ pull: { 'live/a': rule } }, GLOBAL), IS_DENIED)
        expect(web.requests.map(({ url }) => url)).to.eql([`/${name}.m3u8?token=s3cret`])
      })
    }

    it("don't go there by a name, or mapped into IPv6", async () => {
      const port = new URL(web.url('')).port
      const rules = {
        'live/name': { url: `http://localhost:${port}/a.m3u8`, maxretry: 0 },
        'live/mapped': { url: `http://[::ffff:127.0.0.1]:${port}/a.m3u8`, maxretry: 0 },
      }
      const server = await hlsServer({ pull: rules }, { pull: { deny: ['127.0.0.0/8', '::1'] } })
      await expectLine(server, /"stream":"live\/name".* is denied by/u)
      await expectLine(server, /"stream":"live\/mapped".* is denied by/u)
      expect(web.requests).to.eql([])
    })
  })

  describe('by RTSP', () => {
    it('send no datagrams there', async () => {
      const source = await ScriptedSource.start()
      const server = await rtspServer()
      const dial: Dialer = {
        ...directDialer,
        checkAddress(ip) {
          throw new Error(`${ip} is denied`)
        },
      }
      const request = pullRequest({ streamPath: 'live/a', dial, url: source.url('', 'rtspu') })
      const pull = server.ctx.services.get('pull:rtsp')!.pull(request)
      expect(String(await pull.catch((error: unknown) => error))).to.equal('Error: 127.0.0.1 is denied')
      await waitFor(() => source.connections.size === 0)
      expect(source.methods).not.to.include('PLAY')
    })

    it("don't go there, wherever they are led", async () => {
      const script: Script = ({ method, uri }) => {
        const headers = { Location: `${uri.replace('127.0.0.1', DENIED)}?token=s3cret` }
        return method === 'DESCRIBE' ? { status: '302 Moved', headers } : undefined
      }
      const source = await ScriptedSource.start({ script })
      const rules = {
        'live/led': { url: source.url('u:pa55word@'), maxretry: 0 },
        'live/direct': { url: source.url('u:pa55word@').replace('127.0.0.1', DENIED), maxretry: 0 },
      }
      const server = await rtspServer({ pull: rules }, GLOBAL)
      await expectLine(server, /"stream":"live\/led".*the address 127\.0\.0\.2 is denied/u)
      await expectLine(server, /"stream":"live\/direct".*the address 127\.0\.0\.2 is denied/u)
    })
  })
})
