import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { Config } from '../../core/config/config.ts'
import rtmp from '../../plugins/rtmp/index.ts'
import { Caddy } from '../peers/caddy.ts'
import { Nginx } from '../peers/nginx.ts'
import { PeerProcess, runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { addressesIn, ask, watch } from '../support/hls-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const ROOT = path.join(import.meta.dirname, '..', '..')
const PAGE = 'docs/operations.md'

describe(PAGE, () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  for (const part of ['trustproxy', 'listenaddrtls']) {
    it(`has config with ${part} that is valid`, async () => {
      const file = path.join(folder, 'config.yaml')
      await writeFile(file, (await blocksOf(PAGE, 'yaml'))(part))
      const config = await Config.load({ file, env: {} })
      config.declare(rtmp)
      expect([...config.warnings(), ...config.undeclaredSections()]).to.eql([])
    })
  }

  it('has commands that a shell understands', async () => {
    const text = await readFile(path.join(ROOT, PAGE), 'utf8')
    const scripts = [...text.matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, script = '']) => script)
    expect(scripts).to.have.length.greaterThan(3)
    for (const script of scripts) await runPeer('sh', ['-nc', script])
  })

  it('has a unit that systemd takes', async function () {
    requirePeer(this, 'systemd')
    const unit = (await blocksOf(PAGE, 'ini'))('[Service]')
    const file = path.join(folder, 'sluice.service')
    // It looks whether the program is there.
    await writeFile(file, unit.replace('/opt/sluice/node_modules/.bin/node', process.execPath))
    const peer = new PeerProcess('systemd-analyze', ['verify', '--man=no', file])
    await peer.succeed()
    expect(peer.stderr).not.to.include('sluice.service')
  })

  describe('behind a proxy', () => {
    let server: RunningServer
    before(async () => {
      const env = { SLUICE_GLOBAL_ADMIN_LISTENADDR: '127.0.0.1:0', SLUICE_DEMO_ENABLE: 'true' }
      server = await startServer({ config: (await blocksOf(PAGE, 'yaml'))('trustproxy'), env })
    })
    after(() => expect(server?.problems).to.eql([]))

    /** What the page has for a proxy, with the address of this server. */
    async function proxyConfig(language: string): Promise<string> {
      const text = (await blocksOf(PAGE, language))('127.0.0.1:8080')
      return text.replace('127.0.0.1:8080', `127.0.0.1:${server.httpPort}`)
    }

    /** Plays the demo stream in every way, and finds administration closed. */
    async function passes(proxy: Nginx | Caddy): Promise<void> {
      for (const url of ['http', 'ws'].map((scheme) => proxy.http('/flv/live/demo.flv').replace('http', scheme))) {
        const viewer = new FlvViewer(url)
        await viewer.received.wait(30)
        viewer.close()
      }
      const { media, mediaUrl } = await watch(proxy.http('/hls/live/demo/index.m3u8'))
      expect(media.text).to.include('CAN-BLOCK-RELOAD=YES')
      const last = Number(/#EXT-X-MEDIA-SEQUENCE:(\d+)/u.exec(media.text)?.[1]) + media.text.split('#EXTINF').length - 1
      const next = await ask(`${mediaUrl}${mediaUrl.includes('?') ? '&' : '?'}_HLS_msn=${last}`)
      expect(next.status).to.equal(200)
      const [segment = ''] = addressesIn(next, /\.m4s/u)
      expect((await fetch(segment)).status).to.equal(200)
      for (const place of ['/api/stream/list', '/metrics', '/v6/api/streams/secret?stream_path=a/b&type=publish']) {
        expect((await fetch(proxy.http(place))).status, place).to.equal(404)
      }
    }

    it('has a config of nginx by which everything plays, and viewers keep their addresses', async function () {
      requirePeer(this, 'nginx')
      const text = await proxyConfig('nginx')
      const listening = (port: number) => text.replace('listen 80;', `listen 127.0.0.1:${port};`)
      const nginx = await Nginx.start((port) => listening(port).replace('listen [::]:80;', ''))
      await passes(nginx)
      const leaving = new AbortController()
      const headers = { 'x-forwarded-for': '203.0.113.7' }
      await fetch(nginx.http('/flv/live/demo.flv'), { headers, signal: leaving.signal })
      const addresses = server.server.streams.subscribers().map(({ request }) => request.client.ip)
      expect(addresses).to.include('203.0.113.7')
      leaving.abort()
    })

    it('has a config of Caddy by which everything plays', async function () {
      requirePeer(this, 'caddy')
      const text = await proxyConfig('caddyfile')
      await passes(await Caddy.start((address) => text.replace('media.example.com', address)))
    })
  })

  describe('Dockerfile', () => {
    let lines: readonly string[]
    before(async () => {
      const text = await readFile(path.join(ROOT, 'Dockerfile'), 'utf8')
      lines = text.replaceAll(/\\\n\s*/gu, '').split('\n')
    })

    const jsonOf = (instruction: RegExp) =>
      JSON.parse(/\[.*\]/u.exec(lines.find((line) => instruction.test(line)) ?? '')?.[0] ?? '[]') as string[]

    it('copies all that the server needs, past .dockerignore, and starts and checks it', async () => {
      const ignored = (await readFile(path.join(ROOT, '.dockerignore'), 'utf8')).split('\n')
      const second = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
      const copied = second.flatMap((line) => /^COPY (?!--)(.*) \S+$/u.exec(line)?.[1]?.split(' ') ?? [])
      for (const name of copied) {
        expect(ignored).to.include(`!${name}`)
        await cp(path.join(ROOT, name), path.join(folder, name), { recursive: true })
      }
      await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))

      const [, ...args] = jsonOf(/^ENTRYPOINT /u)
      const env = {
        ...process.env,
        SLUICE_GLOBAL_HTTP_LISTENADDR: '127.0.0.1:0',
        SLUICE_RTMP_TCP_LISTENADDR: ':0',
        SLUICE_RTSP_TCP_LISTENADDR: ':0',
        SLUICE_WEBRTC_PORT: '[udp:0, tcp:0]',
        SLUICE_SRT_LISTENADDR: ':0',
      }
      const server = new PeerProcess(process.execPath, args, { cwd: folder, env })
      const isUp = () => server.exited !== undefined || server.stdout.includes('"the server is up"')
      await waitFor(isUp, { what: 'the server to start' })
      const port = /"port":(\d+)[^\n]*"owner":"the server"|"owner":"the server"[^\n]*"port":(\d+)/u.exec(
        server.stdout.toString(),
      )
      const [program, option, script = ''] = jsonOf(/^HEALTHCHECK /u)
      expect([program, option]).to.eql(['node', '-e'])
      await runPeer(process.execPath, ['-e', script.replace(':8080/', `:${port?.[1] ?? port?.[2]}/`)])
      server.signal('SIGTERM')
      expect(await server.exit).to.eql({ code: 0, signal: null })
    })

    it('checks what fails, too', async () => {
      const [, , script = ''] = jsonOf(/^HEALTHCHECK /u)
      const peer = new PeerProcess(process.execPath, ['-e', script.replace(':8080/', ':1/')])
      expect(await peer.exit).to.eql({ code: 1, signal: null })
    })
  })
})
