import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import { Config } from '../../core/config/config.ts'
import { createLogger } from '../../core/observe/logger.ts'
import { PLUGINS_FOLDER } from '../../core/package-root.ts'
import { Server } from '../../core/server.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { comparable } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'

const CONFIG = `
global:
  plugins_dir: plugins
  enableauth: true
  publish:
    key: any-key-turns-the-check-on
`

/** A third party's plugin, as it would be dropped in: it says who it is, counts hooks, and lets in who knows a word. */
function doorman(word: string, setup = ''): string {
  return `
import { definePlugin } from 'sluice/sdk'

export default definePlugin({
  name: 'doorman',
  version: '1.0.0',
  setup(ctx) {
    ${setup}
    const seen: string[] = []
    ctx.hooks.on('publish', ({ streamPath }) => void seen.push('publish ' + streamPath))
    ctx.hooks.on('subscribed', ({ streamPath }) => void seen.push('subscribed ' + streamPath))
    ctx.http.get('/seen', () => ({ word: '${word}', seen }))
    ctx.streams.set_stream_auth_handler(({ is_publish, params }) => !is_publish || params['word'] === '${word}')
  },
})
`
}

type Info = { readonly name: string; readonly description: Readonly<Record<string, string>> }

async function pluginInfo(server: RunningServer, name: string, list = '/api/sysinfo'): Promise<Info | undefined> {
  const { data } = (await server.api(list)).body
  const plugins = (list === '/api/sysinfo' ? (data as { plugins: Info[] }).plugins : data) as Info[]
  return plugins.find((plugin) => plugin.name === name)
}

async function isAdmitted(url: string): Promise<boolean> {
  const client = await RtmpClient.connect({ url })
  client.tell('publish', url.slice(url.lastIndexOf('/') + 1), 'live')
  const admitted = await client.isTold('NetStream.Publish.Start')
  client.close()
  return admitted
}

async function seenBy(server: RunningServer): Promise<{ word: string; seen: string[] }> {
  const response = await fetch(server.http('/doorman/seen'))
  if (!response.ok) throw new Error(`doorman answers ${response.status}`)
  return (await response.json()) as { word: string; seen: string[] }
}

describe('a plugin file dropped into a running server', () => {
  let server: RunningServer
  let file: string
  beforeEach(async () => {
    server = await startServer({ config: CONFIG, prepare: (folder) => mkdir(path.join(folder, 'plugins')) })
    file = path.join(server.folder, 'plugins', 'doorman.ts')
  })

  async function drop(text: string): Promise<void> {
    const startMs = performance.now()
    await writeFile(file, text)
    const word = /word: '(\w+)'/u.exec(text)?.[1]
    await waitFor(async () => (await seenBy(server)).word === word, { what: 'the plugin to take part' })
    process.stdout.write(`    took part after ${(performance.now() - startMs).toFixed(0)} ms\n`)
  }

  it('takes part: it is listed, answers, sees sessions and decides about them', async () => {
    expect(await isAdmitted(server.rtmp('live/one?word=sesame'))).to.equal(false)
    await drop(doorman('sesame'))
    expect((await pluginInfo(server, 'doorman'))?.description).to.include({ version: '1.0.0', generation: '1' })
    expect(await isAdmitted(server.rtmp('live/one'))).to.equal(false)
    expect(await isAdmitted(server.rtmp('live/one?word=sesame'))).to.equal(true)
    const player = new FlvViewer(server.http('/flv/live/two.flv'))
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/two?word=sesame') })
    // Sound of G.711 needs no sequence header.
    publisher.send({ type: 8, timestampMs: 0, body: Buffer.from('7201020304', 'hex') })
    await player.received.wait(1)
    expect((await seenBy(server)).seen).to.eql(['publish live/one', 'publish live/two', 'subscribed live/two'])
  })

  it('is replaced when it changes, and is gone when it is removed', async () => {
    await drop(doorman('sesame'))
    await drop(doorman('mellon'))
    expect((await pluginInfo(server, 'doorman'))?.description).to.include({ generation: '2' })
    expect(await isAdmitted(server.rtmp('live/one?word=sesame'))).to.equal(false)
    expect(await isAdmitted(server.rtmp('live/one?word=mellon'))).to.equal(true)

    await rm(file)
    await waitFor(async () => (await pluginInfo(server, 'doorman')) === undefined, { what: 'the plugin to go' })
    expect((await fetch(server.http('/doorman/seen'))).status).to.equal(404)
    // Without it, the key asks for a signature again.
    expect(await isAdmitted(server.rtmp('live/one?word=mellon'))).to.equal(false)
  })

  const broken = [
    { name: 'does not parse', text: 'export default {{{' },
    { name: 'is no plugin', text: 'export default 42' },
    { name: 'throws when it is loaded', text: 'throw new Error("not today")' },
    { name: 'throws in setup', text: doorman('never', 'throw new Error("not today")') },
    {
      name: 'rejects in setup',
      text: doorman('never').replace('setup(ctx) {', 'async setup(ctx) { await null; null.x;'),
    },
  ]
  for (const { name, text } of broken) {
    it(`goes on as it was when its next version ${name}, and says why`, async () => {
      await drop(doorman('sesame'))
      await writeFile(file, text)
      const info = await waitFor(async () => {
        const shown = await pluginInfo(server, 'doorman')
        return shown?.description['lastError'] === undefined ? null : shown
      })
      expect(info.description['lastError']).to.match(/./u)
      expect((await seenBy(server)).word).to.equal('sesame')
      expect(await isAdmitted(server.rtmp('live/one?word=sesame'))).to.equal(true)
      expect(server.problems.some(({ plugin }) => plugin === 'doorman')).to.equal(true)

      await drop(doorman('mellon'))
      expect((await pluginInfo(server, 'doorman'))?.description).not.to.have.property('lastError')
    })
  }
})

