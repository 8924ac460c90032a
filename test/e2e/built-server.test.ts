import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { configOf, makeBucket } from '../../plugins/recording/bucket/fixtures/s3-bucket.ts'
import { startMicrosocks, type ForwardProxy } from '../peers/forward-proxy.ts'
import { makeTestFile } from '../peers/ffmpeg.ts'
import { keep } from '../peers/lifetime.ts'
import { sharedPostgres } from '../peers/postgres.ts'
import { runPeer } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { SwiftServer } from '../peers/swift-server.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand, startCommand, type CommandOptions } from '../support/command.ts'
import { FileServer } from '../support/file-server.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { Http2Viewer } from '../support/http2-viewer.ts'
import { JsmpegViewer } from '../support/jsmpeg-viewer.ts'
import { Mp4Viewer } from '../support/mp4-viewer.ts'

const CLIP_SECONDS = 2
const SECURE_ADDRESS = '127.0.0.1:0'
const FRAMES = 5
const RTSP_USER = 'viewer:s3cret'
const PASSPHRASE = 'a-passphrase'
/** A busy machine may keep media waiting. */
const PATIENCE = { SLUICE_GLOBAL_SUBSCRIBE_WAITTIMEOUT: '2m', SLUICE_GLOBAL_PUBLISH_PUBLISHTIMEOUT: '2m' }
/** Where a source is newer than the build. */
const BUILDING = /^.*: building …\n/u
/** A file that a page or script needs. */
const LINK = /^\s*<(?:script|link)\b.*(?:src|href)="([\w./-]+)"|^(?:import|\}).* '(\.[\w./-]+)'/gmu
const PASSWORD = 'correct horse'

/** What the API lists. */
type Recordings = {
  readonly data: readonly { readonly id: number; readonly startTime: string; readonly isActive: boolean }[]
}

/** A plugin of others, which has errors of the sdk's classes thrown by the host, in a thread and in a fork. */
const PLUGIN = {
  'index.ts': `
import { definePlugin, SluiceError, StreamExists, Type } from 'sluice/sdk'
import { serveLive } from 'sluice/sdk/http'
import { FLV_FORMAT } from 'sluice/sdk/media'

const CLIENT = { ip: '', port: 0, userAgent: '' }

export default definePlugin({
  name: 'own',
  version: '1.0.0',
  setup(ctx) {
    serveLive(ctx, { extension: 'flv', format: FLV_FORMAT, contentType: () => 'video/x-flv' })
    ctx.hooks.on('subscribe', ({ streamPath }) => {
      if (streamPath === 'live/refused') throw new SluiceError('NO_CREDIT', 402, 'no credit left')
    })
    const said = []
    for (const kind of ['thread', 'fork']) {
      ctx.processes[kind]({ module: new URL('job.ts', import.meta.url), data: kind, owner: kind })
        .onMessage((message) => said.push(message))
    }
    ctx.operations.add({
      method: 'GET', path: 'api/said', summary: 'Said', answer: Type.Array(Type.String()),
      async handle() {
        const session = { streamPath: 'live/source', type: 'server', url: '', query: '', client: CLIENT }
        const error = await ctx.streams.publish(session).catch((thrown) => thrown)
        return [...said.toSorted(), error.name + ' ' + (error instanceof StreamExists)]
      },
    })
  },
})
`,
  'job.ts': `
import { checkStreamPath, InvalidRequest, SluiceError } from 'sluice/sdk'

export default function job({ data, send }) {
  try {
    checkStreamPath('/')
  } catch (error) {
    send([data, error.name, new SluiceError('OWN', 400, '').name, error instanceof InvalidRequest].join(' '))
  }
}
`,
} as const

/** An SDK of OpenTelemetry that writes the names of spans to a file. */
function tracerTo(file: string): string {
  const [api, sdk] = ['@opentelemetry/api', '@opentelemetry/sdk-trace-base'].map((name) => import.meta.resolve(name))
  return `
import { appendFileSync } from 'node:fs'
import { trace } from '${api}'
import { BasicTracerProvider } from '${sdk}'
const onEnd = ({ name }) => appendFileSync(${JSON.stringify(file)}, name + '\\n')
const processor = { onStart() {}, onEnd, async forceFlush() {}, async shutdown() {} }
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }))
`
}

