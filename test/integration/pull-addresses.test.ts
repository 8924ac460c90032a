import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile } from '../peers/ffmpeg.ts'
import { startMicrosocks, startTinyproxy } from '../peers/forward-proxy.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FileServer } from '../support/file-server.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { refusal, ScriptedRtmpServer } from '../support/rtmp/scripted-server.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const USER = 'someone:pa55word@'
const QUERY = '?token=s3cret'
const SECRETS = /pa55word|s3cret/u
/** An address of this machine, which is denied. */
const DENIED = '127.0.0.2'
const FRAMES = 20
const LOOP_MS = 2000

/** What a server says of itself, its streams and what it pulls; no line of its log has more. */
async function said(server: RunningServer, streamPaths: readonly string[]): Promise<string> {
  const routes = ['/api/sysinfo', '/api/stream/list', ...streamPaths.map((one) => `/api/stream/info/${one}`)]
  const answers = await Promise.all(
    [...routes, ...streamPaths.map((one) => `/api/stream/progress/${one}`)].map((route) => server.api(route)),
  )
  return JSON.stringify([server.records, answers.map(({ body }) => body)])
}

function pull(server: RunningServer, remoteURL: string, streamPath: string, more: object = {}) {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ remoteURL, streamPath, ...more })
  return server.api('/api/stream/pull', { method: 'POST', headers, body })
}

describe('addresses that are pulled', () => {
  let folder: string
  let web: FileServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    await Promise.all(
      ['film.mp4', 'film.flv', 'film.ts'].map((name) =>
        makeTestFile({ url: path.join(folder, name), durationSeconds: 2, video: { size: '64x64' } }),
      ),
    )
  })
  beforeEach(async () => {
    web = await FileServer.start(folder)
    web.ranges = true
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  it('are not connected to where they are denied, also where a redirect leads there', async () => {
    let connections = 0
    const trap = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    keep({ close: () => void trap.close() })
    await once(trap.listen(0, DENIED), 'listening')
    const at = `${DENIED}:${(trap.address() as AddressInfo).port}`
    const redirecting = await ScriptedRtmpServer.start({
      script(command, { connection }) {
        connection.send(refusal(command, 'elsewhere', `rtmp://${at}/live/x${QUERY}`))
        return 'done'
      },
    })
    for (const name of ['film.flv', 'film.mp4', 'film.ts']) {
      web.redirects.set(`/away-${name}`, `http://${at}/${name}${QUERY}`)
    }
    const server = await startServer({ config: `global: { pull: { deny: [${DENIED}] } }\n` })
    const addresses = [
      `rtmp://${USER}${at}/live/x${QUERY}`,
      redirecting.url(USER),
      `ws://${USER}${at}/live/x.flv${QUERY}`,
      ...['film.flv', 'film.mp4', 'film.ts'].flatMap((name) => [
        `http://${USER}${at}/${name}${QUERY}`,
        web.url(`away-${name}${QUERY}`, USER),
      ]),
    ]
    for (const url of addresses) {
      const { status, body } = await pull(server, url, 'live/a')
      const where = url.replace(USER, '')
      expect(status, where).to.equal(502)
      expect(body.message, where).to.match(/\bthe address 127\.0\.0\.2 is denied by global\.pull\.deny\b/u)
    }
    expect(connections).to.equal(0)
    expect([redirecting.names, web.requests.length]).to.eql([['connect'], 3])
    expect(await said(server, [])).not.to.match(SECRETS)
  })

  it('of files on web servers show their credentials nowhere', async () => {
    const server = await startServer({ config: 'global: { publish: { delayclosetimeout: 1h } }\n' })
    const names = ['mp4', 'flv', 'ts']
    web.asksForUser = true
    for (const name of names) {
      const { status, body } = await pull(server, web.url(`none.${name}${QUERY}`, USER), `gone/${name}`)
      expect(status, name).to.equal(502)
      expect(body.message).to.match(/404/u).and.not.match(SECRETS)
      const answer = await pull(server, web.url(`film.${name}${QUERY}`, USER), `file/${name}`, { loop: -1 })
      expect(answer.body, name).to.include({ code: 0 })
      await new FlvViewer(server.http(`/flv/file/${name}.flv`)).received.wait(FRAMES)
    }
    const authorization = `Basic ${Buffer.from(USER.slice(0, -1)).toString('base64')}`
    expect(new Set(web.requests.map(({ headers }) => headers.authorization))).to.eql(
      new Set([undefined, authorization]),
    )
    expect(web.requests.every(({ url }) => url.endsWith(QUERY))).to.equal(true)
    const text = await said(
      server,
      names.map((name) => `file/${name}`),
    )
    expect(text).to.include('******@127.0.0.1').and.not.match(SECRETS)
  })

  for (const [name, startProxy] of [
    ['tinyproxy', startTinyproxy],
    ['microsocks', startMicrosocks],
  ] as const) {
    it(`are reached through ${name} by RTMP, HTTP-FLV and WS-FLV, and as files`, async function () {
      requirePeer(this, name)
      const proxy = await startProxy({ name: 'someone', password: 'pa55word' })
      const origin = await startServer()
      const { tags } = await makeFlvFile(path.join(origin.folder, 'a.flv'), { video: { size: '64x64' } })
      await LiveSource.start({ url: origin.rtmp('live/a'), tags, loopMs: LOOP_MS })
      const addresses = {
        rtmp: origin.rtmp('live/a'),
        http: origin.http('/flv/live/a.flv'),
        ws: origin.ws('/flv/live/a.flv'),
        mp4: web.url('film.mp4'),
      }
      const rule = (way: keyof typeof addresses) => ({
        [`live/${way}`]: { url: addresses[way], proxy: proxy.url, loop: -1 },
      })
      const server = await startServer({
        config: JSON.stringify({
          rtmp: { pull: rule('rtmp') },
          flv: { pull: { ...rule('http'), ...rule('ws') } },
          mp4: { pull: rule('mp4') },
        }),
      })
      for (const way of Object.keys(addresses)) {
        await new FlvViewer(server.http(`/flv/live/${way}.flv?waittimeout=60s`)).received.wait(FRAMES)
      }
      const ports = Object.values(addresses).map((url) => new URL(url).port)
      await waitFor(() => ports.every((port) => proxy.log().includes(port)), { what: 'the proxy to be asked' })
      expect(await said(server, [])).not.to.match(SECRETS)
      expect(server.problems).to.eql([])
    })
  }
})
