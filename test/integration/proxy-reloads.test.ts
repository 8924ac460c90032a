import { existsSync } from 'node:fs'
import { appendFile, cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { ScriptedPublisher } from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import rtsp from '../../plugins/rtsp/index.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startDeadEndProxy } from '../support/dead-end-proxy.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const PLUGINS = path.resolve(import.meta.dirname, '../../plugins')
const CLIENT = { ip: '', port: 0, userAgent: 'test' }
const RELOADS = 20
/** Proxies whose sources are away, which are looked for all the time. */
const DEAD = 50
const UNIT_MS = 20
/** In a unit of AAC. */
const SAMPLES = 1024

type Server = TestServer<unknown>
type Proxy = Readonly<Record<string, unknown>>

/** A server with RTSP alone, of another machine as far as the proxies know. */
async function rtspServer(config: Readonly<Record<string, unknown>> = {}): Promise<Server> {
  const server = await createTestServer(rtsp, { beside: ['relay'], config: { transport: 'tcp', ...config } })
  keep({ close: () => server.stop() })
  return server
}

/** The address of a stream of sound that goes on until the test is over. */
async function startSource(): Promise<string> {
  const server = await rtspServer()
  const publisher = await server.streams.publish({ streamPath: 'live/source', url: '', query: '', client: CLIENT })
  const script = new ScriptedPublisher(publisher, { video: false })
  const timer = setInterval(() => script.write(1), UNIT_MS)
  keep({ close: () => clearInterval(timer) })
  return `rtsp://127.0.0.1:${server.port()}/live/source`
}

/** A server whose proxies are a plugin of its own folder, which can be saved, taken away and put back. */
class Edge {
  readonly server: RunningServer
  readonly #folder: string

  private constructor(server: RunningServer, folder: string) {
    this.server = server
    this.#folder = folder
  }

  static async start(deadEnd: string): Promise<Edge> {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-plugins-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    for (const name of ['rtsp', 'mp4', 'recording', 'proxy']) {
      const place = path.join(PLUGINS, name)
      if (existsSync(place)) await cp(place, path.join(folder, name), { recursive: true })
    }
    const pullproxy = Array.from({ length: DEAD }, (_, index) => ({
      streampath: `dead/${index}`,
      pull: { url: `rtsp://192.0.2.${index + 1}/camera`, proxy: deadEnd },
      pullonstart: true,
      checkinterval: '1s',
    }))
    // JSON is YAML.
    const config = JSON.stringify({ global: { pullproxy } })
    return new Edge(await startServer({ config, pluginFolders: [folder] }), folder)
  }

  async ask(operation: string, body?: object): Promise<{ readonly status: number; readonly data: unknown }> {
    const headers = { 'content-type': 'application/json' }
    const init = body && { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await this.server.api(`/api/proxy/${operation}`, init)
    return { status: answer.status, data: answer.body.data }
  }

  /** The proxies that are stored, by ids. */
  async proxies(kind: 'pull' | 'push'): Promise<readonly Proxy[]> {
    const all = (await this.ask(`${kind}/list`)).data as readonly Proxy[]
    return all.filter(({ ID }) => Number(ID) < 2 ** 31)
  }

  async reload(generation: number): Promise<void> {
    await appendFile(path.join(this.#folder, 'proxy', 'index.ts'), `// ${generation}\n`)
    await this.#says(`generation ${generation} took over`)
  }

  async hasEnded(generation: number): Promise<void> {
    await this.#says(`generation ${generation} has ended`)
  }

  async remove(): Promise<void> {
    await rm(path.join(this.#folder, 'proxy'), { recursive: true })
    await this.#says("plugin 'proxy' was removed")
  }

  async putBack(): Promise<void> {
    await cp(path.join(PLUGINS, 'proxy'), path.join(this.#folder, 'proxy'), { recursive: true })
    await waitFor(async () => (await this.ask('pull/list')).status === 200, { what: 'the proxies to be back' })
  }

  /** The files that there are of recordings. */
  async recorded(): Promise<string[]> {
    const files = await readdir(path.join(this.server.folder, 'recordings'), { recursive: true })
    return files.filter((name) => name.endsWith('.mp4'))
  }

  isLive(streamPath: string): boolean {
    return this.server.server.streams.get(streamPath) !== undefined
  }

  async #says(text: string): Promise<void> {
    const isSaid = () => this.server.records.some(({ plugin, msg }) => plugin === 'proxy' && msg.startsWith(text))
    await waitFor(isSaid, { what: text })
  }
}

/** The times from each unit to the next, as multiples of the timescale. */
function stepsOf({ units }: ReceivedUnits): number[] {
  const steps = units.slice(1).map(({ dts }, index) => dts - units[index]!.dts)
  return [...new Set(steps)]
}

describe('the proxies', () => {
  it(`keep their streams over ${RELOADS} reloads; removed they end them, and put back they begin`, async () => {
    const source = await startSource()
    const deadEnd = await startDeadEndProxy()
    const edge = await Edge.start(deadEnd.url)
    const pull = { 'seen/pulled': { url: edge.server.rtsp('pulled'), maxretry: -1, retryinterval: '100ms' } }
    const outside = await rtspServer({ pull })
    const pushURL = `rtsp://127.0.0.1:${outside.port()}/seen/pushed`
    const camera = { pullURL: source, streamPath: 'pulled', pullOnStart: true, audio: true, recordPath: 'camera' }
    await edge.ask('pull/add', camera)
    await edge.ask('push/add', { pushURL, streamPath: 'pulled', audio: true })
    const seen = await Promise.all(['seen/pulled', 'seen/pushed'].map((of) => ReceivedUnits.of(outside.streams, of)))
    const states = async () =>
      [await edge.proxies('pull'), await edge.proxies('push')].flat().map((one) => one['status'])
    await waitFor(async () => String(await states()) === '2,2', { what: 'both to run' })

    for (let generation = 2; generation <= RELOADS + 1; generation++) {
      const before = seen.map(({ units }) => units.length)
      const description = `in generation ${generation}`
      const changed = edge.ask('pull/update', { ID: 1, description })
      await edge.reload(generation)
      expect((await changed).status).to.equal(200)
      expect(await states()).to.eql([2, 2])
      await waitFor(() => seen.every(({ units }, index) => units.length > before[index]!), { what: 'more media' })
    }
    await edge.hasEnded(RELOADS)
    const dials = new Map(deadEnd.dials)
    await waitFor(() => [...dials].every(([host, count]) => deadEnd.dials.get(host)! > count), { what: 'more checks' })
    expect(dials.size).to.equal(DEAD)
    for (const viewer of seen) {
      expect([viewer.closed, viewer.events]).to.eql([undefined, []])
      expect(stepsOf(viewer)).to.eql([SAMPLES])
    }
    const ended = edge.server.records.filter(({ msg }) => /^the (?:pull|push) (?:has ended|failed)/u.test(msg))
    expect(ended.filter(({ stream }) => stream === 'pulled')).to.eql([])

    expect(await edge.recorded()).to.have.length(1)

    await edge.remove()
    await waitFor(() => !edge.isLive('pulled'), { what: 'the pull to end' })
    await waitFor(() => outside.streams.get('seen/pushed') === undefined, { what: 'the push to end' })
    expect((await edge.ask('pull/list')).status).to.equal(404)
    await edge.putBack()
    await waitFor(async () => String(await states()) === '2,2', { what: 'both to run again' })
    await waitFor(() => outside.streams.get('seen/pushed') !== undefined, { what: 'the push to be back' })
    const [stored] = await edge.proxies('pull')
    expect(stored).to.include({ streamPath: 'pulled', description: `in generation ${RELOADS + 1}` })
  })
})
