import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { keep } from '../../test/peers/lifetime.ts'
import { CommandError, ServerUnreachable, UsageError } from '../command-error.ts'
import { ApiClient, inPath } from './api-client.ts'
import { parseServerAddress } from './server-address.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** Starts a server with answers that this server would not give. */
async function serve(handler: Handler, host = '127.0.0.1'): Promise<string> {
  const server = createServer((...exchange) => void handler(...exchange))
  return `http://${host.includes(':') ? `[${host}]` : host}:${await listen(server, host)}`
}

async function listen(server: Server, host: string): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  keep({
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  })
  return (server.address() as AddressInfo).port
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Handler {
  return (_request, response) => response.writeHead(status, headers).end(JSON.stringify(body))
}

function client(address: string, { token, ca }: { readonly token?: string; readonly ca?: string } = {}) {
  const kept: string[] = []
  const keepToken = async (newToken: string) => void kept.push(newToken)
  const api = new ApiClient({ server: parseServerAddress(address), ca, token, keepToken })
  keep(api)
  return { api, kept }
}

/** Returns the error that a promise rejects with. */
async function failure(promise: Promise<unknown>): Promise<CommandError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).to.be.instanceOf(CommandError)
  return error as CommandError
}

describe('the client of the API', () => {
  it('gives the data of an envelope, and what has none as it is', async () => {
    const { api } = client(await serve(json(200, { code: 0, message: '', data: [1] })))
    expect(await api.get('/api/list')).to.eql([1])
    const { api: bare } = client(await serve(json(200, { streamCount: 1 })))
    expect(await bare.get('/api/summary')).to.eql({ streamCount: 1 })
  })

  it('sends the path below that of the address, the token and the body, also over IPv6', async () => {
    const seen: unknown[] = []
    const address = await serve(async (request, response) => {
      const { url, method, headers } = request
      const body = (await request.toArray()).join('')
      seen.push([method, url, headers.authorization, headers['content-type'], body])
      await json(200, {})(request, response)
    }, '::1')
    await client(`${address}/media/`, { token: 'abc' }).api.post(`/api/stop/${inPath('live/ä #1?')}`, 'x')
    expect(seen).to.eql([['POST', '/media/api/stop/live/%C3%A4%20%231%3F', 'Bearer abc', 'application/json', '"x"']])
  })

  it('sends name and password of the address, and the token beside them', async () => {
    const seen: unknown[] = []
    const address = await serve(async (request, response) => {
      seen.push([request.headers.authorization, request.headers['access-token']])
      await json(200, {})(request, response)
    })
    await client(address.replace('//', '//viewer:correct%3Ahors%C3%A9@'), { token: 'abc' }).api.get('/')
    expect(seen).to.eql([[`Basic ${Buffer.from('viewer:correct:horsé').toString('base64')}`, 'abc']])
  })

  it('keeps the token that takes the place of another', async () => {
    const { api, kept } = client(await serve(json(200, {}, { 'new-token': 'newer' })), { token: 'older' })
    await api.get('/')
    expect(kept).to.eql(['newer'])
  })

  const refusals = [
    {
      name: 'nobody is logged in',
      status: 401,
      body: { message: 'invalid token' },
      says: /^invalid token\. Log in by/u,
    },
    { name: 'the role is too low', status: 403, body: { message: 'not for you' }, says: /^not for you\. .*admin$/u },
    { name: 'a thing is not there', status: 404, body: { message: 'not found' }, says: /^there is no such thing$/u },
    { name: 'the server says what is not there', status: 404, body: { message: 'no key a' }, says: /^no key a$/u },
    { name: 'the refusal is in the body alone', status: 200, body: { code: 500, message: 'no db' }, says: /^no db$/u },
    { name: 'the error is problem details', status: 400, body: { detail: 'bad' }, says: /^bad$/u },
    { name: 'the error says nothing', status: 502, body: '<html>', says: /^http:\S+ answered with the status 502$/u },
  ]
  for (const { name, status, body, says } of refusals) {
    it(`says what to do when ${name}`, async () => {
      const { api } = client(await serve(json(status, body)))
      const error = await failure(api.get('/', 'there is no such thing'))
      expect(error.message).to.match(says)
      expect(error.exitCode).to.equal(1)
    })
  }

  it('says that an operation is not known, and that a server is none of this kind', async () => {
    const { api } = client(await serve(json(405, { message: 'method not allowed' })))
    expect((await failure(api.get('/'))).message).to.include('does not know this operation')
    const { api: other } = client(await serve((_request, response) => response.end('<html>')))
    expect((await failure(other.get('/'))).message).to.include('is the address right?')
  })

  it('tells a server that hangs up from one that answers', async () => {
    const { api } = client(await serve((request) => request.socket.destroy()))
    const error = await failure(api.get('/'))
    expect(error).to.be.instanceOf(ServerUnreachable)
    expect(error.exitCode).to.equal(3)
  })

  it('trusts no certificate but those of the authority that it is given', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' })
    const handler = json(200, { a: 1 })
    const server = createTlsServer({ cert, key }, (...exchange) => void handler(...exchange))
    const address = `https://127.0.0.1:${await listen(server, '127.0.0.1')}`
    const error = await failure(client(address).api.get('/'))
    expect(error).to.be.instanceOf(ServerUnreachable).with.property('message').that.includes('--ca FILE')
    expect(await client(address, { ca: cert }).api.get('/')).to.eql({ a: 1 })
  })

  it('reads events until it is told to stop, and says what a server says at their end', async () => {
    const { api } = client(
      await serve((_request, response) => {
        response.write(':\n\ndata: {"a":1}\n\nda')
        response.write('ta: {"a":2}\n\nevent: error\ndata: {"message":"over"}\n\n')
      }),
    )
    const read: unknown[] = []
    const reading = async (signal: AbortSignal, most: number) => {
      for await (const value of api.events('/', signal)) if (read.push(value) === most) return
    }
    expect((await failure(reading(new AbortController().signal, 3))).message).to.equal('over')
    expect(read).to.eql([{ a: 1 }, { a: 2 }])
    await reading(AbortSignal.abort(), 3)
    expect(read).to.have.length(2)
  })

  it('says that the events have ended, as nobody asked for that', async () => {
    const { api } = client(await serve((_request, response) => response.end('data: 1\n\n')))
    const events = api.events('/', new AbortController().signal)
    expect(await events.next()).to.eql({ done: false, value: 1 })
    expect(await failure(events.next())).to.be.instanceOf(ServerUnreachable)
  })

  it('reads no event without end', async () => {
    const { api } = client(
      await serve((_request, response) => {
        response.on('error', () => {})
        response.write(`data: ${'x'.repeat(2 * 1024 * 1024)}`)
      }),
    )
    expect((await failure(api.events('/', new AbortController().signal).next())).message).to.include('too long')
  })
})

describe('the address of a server', () => {
  it('is that of HTTP, with or without a path', () => {
    const basic = undefined
    expect(parseServerAddress('http://[::1]:8080')).to.eql({ origin: 'http://[::1]:8080', basePath: '', basic })
    const below = { origin: 'https://a.example', basePath: '/media', basic }
    expect(parseServerAddress('https://a.example/media/')).to.eql(below)
  })

  for (const text of [
    '',
    'localhost:8080',
    'rtmp://host/live',
    'http://',
    'ftp://user:secret@host',
    'http://user:secret%@host',
  ]) {
    it(`is not "${text}"`, () => {
      expect(() => parseServerAddress(text))
        .to.throw(UsageError)
        .with.property('message')
        .that.not.includes('secret')
    })
  }
})
