import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand } from '../support/command.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { comparable } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url))

describe('examples', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  function start(example: string): Promise<ServerCommand> {
    return ServerCommand.start(['-c', path.join(EXAMPLES, example, 'config.yaml')])
  }

  it('single-file: lets in who knows the word, and logs who comes and goes', async () => {
    const server = await start('single-file')
    const refused = await RtmpClient.connect({ url: server.rtmp('live/test?word=wrong') })
    refused.tell('publish', 'test?word=wrong', 'live')
    await refused.closed
    expect(refused.statuses).not.to.include('NetStream.Publish.Start')
    const hooked = await RtmpClient.connect({ url: server.rtmp('private/test?word=open-sesame') })
    hooked.tell('publish', 'test?word=open-sesame', 'live')
    await hooked.closed
    expect(hooked.statuses).not.to.include('NetStream.Publish.Start')

    const publisher = await RtmpClient.publish({ url: server.rtmp('live/test?word=open-sesame') })
    publisher.send({ type: 8, timestampMs: 0, body: Buffer.from('7201020304', 'hex') })
    const viewer = new FlvViewer(server.http('/flv/live/test.flv'))
    await viewer.received.wait(1)
    viewer.close()
    const told = (what: string) => server.records.some(({ plugin, msg }) => plugin === 'gatehouse' && msg === what)
    await waitFor(() => told('came') && told('left'), { what: 'came and left in the log' })
    expect(server.process.stdout.toString()).not.to.include('open-sesame')
  })

  it('http-and-stream: shows a stream again under another path', async function () {
    requirePeer(this, 'ffmpeg')
    const server = await start('http-and-stream')
    const source = await makeFlvFile(path.join(folder, 'source.flv'))
    const viewer = new FlvViewer(server.http('/flv/live/a-mirror.flv'))
    const mirror = (headers = {}) => fetch(server.http('/mirror/api/start/live/a'), { method: 'POST', headers })
    expect(await mirror({ 'x-forwarded-for': '203.0.113.7' })).to.include({ status: 401 })
    expect(await (await mirror()).json()).to.have.nested.property('data.streamPath', 'live/a-mirror')
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/a') })
    for (const tag of source.tags) publisher.send(tag)
    expect(comparable(await viewer.received.wait(source.frames.length))).to.eql(comparable(source.frames))

    // The path is taken now: another mirror ends, and leaves nothing behind.
    await mirror()
    const failed = () => server.records.some(({ plugin, msg }) => plugin === 'mirror' && msg === 'task failed')
    await waitFor(failed, { what: 'the other mirror to end' })
    const { data } = (await (await fetch(server.http('/api/subscribers/live/a'))).json()) as { data: unknown[] }
    expect(data).to.have.length(1)
  })

  it('plugin-project: its plugin refuses a path, and remembers it', async () => {
    const server = await start('plugin-project')
    const refused = await RtmpClient.connect({ url: server.rtmp('live/Test') })
    refused.tell('publish', 'Test', 'live')
    await refused.closed
    expect(await (await fetch(server.http('/name-rules/refused'))).json()).to.eql(['live/Test'])
    await RtmpClient.publish({ url: server.rtmp('live/test') })
  })

  it('npm-package: is installed beside the server, and found in its working directory', async () => {
    await cp(path.join(EXAMPLES, 'npm-package'), path.join(folder, 'examples', 'npm-package'), { recursive: true })
    await writeFile(path.join(folder, 'package.json'), '{ "name": "sluice", "version": "0.1.0" }')
    await new PeerProcess('npm', ['install', '--offline', './examples/npm-package'], { cwd: folder }).succeed()
    await writeFile(path.join(folder, 'config.yaml'), 'viewer-log:\n  interval: 50ms\n')
    const server = await ServerCommand.start(['-c', 'config.yaml'], { cwd: folder })
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/counted') })
    publisher.send({ type: 8, timestampMs: 0, body: Buffer.from('7201020304', 'hex') })
    const viewer = new FlvViewer(server.ws('/flv/live/counted.flv'))
    await viewer.received.wait(1)
    const counted = () =>
      server.records.some((record) => record['stream'] === 'live/counted' && record['viewers'] === 1)
    await waitFor(counted, { what: 'one viewer in the log' })
  })
})