describe('a plugin that misbehaves', () => {
  const CLIP = { audio: false, durationSeconds: 1 } as const
  let server: RunningServer
  let source: FlvFile
  before(async function () {
    requirePeer(this, 'ffmpeg')
    const prepare = (folder: string) => mkdir(path.join(folder, 'plugins'))
    server = await startServer({ config: 'global:\n  plugins_dir: plugins\n', prepare })
    source = await makeFlvFile(path.join(server.folder, 'source.flv'), CLIP)
  })

  function plugin(name: string, setup: string): Promise<void> {
    const text = `import { definePlugin } from 'sluice/sdk'
export default definePlugin({ name: '${name}', version: '1.0.0', setup(ctx) { ${setup} } })`
    return writeFile(path.join(server.folder, 'plugins', `${name}.ts`), text)
  }

  async function expectService(target: string, on = server): Promise<void> {
    const viewer = new FlvViewer(on.http(`/flv/${target}.flv`))
    const publisher = await RtmpClient.publish({ url: on.rtmp(target) })
    for (const tag of source.tags) publisher.send(tag)
    expect(comparable(await viewer.received.wait(source.frames.length))).to.eql(comparable(source.frames))
    publisher.close()
    viewer.close()
  }

  const itBeside = sideBySide()

  itBeside('in setup, at start, is listed as disabled with the reason, and the others serve', async () => {
    const other = await startServer({
      config: 'global:\n  plugins_dir: plugins\n',
      prepare: async (folder) => {
        await mkdir(path.join(folder, 'plugins'))
        await writeFile(path.join(folder, 'plugins', 'bad.ts'), doorman('x', 'throw new Error("not today")'))
      },
    })
    const info = await pluginInfo(other, 'doorman', '/api/plugins/disabled')
    expect(info?.description['disableReason']).to.include('not today')
    await expectService('live/bad', other)
  })

  itBeside('by a setup that hangs, holds nobody up, and is given up', async () => {
    await plugin('hangs', 'return new Promise(() => {})')
    await waitFor(() => server.server.host.list().some(({ name }) => name === 'hangs'), { what: 'its discovery' })
    await expectService('live/hangs')
    const reason = async () =>
      (await pluginInfo(server, 'hangs', '/api/plugins/disabled'))?.description['disableReason']
    expect(await waitFor(reason)).to.match(/setup/u)
  })

  itBeside('by hooks that throw on notice, is logged by name, and media goes on', async () => {
    const notices = ['published', 'track', 'subscribed', 'unsubscribed', 'unpublished']
    await plugin(
      'thrower',
      notices.map((name) => `ctx.hooks.on('${name}', () => { throw new Error('${name}') })`).join('\n'),
    )
    await waitFor(() => pluginInfo(server, 'thrower'))
    await expectService('live/thrower')
    const told = () => server.problems.filter((record) => record.plugin === 'thrower').length
    await waitFor(() => told() >= notices.length, { what: 'five complaints' })
  })

  itBeside('by an admission hook that throws, refuses that session only', async () => {
    await plugin(
      'picky',
      `ctx.hooks.on('publish', ({ streamPath }) => { if (streamPath === 'live/no') throw new Error('no') })`,
    )
    await waitFor(() => pluginInfo(server, 'picky'))
    expect(await isAdmitted(server.rtmp('live/no'))).to.equal(false)
    await expectService('live/yes')
  })

  itBeside('by an admission hook that never settles, costs that session only', async () => {
    await plugin(
      'thinker',
      `ctx.hooks.on('publish', ({ streamPath }) => streamPath === 'live/slow' ? new Promise(() => {}) : undefined)`,
    )
    await waitFor(() => pluginInfo(server, 'thinker'))
    const slow = isAdmitted(server.rtmp('live/slow'))
    await expectService('live/quick')
    expect(await slow).to.equal(false)
    expect(server.server.streams.get('live/slow')).to.equal(undefined)
  })

  itBeside('by an error long after setup, harms nobody', async () => {
    await plugin('late', `ctx.http.get('/boom', () => { throw new Error('boom') })`)
    await waitFor(() => pluginInfo(server, 'late'))
    expect((await fetch(server.http('/late/boom'))).status).to.equal(500)
    await expectService('live/late')
  })
})

