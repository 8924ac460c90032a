import { once } from 'node:events'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import type { Dialer, DialTarget } from 'sluice/sdk'
import { dialHttp, httpDispatcher } from 'sluice/sdk/http'
import { directDialer } from 'sluice/sdk/testing'
import { fetch } from 'undici'
import { WebSocket, WebSocketServer } from 'ws'
import { generate } from 'selfsigned'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'

/** A server, with the connections that it has. */
async function serve(server: Server): Promise<{ port: number; open: Set<Socket> }> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
  })
  keep({
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, open }
}

/** A dialer that notes what it is asked for. */
function noted(): Dialer & { readonly asked: DialTarget[] } {
  const asked: DialTarget[] = []
  return {
    ...directDialer,
    asked,
    connect(target) {
      asked.push(target)
      return directDialer.connect(target)
    },
  }
}

/** Has a dialer check no certificates. */
function trusting(dial: Dialer): Dialer {
  const connect = ({ tls, ...target }: DialTarget) =>
    dial.connect({ ...target, ...(tls && { tls: { ...tls, verifyCertificate: false } }) })
  return { ...dial, connect }
}

async function https(): Promise<Server> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'test' }], { keyType: 'ec' })
  return createHttpsServer({ cert, key }, (request, response) => void response.end(request.httpVersion))
}

describe('requests by a dialer', () => {
  it('go by its connections, which are kept until the signal', async () => {
    const { port, open } = await serve(createHttpServer((_request, response) => void response.end('plain')))
    const dial = noted()
    const stop = new AbortController()
    const dispatcher = await httpDispatcher(dial, { signal: stop.signal })
    for (let round = 0; round < 6; round++) {
      expect(await (await fetch(`http://127.0.0.1:${port}/`, { dispatcher })).text()).to.equal('plain')
    }
    const [first, ...others] = dial.asked
    expect(first).to.include({ host: '127.0.0.1', port }).and.not.to.have.any.keys('tls')
    // A connection may still be busy with the end of the answer before.
    expect(others).to.have.length.below(3)
    expect(open.size).to.equal(dial.asked.length)
    stop.abort()
    await waitFor(() => open.size === 0)
    const error = await fetch(`http://127.0.0.1:${port}/`, { dispatcher }).catch((error: unknown) => error)
    expect(error).to.be.instanceOf(Error)
    expect(dial.asked).to.have.length(1 + others.length)
  })

  it('go by TLS, whose certificate is to be checked', async () => {
    const { port } = await serve(await https())
    const { signal } = new AbortController()
    const url = `https://127.0.0.1:${port}/`
    const dial = noted()
    const trusted = await httpDispatcher(trusting(dial), { signal })
    expect(await (await fetch(url, { dispatcher: trusted })).text()).to.equal('1.1')
    const error = (await fetch(url, { dispatcher: await httpDispatcher(dial, { signal }) }).catch(
      (error: unknown) => error,
    )) as Error
    expect((error.cause as Error).message).to.match(/self-signed certificate/u)
    const alpn = ['http/1.1']
    expect(dial.asked.map(({ tls }) => tls)).to.eql([
      { verifyCertificate: false, alpn },
      { verifyCertificate: true, alpn },
    ])
    await trusted.destroy()
  })

  it('name hosts and ports as addresses mean them', async () => {
    const asked: DialTarget[] = []
    const dial: Dialer = {
      ...directDialer,
      connect: (target) => (asked.push(target), Promise.reject(new Error('denied'))),
    }
    const { signal } = new AbortController()
    const dispatcher = await httpDispatcher(dial, { signal })
    for (const url of ['http://[::1]/', 'https://host/', 'http://host:81/']) {
      const error = (await fetch(url, { dispatcher }).catch((error: unknown) => error)) as Error
      expect((error.cause as Error).message).to.equal('denied')
    }
    for (const url of ['ws://[::1]/', 'wss://host/']) await dialHttp(dial, new URL(url), { signal }).catch(() => {})
    const targets = asked.map(({ host, port, tls }) => [host, port, tls !== undefined])
    expect(targets).to.eql([
      ['::1', 80, false],
      ['host', 443, true],
      ['host', 81, false],
      ['::1', 80, false],
      ['host', 443, true],
    ])
  })

  it('are given up with the signal', async () => {
    const { port, open } = await serve(createHttpServer(() => {}))
    const stop = new AbortController()
    const dispatcher = await httpDispatcher(directDialer, { signal: stop.signal })
    const answer = fetch(`http://127.0.0.1:${port}/`, { dispatcher }).catch((error: unknown) => error)
    await waitFor(() => open.size === 1)
    stop.abort()
    expect(await answer).to.be.instanceOf(Error)
    await waitFor(() => open.size === 0)
  })

  it('have answers with heads of some length, and none that is endless', async () => {
    const { port } = await serve(
      createHttpServer((_request, response) => void response.setHeader('x', 'y'.repeat(40_000)).end()),
    )
    const { signal } = new AbortController()
    const dispatcher = await httpDispatcher(directDialer, { signal })
    const error = (await fetch(`http://127.0.0.1:${port}/`, { dispatcher }).catch((error: unknown) => error)) as Error
    expect((error.cause as Error).message).to.match(/headers overflow/iu)
  })
})

describe('a connection for HTTP', () => {
  for (const isTls of [false, true]) {
    it(`carries a WebSocket ${isTls ? 'over TLS' : 'in the open'}`, async () => {
      const server = isTls ? await https() : createHttpServer()
      const { port, open } = await serve(server)
      new WebSocketServer({ server }).on('connection', (ws) => ws.on('message', (data) => ws.send(data)))
      const url = new URL(`${isTls ? 'wss' : 'ws'}://127.0.0.1:${port}/path`)
      const { signal } = new AbortController()
      const socket = await dialHttp(trusting(directDialer), url, { signal })
      const client = new WebSocket(url, { createConnection: () => socket })
      await once(client, 'open')
      client.send('hello')
      const [data] = (await once(client, 'message')) as [Buffer]
      expect([data.toString(), open.size]).to.eql(['hello', 1])
      client.close()
      await waitFor(() => open.size === 0)
    })
  }
})
