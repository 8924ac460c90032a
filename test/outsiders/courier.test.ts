import type { Socket } from 'node:net'
import { expect } from 'chai'
import { createTestServer } from 'sluice/testing'
import { TcpServer } from '../../core/net/dialer/fixtures/tcp-server.ts'
import { startMicrosocks, startTinyproxy } from '../peers/forward-proxy.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import plugin from './courier.ts'

const HOST = '127.0.0.1'

/** Answers the first line, and ends the connection. */
function receive(socket: Socket): void {
  let line = ''
  socket.on('data', (bytes: Buffer) => {
    line += bytes.toString()
    if (line.endsWith('\n')) socket.end(`got ${line.trim()}`)
  })
}

async function start(config: { readonly port: number; readonly proxy?: string }, deny: readonly string[] = []) {
  const server = await createTestServer(plugin, { config: { host: HOST, ...config }, global: { pull: { deny } } })
  keep({ close: () => server.stop() })
  const send = async (body: string) => {
    const headers = { 'content-type': 'text/plain' }
    const answer = await fetch(`${server.origin}/courier/`, { method: 'POST', headers, body })
    return { status: answer.status, text: await answer.text() }
  }
  return { server, send }
}

describe('a plugin that connects to another server', () => {
  it('reaches it directly', async () => {
    const center = await TcpServer.start(receive)
    const { send } = await start({ port: center.port })
    expect(await send('parcel')).to.eql({ status: 200, text: 'got parcel' })
  })

  for (const [name, startProxy] of [
    ['tinyproxy', startTinyproxy],
    ['microsocks', startMicrosocks],
  ] as const) {
    it(`reaches it through ${name}`, async function () {
      requirePeer(this, name)
      const proxy = await startProxy({ name: 'someone', password: 's3cret' })
      const center = await TcpServer.start(receive)
      const { send } = await start({ port: center.port, proxy: proxy.url })
      expect(await send('parcel')).to.eql({ status: 200, text: 'got parcel' })
      const refused = await start({ port: center.port, proxy: proxy.url.replace('s3cret', 'guess') })
      const answer = await refused.send('parcel')
      expect(answer.status).to.equal(502)
      expect(answer.text).to.include('proxy').and.not.include('guess')
    })
  }

  it('may reach them all the same where it says so', async () => {
    const { server } = await start({ port: 7 }, ['127.0.0.0/8'])
    const { net } = server.ctx
    expect(() => net.dialer().checkAddress(HOST)).to.throw('pull.deny')
    expect(() => net.dialer('', { isAnywhere: true }).checkAddress(HOST)).not.to.throw()
  })

  it('is kept from addresses that pulls may not reach', async () => {
    const center = await TcpServer.start(receive)
    const { send } = await start({ port: center.port }, ['127.0.0.0/8'])
    const { status, text } = await send('parcel')
    expect(status).to.equal(502)
    expect(text).to.include('the address 127.0.0.1 is denied by global.pull.deny')
    expect(center.accepted).to.equal(0)
  })

  it('loses its connections with its generation', async () => {
    const center = await TcpServer.start()
    const { server } = await start({ port: center.port })
    const socket = await server.ctx.net.dialer().connect({ host: HOST, port: center.port })
    socket.on('error', () => {})
    await server.replace()
    await waitFor(() => socket.destroyed && center.sockets.size === 0, { what: 'the end of the connection' })
  })
})
