import { once } from 'node:events'
import { connect } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { ControlServer } from '../gates/control-server.ts'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const CLIENT = '203.0.113.7'

function configOf(http: string, control: ControlServer): string {
  return `
global:
  http: { ${http} }
  publish: { key: topsecret }
  admission_webhook: { enable: true, url: ${control.url} }
`
}

describe('behind a proxy on this machine', () => {
  let control: ControlServer
  let server: RunningServer

  beforeEach(async () => {
    control = await ControlServer.start(() => ({ body: { allowed: false } }))
  })

  async function start(http: string): Promise<void> {
    server = await startServer({ config: configOf(http, control), env: { SLUICE_GLOBAL_HTTP_LISTENADDRTLS: ':0' } })
  }

  /** Asks for a stream over each kind of connection; gives what the control server was told of each. */
  async function askForMedia(headers: Record<string, string>): Promise<{ ip: string; url: string }[]> {
    await fetch(server.http('/flv/live/a.flv?x=1'), { headers })
    await fetch(server.http('/hls/live/a/index.m3u8?x=1'), { headers })
    const socket = new WebSocket(server.ws('/flv/live/a.flv?x=1'), { headers })
    await once(socket, 'unexpected-response').catch(() => {})
    const session = connect(`https://127.0.0.1:${server.httpsPort}`, { rejectUnauthorized: false })
    keep({ close: () => session.destroy() })
    await once(session.request({ ':path': '/mp4/live/a.mp4?x=1', ...headers }), 'response')
    return control.requests.map(({ fields: { client, url } }) => ({ ip: client.ip, url }))
  }

  const administration = async (headers: Record<string, string>, statuses: number[]) => {
    const ask = async (path: string, method = 'GET') => (await fetch(server.http(path), { method, headers })).status
    const asked = [
      await ask('/api/stream/list'),
      await ask('/metrics'),
      await ask('/v6/api/streams/secret?stream_path=live/a'),
      await ask('/api/subscribe/stop/1', 'POST'),
    ]
    expect(asked, JSON.stringify(headers)).to.eql(statuses)
  }

  it('administration is closed to whom the proxy asks for', async () => {
    await start('')
    await administration({}, [200, 200, 200, 404])
    const headers = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'x-forwarded-proto', 'cf-connecting-ip']
    for (const name of headers) await administration({ [name]: CLIENT }, [401, 401, 401, 401])
    const { body } = await server.api('/api/sysinfo', { headers: { via: '1.1 nginx' } })
    expect(body.message).to.include('came through a proxy (via)')
  })

  it('administration is open to this machine, where the proxy is trusted', async () => {
    await start('trustproxy: 127.0.0.1')
    await administration({ 'x-forwarded-for': '127.0.0.1' }, [200, 200, 200, 404])
    await administration({ 'x-forwarded-for': `127.0.0.1, ${CLIENT}` }, [401, 401, 401, 401])
    await administration({ via: '1.1 nginx' }, [401, 401, 401, 401])
  })

  it('gates are told what a trusted proxy says of client and address, however it is asked', async () => {
    await start('trustproxy: [127.0.0.0/8]')
    const told = await askForMedia({
      'x-forwarded-for': `127.0.0.1, ${CLIENT}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'tv.example',
    })
    expect(told.map(({ ip }) => ip)).to.eql([CLIENT, CLIENT, CLIENT, CLIENT])
    const paths = ['flv/live/a.flv', 'hls/live/a/index.m3u8', 'flv/live/a.flv', 'mp4/live/a.mp4']
    expect(told.map(({ url }) => url)).to.eql(paths.map((path) => `https://tv.example/${path}?x=1`))
    const denials = server.records.filter(({ msg }) => msg === 'denied')
    expect(denials.map(({ ip }) => ip)).to.eql([CLIENT, CLIENT, CLIENT, CLIENT])
  })

  it('gates are told nothing that a proxy says who is not trusted', async () => {
    await start('trustproxy: 192.0.2.0/24')
    const told = await askForMedia({ 'x-forwarded-for': CLIENT, 'x-forwarded-host': 'tv.example' })
    expect(told.map(({ ip }) => ip)).to.eql(Array(4).fill('127.0.0.1'))
    for (const { url } of told) expect(url).not.to.include('tv.example')
  })

  it('administration is out of reach of any proxy of the public port, where it has an address of its own', async () => {
    const config = 'global: { http: {}, admin: { listenaddr: "127.0.0.1:0" } }'
    server = await startServer({ config })
    const adminUrl = () => `http://127.0.0.1:${server.server.http.adminAddresses[0]?.port}/api/sysinfo`
    const { port = 0 } = server.server.http.adminAddresses[0] ?? {}
    expect((await server.api('/api/sysinfo')).status).to.equal(404)
    expect((await fetch(adminUrl())).status).to.equal(200)
    expect((await fetch(adminUrl(), { headers: { via: '1.1 x' } })).status).to.equal(401)
    expect((await fetch(server.http('/healthz'))).status).to.equal(200)
    await server.writeConfig(config.replace('127.0.0.1:0', '127.0.0.2:0'))
    await waitFor(() => server.records.some(({ msg }) => msg === 'the config changed'))
    expect((await fetch(adminUrl().replace('127.0.0.1', '127.0.0.2'))).status).to.equal(200)
    const [error] = (await once(connectTcp(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
    expect(error.code).to.equal('ECONNREFUSED')
  })

  it('a change of who is trusted holds from the next request on', async () => {
    await start('trustproxy: 192.0.2.1')
    const headers = { 'x-forwarded-for': '127.0.0.1' }
    expect((await server.api('/api/sysinfo', { headers })).status).to.equal(401)
    await server.writeConfig(configOf('trustproxy: 127.0.0.1', control))
    await waitFor(() => server.records.some(({ msg }) => msg === 'the config changed'))
    expect((await server.api('/api/sysinfo', { headers })).status).to.equal(200)
  })
})
