import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from '../support/server.ts'

describe('who asks in the wrong place, or for nothing', () => {
  let server: RunningServer

  before(async () => {
    const tls = { SLUICE_GLOBAL_HTTP_LISTENADDRTLS: ':0', SLUICE_RTMP_TCP_LISTENADDRTLS: ':0' }
    server = await startServer({ env: { ...tls, SLUICE_GLOBAL_SUBSCRIBE_WAITTIMEOUT: '100ms' } })
  })

  function reasons(): string[] {
    return server.records.flatMap(({ reason }) => (typeof reason === 'string' ? [reason] : []))
  }

  /** Sends bytes and waits for the end of the connection; gives what was logged meanwhile. */
  async function reasonsOf(port: number, bytes: Buffer): Promise<string[]> {
    const before = reasons().length
    const socket = connectTcp(port, '127.0.0.1').on('error', () => {})
    socket.resume().write(bytes)
    await once(socket, 'close')
    await waitFor(() => reasons().length > before)
    return reasons().slice(before)
  }

  it('with RTMP on the port of HTTP is told the port of RTMP in the log', async () => {
    const hello = Buffer.concat([Buffer.from([3]), Buffer.alloc(1536)])
    const where = `RTMP on a port of plain HTTP; it is taken at :${server.rtmpPort}`
    expect(await reasonsOf(server.httpPort, hello)).to.eql([where])
  })

  it('with TLS on a port without it is told the port with it in the log', async () => {
    const before = reasons().length
    const socket = connectTls({ port: server.httpPort, host: '127.0.0.1' })
    await once(socket, 'error')
    await waitFor(() => reasons().length > before)
    const where = `TLS on a port of plain HTTP; it is taken at :${server.httpsPort}`
    expect(reasons().slice(before)).to.eql([where])
  })

  it('without TLS on a port with it is told so in the log', async () => {
    const request = Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    for (const port of [server.httpsPort, server.rtmpsPort]) {
      expect(await reasonsOf(port, request)).to.eql(['an HTTP request without TLS on a port with it'])
    }
  })

  it('by the address of another server is told that of this one', async () => {
    const cases = [
      ['/live/test.flv', '/flv/live/test.flv'],
      ['/live/test.m3u8', '/hls/live/test/index.m3u8'],
      ['/live/test.mp4?secret=x', '/mp4/live/test.mp4'],
    ] as const
    for (const [path, meant] of cases) {
      const { status, body } = await server.api(path)
      expect([status, body.message], path).to.eql([404, `not found; did you mean ${meant}?`])
    }
    expect((await server.api('/live/test.txt')).body.message).to.equal('not found')
    const socket = connectTcp(server.httpPort, '127.0.0.1')
    socket.write('GET /live/test.flv HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    expect(Buffer.concat(await socket.toArray()).toString()).to.match(/ 404 [^]*did you mean \/flv\/live\/test\.flv\?/u)
  })

  for (const path of ['/flv/live/none.flv', '/mp4/live/none.mp4', '/hls/live/none/index.m3u8']) {
    it(`for ${path}, which nobody publishes, is told that`, async () => {
      const { status, body } = await server.api(`${path}?secret=x`)
      expect([status, body.code, body.message]).to.eql([404, 5, 'nobody publishes live/none'])
    })
  }

  it('over HTTP for what nobody publishes leaves a line in the log, as over RTMP', async () => {
    const refusals = () => server.records.filter(({ msg }) => msg === 'play refused')
    const before = refusals().length
    await server.api('/flv/live/nothing.flv')
    const [line, ...more] = refusals().slice(before)
    expect(more).to.eql([])
    const reason = 'nobody publishes live/nothing'
    expect(line).to.include({ level: 'info', plugin: 'flv', stream: 'live/nothing', ip: '127.0.0.1', reason })
  })

  after(() => expect(server?.problems).to.eql([]))
})