describe('a plugin that hangs while it is loaded', () => {
  it('keeps the server from nothing, and joins when it is done', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    const gate = Promise.withResolvers<void>()
    Object.assign(globalThis, { sluiceSlowLoad: gate.promise })
    const file = path.join(folder, 'config.yaml')
    await writeFile(file, `global:\n  plugins_dir: plugins\n  http: 127.0.0.1:0\n  datadir: ${folder}\n`)
    await mkdir(path.join(folder, 'plugins'))
    await writeFile(
      path.join(folder, 'plugins', 'doorman.ts'),
      `await (globalThis as any).sluiceSlowLoad\n${doorman('x')}`,
    )
    const log = createLogger({ level: 'silent', destination: { write: () => {} } })
    const server = new Server({ config: await Config.load({ file, env: {} }), log, pluginFolders: [] })
    keep({
      close: async () => {
        await server.stop('the test is over')
        await rm(folder, { recursive: true, force: true })
      },
    })
    const starting = server.start()
    const port = await waitFor(() => server.http.addresses[0]?.port, { what: 'the HTTP address' })
    const status = async (name: string) => (await fetch(`http://127.0.0.1:${port}${name}`)).status
    expect(await status('/healthz')).to.equal(200)
    expect(await status('/readyz')).to.equal(503)
    expect(server.host.list().map(({ state }) => state)).to.deep.equal(['starting'])
    gate.resolve()
    await starting
    expect(await status('/readyz')).to.equal(200)
    expect(await status('/doorman/seen')).to.equal(200)
  })
})

describe('a protocol that is replaced while it serves', () => {
  it('loses no frame of its viewers, and serves new ones in the new generation on the same port', async function () {
    requirePeer(this, 'ffmpeg')
    const server = await startServer({
      config: 'global:\n  plugins_dir: plugins\n',
      pluginFolders: [],
      prepare: (folder) => cp(PLUGINS_FOLDER, path.join(folder, 'plugins'), { recursive: true }),
    })
    const source = await makeFlvFile(path.join(server.folder, 'source.flv'))
    const target = 'live/replaced'
    const ports = { http: server.httpPort, rtmp: server.rtmpPort }
    const viewers = [
      await RtmpClient.play({ url: server.rtmp(target) }),
      new FlvViewer(server.http(`/flv/${target}.flv`)),
      new FlvViewer(server.ws(`/flv/${target}.flv`)),
    ]
    await waitFor(() => server.server.streams.subscribers(target).length === viewers.length)
    const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
    const half = Math.floor(source.tags.length / 2)
    for (const tag of source.tags.slice(0, half)) publisher.send(tag)
    for (const { received } of viewers) await received.wait(1)

    for (const name of ['rtmp', 'flv']) {
      // Not the entry, to show that the whole folder is renewed.
      await appendFile(path.join(server.folder, 'plugins', name, 'session.ts'), '\n// touched\n')
    }
    const generation = async (name: string) => (await pluginInfo(server, name))?.description['generation']
    await waitFor(async () => (await generation('rtmp')) === '2' && (await generation('flv')) === '2')

    const late = [
      await RtmpClient.play({ url: server.rtmp(target) }),
      new FlvViewer(server.http(`/flv/${target}.flv`)),
      new FlvViewer(server.ws(`/flv/${target}.flv`)),
    ]
    for (const { received } of late) expect((await received.wait(1))[0]).to.include({ kind: 'video', keyframe: true })
    for (const tag of source.tags.slice(half)) publisher.send(tag)
    for (const { received } of viewers) {
      expect(comparable(await received.wait(source.frames.length))).to.eql(comparable(source.frames))
      expect(received.sequenceHeaders).to.have.length(2)
    }
    const tail = comparable(source.frames.slice(-1)).map(({ md5 }) => md5)
    for (const { received } of late) {
      await waitFor(() => received.frames.at(-1)?.md5 === tail[0], { what: 'the last frame' })
    }
    expect({ http: server.httpPort, rtmp: server.rtmpPort }).to.eql(ports)
    expect(server.problems).to.eql([])
  })
})
