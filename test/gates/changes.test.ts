import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { WAYS } from './clients.ts'
import { ControlServer } from './control-server.ts'
import { fakeProtocolFolder } from './plugin-folder.ts'
import { policyQuery, signatureQuery } from './signing.ts'

const SECRET_ADDRESS = '/v6/api/streams/secret?stream_path=live/a&type=publish&expire=ffffffff'

/** Writes a config and waits until it holds for connections to come, which a new generation takes. */
async function change(server: RunningServer, text: string): Promise<void> {
  const changes = () => server.records.filter(({ msg }) => msg === 'the config changed').length
  const before = changes()
  await server.writeConfig(text)
  await waitFor(() => changes() > before, { what: 'the config to change' })
}

function connectBefore(server: RunningServer): Promise<RtmpClient> {
  return RtmpClient.connect({ url: server.rtmp('live/any') })
}

/** Whether a connection may publish `live/<name>`. */
function mayPublish(client: RtmpClient, name: string, query = ''): Promise<boolean> {
  client.tell('publish', `${name}?${query}`, 'live')
  return client.isTold('NetStream.Publish.Start')
}

function mayPlay(client: RtmpClient, name: string, query = ''): Promise<boolean> {
  client.tell('play', `${name}?${query}`)
  return client.isTold('NetStream.Play.Start')
}

const keyed = (key: string, more = '') => `
global:
  enable_auth: true
  publish: { key: ${key} }
  subscribe: { key: ${key}-of-viewers }
  ${more}
`

describe('gates that change while connections are open', () => {
  it('hold for what old connections ask from then on, and not for the sessions that run', async () => {
    const control = await ControlServer.start()
    const server = await startServer()
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/running') })
    const [idle, player, signed] = await Promise.all([1, 2, 3].map(() => connectBefore(server)))
    await change(server, keyed('k-1', `admission_webhook: { enable: true, url: ${control.url} }`))

    expect(await mayPublish(idle!, 'evil')).to.equal(false)
    expect(await mayPlay(player!, 'running')).to.equal(false)
    expect(idle!.statuses).to.eql(['NetStream.Publish.Denied'])
    expect(control.openings).to.eql([])
    expect(await mayPublish(signed!, 'good', signatureQuery('k-1', 'live/good'))).to.equal(true)
    expect(control.openings.map(({ fields }) => fields.stream_path)).to.eql(['live/good'])
    expect(server.server.streams.list().map((stream) => stream.path)).to.have.members(['live/running', 'live/good'])
    expect(publisher.statuses).to.eql(['NetStream.Publish.Start'])
  })

  it('hold for a viewer whose connection then publishes', async () => {
    const server = await startServer()
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/running') })
    publisher.send({ type: 8, timestampMs: 0, body: Buffer.from('7201020304', 'hex') })
    const viewer = await connectBefore(server)
    expect(await mayPlay(viewer, 'running')).to.equal(true)
    await change(server, keyed('k-1'))
    expect(await mayPublish(viewer, 'evil')).to.equal(false)
    expect(server.server.streams.get('live/evil')).to.equal(undefined)
  })

  it('hold for WHIP and WHEP, and not for their sessions that run', async () => {
    const folder = await fakeProtocolFolder()
    const plugins = `plugins_dir: ${JSON.stringify(folder)}`
    const server = await startServer({ config: `global: { ${plugins} }` })
    const [whip, whep] = WAYS.filter(({ protocol }) => protocol === 'webrtc')
    const running = await Promise.all([whip!.open(server, 'live/running'), whep!.open(server, 'live/source')])
    expect(running.map(({ admitted }) => admitted)).to.eql([true, true])
    await change(server, keyed('k-1', plugins))
    expect((await whip!.open(server, 'live/evil')).admitted).to.equal(false)
    expect((await whep!.open(server, 'live/source')).admitted).to.equal(false)
    expect((await whip!.open(server, `live/good?${signatureQuery('k-1', 'live/good')}`)).admitted).to.equal(true)
    // Nothing connects, so the streams are not listed.
    const { data = [] } = (await server.api('/webrtc/api/sessions')).body as {
      data?: readonly { streamPath: string }[]
    }
    expect(data.map(({ streamPath }) => streamPath)).to.include.members(['live/running', 'live/good'])
    expect(server.server.streams.subscribers('live/source')).to.have.length(1)
  })

  it('have the key of now, however often it was changed', async () => {
    const server = await startServer({ config: keyed('k-1') })
    const clients = await Promise.all([1, 2, 3, 4].map(() => connectBefore(server)))
    const policy = 'signed_policy: { enable: true, secret: p-1, expire_query: until }'
    const signature = (key: string) => signatureQuery(key, 'live/a')
    const token = policyQuery('p-1', { protocol: 'rtmp', action: 'publish', streamPath: 'live/a' })
    await change(server, keyed('k-2', policy))
    expect(await mayPublish(clients[0]!, 'a', `${signature('k-1')}&${token}`)).to.equal(false)
    expect(await mayPublish(clients[1]!, 'a', signature('k-2'))).to.equal(false)
    await change(server, keyed('k-3', policy))
    expect(await mayPublish(clients[2]!, 'a', `${signature('k-2')}&${token}`)).to.equal(false)
    expect(await mayPublish(clients[3]!, 'a', `${signature('k-3')}&${token}`)).to.equal(true)
  })

  it('are shut for a plugin that was turned off: what runs goes on, and nothing begins', async () => {
    const server = await startServer()
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/running') })
    const [idle, player] = [await connectBefore(server), await connectBefore(server)]
    await change(server, 'rtmp: { enable: false }')
    expect(await mayPublish(idle, 'evil')).to.equal(false)
    expect(await mayPlay(player, 'running')).to.equal(false)
    expect(JSON.stringify(idle.commands)).to.include("plugin 'rtmp' is switched off")
    expect(server.server.streams.list().map((stream) => stream.path)).to.eql(['live/running'])
    expect(publisher.statuses).to.eql(['NetStream.Publish.Start'])
    publisher.close()
  })

  it('are shut for a plugin that was removed', async () => {
    const folder = await fakeProtocolFolder()
    const server = await startServer({ config: `global: { plugins_dir: ${JSON.stringify(folder)} }` })
    const socket = connect(server.pluginPort('fake'), '127.0.0.1')
    keep({ close: () => void socket.destroy() })
    await once(socket, 'connect')
    await rm(path.join(folder, 'fake.ts'))
    await waitFor(() => server.records.some(({ msg }) => msg === "plugin 'fake' was removed"))
    const answer = once(socket, 'data') as Promise<[Buffer]>
    socket.write('publish live/evil\n')
    expect(String((await answer)[0])).to.equal("ERR 503 plugin 'fake' was removed\n")
  })
})

