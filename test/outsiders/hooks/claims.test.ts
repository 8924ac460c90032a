import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { isAmfObject } from 'sluice/sdk/media'
import { keep } from '../../peers/lifetime.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { blocksOf } from '../../support/doc-blocks.ts'
import { makeFlvFile, type FlvFile } from '../../support/flv-file.ts'
import { FlvViewer } from '../../support/flv-viewer.ts'
import { RtmpClient } from '../../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../../support/server.ts'

describe('a plugin that claims paths in a folder that servers share', () => {
  let folder: string
  let source: FlvFile
  let one: RunningServer
  let other: RunningServer

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-claims-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    source = await makeFlvFile(path.join(folder, 'source.flv'), { video: { gopFrames: 20 } })
  })

  beforeEach(async () => {
    one = await startNode()
    other = await startNode()
  })

  afterEach(() => Promise.all([one.stop(), other.stop()]))

  const claims = () => readdir(path.join(folder, 'claims')).catch(() => [])

  async function startNode(): Promise<RunningServer> {
    const config = (more = '') => `
global: { plugins_dir: plugins }
claims: { folder: '${folder}/claims'${more} }
`
    const running = await startServer({
      config: config(),
      env: { SLUICE_GLOBAL_SUBSCRIBE_WAITTIMEOUT: '300ms' },
      prepare: async (place) => {
        await mkdir(path.join(place, 'plugins'))
        // By their names, the one that listens is loaded first.
        for (const [from, to] of [
          ['claim-counter.ts', 'a-counter.ts'],
          ['claims.ts', 'claims.ts'],
        ] as const) {
          await cp(path.join(import.meta.dirname, from), path.join(place, 'plugins', to))
        }
      },
    })
    const [http, rtmp] = [running.http(''), running.rtmp('').slice(0, -1)]
    await running.writeConfig(config(`, httpaddress: '${http}', rtmpaddress: '${rtmp}'`))
    await running.server.reload()
    const generation = () => running.server.host.list().find(({ name }) => name === 'claims')?.generation
    await waitFor(() => generation() === 2, { what: 'the addresses of the server' })
    return running
  }

  async function publish(server: RunningServer, streamPath: string): Promise<RtmpClient> {
    const publisher = await RtmpClient.publish({ url: server.rtmp(streamPath) })
    for (const tag of source.tags) publisher.send(tag)
    return publisher
  }

  it('refuses a second publisher with its own status, and lets it in once the first has ended', async () => {
    const first = await publish(one, 'live/a')
    expect(await claims()).to.eql(['live%2Fa'])
    const second = await RtmpClient.connect({ url: other.rtmp('live/a') })
    second.tell('publish', 'a', 'live')
    expect(await second.isTold('NetStream.Publish.BadName')).to.equal(true)
    first.close()
    await waitFor(async () => (await claims()).length === 0, { what: 'the claim to be given back' })
    await publish(other, 'live/a')
    expect(await claims()).to.eql(['live%2Fa'])
  })

  it('gives a claim back that was made for nothing, and keeps that of the publisher', async () => {
    await publish(one, 'live/b')
    await publish(one, 'live/other').then((publisher) => publisher.close())
    await waitFor(async () => (await claims()).length === 1)
    const second = await RtmpClient.connect({ url: one.rtmp('live/b') })
    second.tell('publish', 'b', 'live')
    await second.closed
    expect(await claims()).to.eql(['live%2Fb'])
  })

  it('sends viewers to the server that has the stream, with their query', async () => {
    await publish(one, 'live/c')
    const cases = [
      [other.http('/flv/live/c.flv?key=1'), one.http('/flv/live/c.flv?key=1')],
      [other.ws('/flv/live/c.flv?key=1'), one.http('/flv/live/c.flv?key=1')],
      [other.http('/mp4/live/c'), one.http('/mp4/live/c.mp4')],
      [other.http('/hls/live/c.m3u8?key=1'), one.http('/hls/live/c.m3u8?key=1')],
    ] as const
    for (const [url, expected] of cases) {
      const viewer = new FlvViewer(url)
      expect([await viewer.status, (await viewer.headers).location], url).to.eql([302, expected])
    }
    const viewer = await fetch(other.http('/flv/live/c.flv'))
    expect([viewer.status, viewer.url]).to.eql([200, one.http('/flv/live/c.flv')])
    await viewer.body?.cancel()
  })

  it('sends RTMP players there by the refusal that names an address, and ends their connection', async () => {
    await publish(one, 'live/d')
    const player = await RtmpClient.play({ url: other.rtmp('live/d?key=1') })
    await player.closed
    const [information] = player.commands.find(({ name }) => name === 'onStatus')?.args ?? []
    expect(information).to.satisfy(isAmfObject)
    expect(information).to.deep.include({ code: 'NetConnection.Connect.Rejected', level: 'error' })
    expect(information).to.have.nested.property('ex.code', 302)
    expect(information).to.have.nested.property('ex.redirect', one.rtmp('live/d?key=1'))
    const logged = JSON.stringify(other.records)
    expect(logged).to.include('play refused').and.not.include('key=1')
  })

  it('gives viewers of another path the stream that it stands for', async () => {
    await publish(one, 'live/e')
    const viewer = new FlvViewer(one.http('/flv/main/e.flv'))
    expect(await viewer.status).to.equal(200)
    const [first] = await viewer.received.wait(1)
    expect(first).to.include({ kind: 'video', keyframe: true })
    expect(one.server.streams.get('live/e')?.subscriberCount).to.equal(1)
  })

  it('tells another plugin, which was there before, of its claims', async () => {
    const publisher = await publish(one, 'live/f')
    publisher.close()
    const told = () =>
      one.records.filter(({ msg }) => msg === 'claims').map(({ streamPath, held }) => [streamPath, held])
    await waitFor(() => told().length === 2, { what: 'both notices' })
    expect(told()).to.eql([
      ['live/f', 1],
      ['live/f', 0],
    ])
    expect(one.problems).to.eql([])
  })
})

describe('docs/plugins/hooks.md', () => {
  it('shows the plugins as they are', async () => {
    const page = await blocksOf('docs/plugins/hooks.md', 'ts')
    for (const file of ['claims.ts', 'claim-counter.ts', 'disk-watch.ts']) {
      const text = await readFile(path.join(import.meta.dirname, file), 'utf8')
      expect(page(`name: '${file.replace('.ts', '')}'`)).to.equal(text)
    }
  })
})
