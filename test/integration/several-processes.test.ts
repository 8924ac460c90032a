import { expect } from 'chai'
import { definePlugin, type PluginContext, type PluginDefinition } from 'sluice/sdk'
import { ScriptedPublisher, sessionInit } from 'sluice/sdk/testing'
import { MemoryBus } from '../../core/peers/testing/memory-bus.ts'
import { DefinitionFiles } from '../../core/testing/definition-files.ts'
import crontab from '../../plugins/crontab/index.ts'
import hls from '../../plugins/hls/index.ts'
import whipLike from '../outsiders/whip-like.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { addressesIn, ask } from '../support/hls-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const CONFIG = 'hls: { fragment: 500ms }'
/** Each request of a viewer is accepted by whatever process takes its connection. */
const ALONE = { headers: { connection: 'close' } }

/** A server, and the way in by which a test publishes and subscribes. */
type Process = { readonly server: RunningServer; readonly streams: PluginContext<unknown>['streams'] }
type Listed = {
  readonly id: number
  readonly name: string
  readonly path: string
  readonly streamPath: string
  readonly subscribers: number
}

describe('two processes of a server', () => {
  let bus: MemoryBus
  let first: Process
  let second: Process
  beforeEach(async () => {
    bus = new MemoryBus()
    first = await startProcess(0)
    second = await startProcess(1)
  })

  async function startProcess(process: number): Promise<Process> {
    const entered = Promise.withResolvers<PluginContext<unknown>>()
    const stage = definePlugin({ name: 'stage', version: '1.0.0', setup: (ctx) => entered.resolve(ctx) })
    const files = await DefinitionFiles.create()
    keep({ close: () => files.remove() })
    const plugins: readonly PluginDefinition[] = [stage, crontab, hls, whipLike]
    for (const plugin of plugins) await files.write(plugin)
    const isPublished = (path: string) => server?.server.streams.get(path)?.publisher !== undefined
    const peers = bus.join(process, { hasStream: isPublished })
    let server: RunningServer | undefined
    server = await startServer({ config: CONFIG, pluginFolders: [files.folder], peers })
    return { server, streams: (await entered.promise).streams }
  }

  async function publish({ streams }: Process, streamPath: string): Promise<ScriptedPublisher> {
    const script = new ScriptedPublisher(await streams.publish(sessionInit(streamPath)))
    script.write(10)
    return script
  }

  const list = async ({ server }: Process, path: string) => {
    const { data, total } = (await server.api(path)).body
    return { items: data as readonly Listed[], total }
  }
  const post = async ({ server }: Process, path: string) => (await server.api(path, { method: 'POST' })).status

  it('list the streams and viewers of both, and stop them whichever is asked', async () => {
    await publish(first, 'live/a')
    await publish(second, 'live/b')
    const ends: string[] = []
    for (const { streams } of [first, second]) {
      const streamPath = streams === first.streams ? 'live/a' : 'live/b'
      const subscriber = await streams.subscribe(sessionInit(streamPath))
      subscriber.onClose(({ code }) => ends.push(`${streamPath} ${code}`))
    }
    for (const asked of [first, second]) {
      const { items, total } = await list(asked, '/api/stream/list')
      expect(items.map(({ path, subscribers }) => `${path} ${subscribers}`)).to.have.members(['live/a 1', 'live/b 1'])
      expect(total).to.equal(2)
    }
    const { items } = await list(first, '/api/subscribers?pageSize=5')
    expect(items.map(({ streamPath }) => streamPath)).to.eql(['live/a', 'live/b'])
    expect(items.map(({ id }) => id >>> 20)).to.eql([0, 1])
    for (const { id } of items) expect(await post(first, `/api/subscribe/stop/${id}`)).to.equal(200)
    expect(ends).to.have.members(['live/a stopped', 'live/b stopped'])
    expect(await post(first, '/api/stream/stop/live/b')).to.equal(200)
    expect((await list(second, '/api/stream/list')).items.map(({ path }) => path)).to.eql(['live/a'])
  })

  it('go on with the part of a list that is there when one says nothing', async () => {
    await publish(first, 'live/a')
    await publish(second, 'live/b')
    bus.leave(1)
    expect((await list(first, '/api/stream/list')).items.map(({ path }) => path)).to.eql(['live/a'])
  })

  it('answer the playlists and segments of HLS sessions of each other', async () => {
    const script = await publish(second, 'live/b')
    const began = ask(second.server.http('/hls/live/b.m3u8?format=ts'))
    const writing = setInterval(() => script.write(5), 10)
    keep({ close: () => clearInterval(writing) })
    const multivariant = await began
    const through = ({ server }: Process, url: string) => server.http(new URL(url).pathname + new URL(url).search)
    const [mediaUrl = ''] = addressesIn(multivariant)
    const media = await ask(through(first, mediaUrl), ALONE)
    expect([media.status, media.text.startsWith('#EXTM3U')]).to.eql([200, true])
    const segments = addressesIn(media)
    expect(segments).not.to.eql([])
    for (const segment of segments) {
      const response = await fetch(through(first, segment), ALONE)
      const bytes = await response.bytes()
      expect([response.status, bytes[0]]).to.eql([200, 0x47])
    }
    expect(first.streams.list()).to.eql([])
    const viewers = second.streams.subscribers('live/b').filter(({ type }) => type === 'server')
    expect(viewers).to.have.length(1)
  })

  it('end and feed the resource of a WHIP session of each other', async () => {
    const created = await fetch(second.server.http('/whip-like/publish/live/w'), { method: 'POST' })
    const resource = first.server.http(created.headers.get('location') ?? '')
    const headers = { 'content-type': 'audio/basic' }
    const patched = await fetch(resource, { method: 'PATCH', body: Buffer.alloc(160), headers })
    expect([created.status, patched.status]).to.eql([201, 204])
    expect(second.streams.get('live/w')).not.to.equal(undefined)
    expect((await fetch(resource, { method: 'DELETE' })).status).to.equal(200)
    expect(second.streams.get('live/w')).to.equal(undefined)
  })

  it('run a plugin that must not run twice in one of them, whichever is asked for it', async () => {
    const states = ({ server }: Process) => server.server.host.list().find(({ name }) => name === 'crontab')?.state
    expect([states(first), states(second)]).to.eql(['running', 'off'])
    const added = await second.server.api('/plan/api/add', {
      method: 'POST',
      body: JSON.stringify({ name: 'nights', plan: '1'.repeat(168), enable: false }),
    })
    expect(added.body).to.include({ code: 0 })
    const names = async (asked: Process) => (await list(asked, '/plan/api/list')).items.map(({ name }) => name)
    for (const asked of [first, second]) expect(await names(asked)).to.include('nights')
    await first.server.stop()
    await waitFor(() => states(second) === 'running', { what: 'the plugin to run in the other process' })
    expect(await names(second)).not.to.include('nights')
  })
})