describe('the build of the server', () => {
  let folder: string
  let server: ServerCommand
  let proxy: ForwardProxy

  before(async function () {
    for (const peer of ['ffmpeg', 'microsocks'] as const) requirePeer(this, peer)
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-built-'))
    const clip = path.join(folder, 'clip.mp4')
    await makeTestFile({ url: clip, durationSeconds: CLIP_SECONDS })
    const copy = ['-v', 'error', '-nostdin', '-i', clip, '-c', 'copy']
    const vod = ['-f', 'hls', '-hls_time', '1', '-hls_playlist_type', 'vod', path.join(folder, 'clip.m3u8')]
    await runPeer('ffmpeg', [...copy, path.join(folder, 'clip.flv'), ...copy.slice(-2), ...vod])
    await mkdir(path.join(folder, 'plugins', 'own'), { recursive: true })
    for (const [name, text] of Object.entries(PLUGIN)) await writeFile(path.join(folder, 'plugins', 'own', name), text)
    const [files, socks] = await Promise.all([FileServer.start(folder), startMicrosocks()])
    proxy = socks
    const pulled = (name: string) => ({ url: files.url(name), proxy: socks.url, maxretry: 2 })
    const config = await putConfig('media', {
      global: { http: { listenaddrtls: SECURE_ADDRESS }, pull: { folders: [folder] }, plugins_dir: 'plugins' },
      rtsp: { username: 'viewer', password: 's3cret' },
      srt: { passphrase: PASSPHRASE },
      hls: { onsub: { pull: { '^socks/hls$': pulled('clip.m3u8') } } },
      flv: { onsub: { pull: { '^socks/flv$': pulled('clip.flv') } } },
      mp4: {
        pull: { 'live/source': { url: 'clip.mp4', loop: -1 } },
        onpub: { record: { '^live/rtmp$': { fragment: '1s' } } },
      },
    })
    const tracer = path.join(folder, 'tracer.mjs')
    await writeFile(tracer, tracerTo(path.join(folder, 'spans.txt')))
    const env = { ...PATIENCE, SLUICE_JSMPEG_ENABLE: 'true', NODE_OPTIONS: `--import=${tracer}` }
    server = await ServerCommand.start(['-c', config], { cwd: folder, env })
  })

  after(async () => {
    await server?.process.close()
    if (folder) await rm(folder, { recursive: true })
  })

  /** A config file, as JSON is YAML. */
  async function putConfig(name: string, config: object): Promise<string> {
    const place = path.join(folder, `${name}.yaml`)
    await writeFile(place, JSON.stringify(config))
    return place
  }

  const portOf = (of: Readonly<Record<string, unknown>>) =>
    Number(server.records.find((record) => Object.entries(of).every(([key, value]) => record[key] === value))?.['port'])

  async function expectMedia(streamPath: string): Promise<void> {
    await new FlvViewer(server.http(`/flv/${streamPath}.flv`)).received.wait(FRAMES)
  }

  it('pushes to, takes, gives and pulls by RTMP, RTSP with digest, SRT with a passphrase, and WHIP and WHEP', async () => {
    const [rtsp, srt] = [`127.0.0.1:${server.rtspPort}/live/rtsp`, `127.0.0.1:${portOf({ owner: 'srt' })}`]
    const web = `127.0.0.1:${server.httpPort}/webrtc`
    const ways = [
      { name: 'rtmp', push: server.rtmp('live/rtmp'), pull: server.rtmp('live/rtmp') },
      { name: 'rtsp', push: `rtsp://${RTSP_USER}@${rtsp}`, pull: `rtsp://${RTSP_USER}@${rtsp}` },
      {
        name: 'srt',
        push: `srt://${srt}?streamid=publish:/live/srt&passphrase=${PASSPHRASE}`,
        pull: `srt://${srt}?streamid=subscribe:/live/srt&passphrase=${PASSPHRASE}`,
      },
      { name: 'webrtc', push: `whip://${web}/push/live/webrtc`, pull: `whep://${web}/play/live/webrtc` },
    ]
    await Promise.all(
      ways.map(async ({ name, push, pull }) => {
        await post(server, '/api/stream/push', { streamPath: 'live/source', remoteURL: push })
        await post(server, '/api/stream/pull', { streamPath: `pulled/${name}`, remoteURL: pull })
        await expectMedia(`pulled/${name}`)
      }),
    )
  })

  it('pulls HLS and FLV by HTTP through a SOCKS proxy', async () => {
    await Promise.all([expectMedia('socks/hls'), expectMedia('socks/flv')])
    expect(proxy.log()).to.include('127.0.0.1')
  })

  it('plays by FLV and MP4 over HTTP, WebSocket and HTTP/2, as low-latency HLS, MPEG-1 and JPEG', async () => {
    const mp4 = async (url: string) => new Mp4Viewer(url).wait(FRAMES)
    const mpeg1 = new JsmpegViewer(server.ws('/jsmpeg/live/source'))
    const http2 = connect(`https://127.0.0.1:${portOf({ owner: 'the server', address: SECURE_ADDRESS })}`, {
      rejectUnauthorized: false,
    })
    keep({ close: () => http2.destroy() })
    await once(http2, 'connect')
    const secure = new Http2Viewer(http2, '/mp4/live/source.mp4')
    await Promise.all([
      new FlvViewer(server.ws('/flv/live/source.flv')).received.wait(FRAMES),
      mp4(server.http('/mp4/live/source.mp4')),
      mp4(server.ws('/mp4/live/source.mp4')),
      mpeg1.more(),
      waitFor(() => secure.parts.length >= FRAMES, { what: 'fMP4 over HTTP/2' }),
    ])
    const [rendition] = listed(await bytes(server, '/hls/live/source/index.m3u8'), /^(\S+video\.m3u8\S*)$/mu)
    const media = `/hls/live/source/${rendition}`
    const playlist = await bytes(server, media)
    const parts = listed(playlist, /#EXT-X-MAP:URI="([^"]+)"/u, /#EXT-X-PART:.*URI="([^"]+)"/u)
    for (const part of parts) await bytes(server, new URL(part, server.http(media)).pathname)
    expect((await bytes(server, '/snap/live/source')).subarray(0, 2).toString('hex')).to.equal('ffd8')
  })

  it('records, lists and downloads MP4, and plays it again', async () => {
    const list = async () =>
      ((await json(server, '/api/record/mp4/list/live/rtmp')) as Recordings).data.find(({ isActive }) => !isActive)
    const { id, startTime } = await waitFor(list, { what: 'a recording' })
    const recording = await bytes(server, `/mp4/download/live/rtmp.mp4?id=${id}`)
    expect(recording.includes('moov')).to.equal(true)
    await expectMedia('vod_mp4_1/live/rtmp')
    await bytes(server, `/hls/live/rtmp.m3u8?start=${Date.parse(startTime)}`)
  })

  it('has the files of its pages', async () => {
    const files = new Set(['/', '/api/docs', '/webrtc/test'])
    for (const file of files) {
      const links = String(await bytes(server, file)).matchAll(LINK)
      for (const [, link, script] of links) files.add(new URL(link ?? script ?? '', server.http(file)).pathname)
    }
    expect([...files]).to.include.members(['/home/mpegts.js', '/home/player.js', '/api/docs/swagger-ui-bundle.js'])
    expect(String(await bytes(server, '/api/openapi.json'))).to.include('"/api/stream/list"')
  })

  it('shares its sdk with a plugin of others, and with its threads and forks', async () => {
    await new FlvViewer(server.http('/own/live/source.flv')).received.wait(FRAMES)
    const said = ['fork', 'thread'].map((kind) => `${kind} InvalidRequest SluiceError true`)
    const answer = async () => ((await json(server, '/own/api/said')) as { readonly data: readonly string[] }).data
    await waitFor(async () => (await answer()).length > said.length, { what: 'the thread and the fork' })
    expect(await answer()).to.eql([...said, 'StreamExists true'])
    const refused = await fetch(server.http('/flv/live/refused.flv'))
    expect(refused.status).to.equal(402)
  })

  it('has its spans by the SDK that the process was started with, and nothing to complain of', async () => {
    expect(String(await readFile(path.join(folder, 'spans.txt')))).to.match(/^publish$/mu)
    expect(server.complaints).to.eql([])
    expect(server.process.stderr.replace(BUILDING, '')).to.equal('')
  })

  it('has the commands of plugins, which run without a server', async () => {
    const said = async (...args: readonly string[]) => String(await startCommand(args, { cwd: folder }).succeed())
    expect(await said('--help')).to.match(/^ {2}sluice gb-device +\S/mu)
    expect(await said('gb-device', '--help')).to.match(/^Usage: sluice gb-device/u)
  })

  it('keeps users in PostgreSQL, whom it lets in, and recordings in a bucket, and has its commands', async function () {
    for (const peer of ['postgresql', 'swift'] as const) requirePeer(this, peer)
    const [swift, postgres] = await Promise.all([SwiftServer.start(), sharedPostgres()])
    const bucket = configOf(swift.port)
    const [dsn] = await Promise.all([postgres.createDatabase(), makeBucket(bucket)])
    const config = await putConfig('users', {
      global: {
        db: { dsn },
        admin: { enablelogin: true },
        pull: { folders: [folder] },
        datadir: 'users',
        storage: { s3: { ...bucket, timeout: '30s' }, local: { path: 'spool' } },
      },
      mp4: { pull: { 'live/clip': 'clip.mp4' }, onpub: { record: { '^live/': {} } } },
    })
    const run = async (args: readonly string[], options: CommandOptions = {}) =>
      String(await startCommand(args, { cwd: folder, ...options }).succeed()).trim()
    const on = ['-c', config]
    expect(await run(['user', 'add', 'alice', '--role', 'admin', ...on], { input: `${PASSWORD}\n` })).to.match(
      /^added/u,
    )
    const [checked, token, users, unit] = await Promise.all([
      run(['check', ...on]),
      run(['token', 'add', 'ci', '--role', 'admin', ...on]),
      ServerCommand.start(on, { cwd: folder }),
      run(['service', 'install', '--print', ...on]),
    ])
    expect(checked).to.match(/^# ok: /u)
    expect(unit).to.include('ExecStart=')
    await fetch(users.http('/api/auth/login'), { method: 'POST', body: '{"username":"alice","password":"wrong"}' })
    const { data } = (await post(users, '/api/auth/login', { username: 'alice', password: PASSWORD })) as {
      readonly data: { readonly token: string }
    }
    const headers = { authorization: `Bearer ${data.token}` }
    expect((await fetch(users.http('/api/user/list'))).status).to.equal(401)
    expect(String(await bytes(users, '/api/user/list', { headers }))).to.include('alice')
    const env = { SLUICE_SERVER: users.http(''), SLUICE_TOKEN: token }
    const set = run(['ctl', 'config', 'set', 'rtmp.chunksize', '8192'], { env })
    const [listing] = await Promise.all([run(['ctl', 'users', 'list'], { env }), set])
    expect(listing).to.include('alice')
    expect(await run(['reset', ...on, 'rtmp.chunksize'])).to.include('rtmp.chunksize')
    const isStored = async () => {
      const { data: files } = (await json(users, '/api/record/mp4/list/live/clip', { headers })) as Recordings
      const spooled = await readdir(path.join(folder, 'spool'), { recursive: true })
      return files.some(({ isActive }) => !isActive) && spooled.every((name) => !name.endsWith('.mp4'))
    }
    await waitFor(isStored, { what: 'the recording to be in the bucket' })
    await new FlvViewer(users.http('/flv/vod_mp4_1/live/clip.flv')).received.wait(FRAMES)
    expect(users.complaints.map(({ msg }) => msg)).to.eql(['a login failed'])
  })
})

/** The body of an answer. */
async function bytes(server: ServerCommand, route: string, init?: RequestInit): Promise<Buffer> {
  const response = await fetch(server.http(route), init)
  const body = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new Error(`${route}: ${response.status} ${body.toString('utf8', 0, 500)}`)
  return body
}

async function json(server: ServerCommand, route: string, init?: RequestInit): Promise<unknown> {
  return JSON.parse(String(await bytes(server, route, init)))
}

function post(server: ServerCommand, route: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  return json(server, route, { method: 'POST', headers, body: JSON.stringify(body) })
}

/** The first address of each kind in a playlist. */
function listed(playlist: Buffer, ...kinds: readonly RegExp[]): string[] {
  return kinds.map((kind) => {
    const [, address] = kind.exec(String(playlist)) ?? []
    if (address === undefined) throw new Error(`no ${kind.source} in ${String(playlist)}`)
    return address
  })
}