describe('gates that are switched on together with an address that is taken', () => {
  it('hold everywhere, and log, list and signing say so', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    keep({ close: () => void other.close() })
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const server = await startServer()
    const before = await connectBefore(server)
    await change(server, `${keyed('k-1')}\nrtmp:\n  tcp: { listenaddrtls: '127.0.0.1:${port}' }\n`)
    const failure = await waitFor(() => server.problems.find(({ plugin }) => plugin === 'rtmp'), {
      what: 'the failure',
    })

    expect(await mayPublish(before, 'evil')).to.equal(false)
    for (const way of WAYS.filter(({ protocol }) => protocol !== 'fake')) {
      expect((await way.open(server, 'live/evil')).admitted, way.name).to.equal(false)
    }
    const right = await connectBefore(server)
    expect(await mayPublish(right, 'a', signatureQuery('k-1', 'live/a'))).to.equal(true)

    expect(failure.msg).to.include('not applied, but the gates are as configured now; generation 1 goes on')
    const { plugins } = (await server.api('/api/sysinfo')).body.data as { plugins: Info[] }
    const { description } = plugins.find(({ name }) => name === 'rtmp')!
    expect(description['lastError']).to.include(String(port)).and.include('the gates are as configured now')
    expect(description['userConfig']).to.include(String(port))
    const secret = async (plugin: string) => (await server.api(`${SECRET_ADDRESS}&plugin=${plugin}`)).body['secret']
    expect(await secret('rtmp'))
      .to.be.a('string')
      .and.to.equal(await secret('global'))
  })
})

type Info = { readonly name: string; readonly description: Readonly<Record<string, string>> }
