import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

describe('a changed config file', () => {
  let server: RunningServer
  let publisher: RtmpClient
  beforeEach(async () => {
    server = await startServer({ config: 'rtmp:\n  publish:\n    kickexist: false\n' })
    publisher = await RtmpClient.publish({ url: server.rtmp('live/kept') })
  })

  async function write(text: string, message: string): Promise<void> {
    const before = server.records.length
    await server.writeConfig(text)
    await waitFor(() => server.records.slice(before).some(({ msg }) => msg === message), { what: message })
  }

  function rtmp() {
    return server.server.host.list().find(({ name }) => name === 'rtmp')
  }

  async function expectKick(kicked: boolean): Promise<void> {
    const second = await RtmpClient.connect({ url: server.rtmp('live/kept') })
    second.tell('publish', 'kept', 'live')
    await second.waitForStatus(kicked ? 'NetStream.Publish.Start' : 'NetStream.Publish.BadName')
    if (kicked) await publisher.closed
  }

  it('applies at once where the plugin takes it live', async () => {
    await expectKick(false)
    await write('rtmp:\n  publish:\n    kickexist: true\n', 'the config changed')
    await waitFor(() => rtmp()?.config?.values.publish.kickexist === true)
    await expectKick(true)
    expect(rtmp()?.generation).to.equal(1)
  })

  it('is told where it holds from the next start only', async () => {
    await write('global:\n  plugins_dir: [other]\n', 'global.plugins_dir holds from the next start of the server')
  })

  it('is inherited from global by plugins that say nothing else', async () => {
    await write('global:\n  publish:\n    kickexist: true\n', 'the config changed')
    await waitFor(() => rtmp()?.config?.values.publish.kickexist === true)
    await expectKick(true)
  })

  it('makes a new generation where the plugin does not, and sessions stay', async () => {
    const port = server.rtmpPort
    await write('rtmp:\n  tcp:\n    nodelay: false\n', 'the config changed')
    await waitFor(() => rtmp()?.generation === 2)
    expect(server.rtmpPort).to.equal(port)
    expect(server.server.streams.get('live/kept')).not.to.equal(undefined)
    await RtmpClient.publish({ url: server.rtmp('live/new') })
    expect(publisher.statuses).to.eql(['NetStream.Publish.Start'])
  })

  it('with a mistake is refused with its place, and what ran goes on', async () => {
    await write('rtmp:\n  publish:\n    kickexits: true\n', 'the config was not applied; the one before holds')
    const error = JSON.stringify(server.problems.at(-1))
    expect(error).to.include(`${server.configFile}:3`).and.include('kickexist')
    await expectKick(false)
    await write('rtmp:\n  publish:\n    kickexist: true\n', 'the config changed')
    await waitFor(() => rtmp()?.config?.values.publish.kickexist === true)
    await expectKick(true)
  })

  it('that was refused and is put right again is told, though nothing changes', async () => {
    await write('rtmp:\n  publish:\n    kickexits: true\n', 'the config was not applied; the one before holds')
    await write('', 'the config is right again; nothing changed')
    const before = server.records.length
    await server.writeConfig('# once more\n')
    await write('# and again\nrtmp: {publish: {maxcount: 5}}\n', 'the config changed')
    const lines = server.records.slice(before).map(({ msg }) => msg)
    expect(lines).not.to.include('the config is right again; nothing changed')
  })

  it('has a slip in the name of a section told, and a folder that is not there', async () => {
    const slip = /^line 1: there is no plugin 'rmtp', did you mean 'rtmp'\?$/u
    const folder = /^global\.plugins_dir: there is no folder '.*\/nowhere' \(yet\)$/u
    await server.writeConfig('rmtp: {}\nglobal: {plugins_dir: nowhere}\n')
    for (const pattern of [slip, folder]) {
      await waitFor(() => server.problems.some(({ msg }) => pattern.test(msg)), { what: String(pattern) })
    }
  })

  it('turns a plugin off and on', async () => {
    const state = () => server.server.host.list().find(({ name }) => name === 'flv')?.state
    await write('flv:\n  enable: false\n', 'the config changed')
    await waitFor(() => state() === 'off', { what: 'flv to go' })
    const gone = new FlvViewer(server.http('/flv/live/kept.flv'))
    expect(await gone.status).to.equal(404)
    await write('', 'the config changed')
    await waitFor(() => state() === 'running', { what: 'flv to come back' })
    publisher.send({ type: 8, timestampMs: 0, body: Buffer.from('7201020304', 'hex') })
    const back = new FlvViewer(server.http('/flv/live/kept.flv'))
    expect(await back.status).to.equal(200)
  })
})
