import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { SourceError } from 'sluice/sdk/http'
import { directDialer } from 'sluice/sdk/testing'
import { HttpSession } from './http-session.ts'

const OFFER = 'v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n'
const ANSWER = 'v=0\r\no=- 2 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n'

describe('HttpSession', () => {
  type Request = {
    readonly method: string
    readonly url: string
    readonly authorization: string
    readonly body: string
  }
  const requests: Request[] = []
  let respond: (request: IncomingMessage, response: ServerResponse) => void
  const server = createServer((request, response) => {
    void take(request, response)
  })
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    requests.push({ method, url, authorization: headers.authorization ?? '', body: await text(request) })
    respond(request, response)
  }
  before(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  beforeEach(() => void requests.splice(0))
  after(() => server.close())

  const host = () => `127.0.0.1:${(server.address() as AddressInfo).port}`
  const begin = (path = 'push/live/a') =>
    HttpSession.begin({
      url: `whip://${host()}/${path}`,
      header: { Authorization: ['Bearer key'] },
      dial: directDialer,
      offer: OFFER,
      signal: new AbortController().signal,
    })

  it('posts the offer, gives the answer, and deletes what the server has made of it', async () => {
    respond = ({ method }, response) => {
      if (method === 'POST') response.writeHead(201, { location: '/resource/1' }).end(ANSWER)
      else response.writeHead(200).end()
    }
    const session = await begin()
    expect(session.answer).to.equal(ANSWER)
    await session.end()
    const authorization = 'Bearer key'
    expect(requests).to.eql([
      { method: 'POST', url: '/push/live/a', authorization, body: OFFER },
      { method: 'DELETE', url: '/resource/1', authorization, body: '' },
    ])
  })

  it('follows redirects with the offer', async () => {
    respond = ({ url }, response) => {
      if (url === '/push/live/a') response.writeHead(307, { location: '/other' }).end()
      else response.writeHead(201).end(ANSWER)
    }
    const session = await begin()
    expect(requests.map(({ url, body }) => [url, body])).to.eql([
      ['/push/live/a', OFFER],
      ['/other', OFFER],
    ])
    await session.end()
    expect(requests).to.have.length(2)
  })

  it('says what a server answers that refuses, and no secrets', async () => {
    respond = (_, response) => response.writeHead(406).end('no codec in common')
    const error = await begin('push/live/a?secret=s3').catch((failure: unknown) => failure)
    expect(String(error)).to.include('406').and.include('no codec in common').and.not.include('s3')
  })

  it('shows what servers say in their own ways, but no page, and nothing that they were told', async () => {
    const answers = [
      ['application/json', '{"code":404,"message":"nobody publishes"}', /: nobody publishes$/u],
      ['application/json', 'null', /=\*+$/u],
      ['text/html', '<h1>no</h1>', /=\*+$/u],
      ['text/plain', 'wrong: s3cret-key, Bearer key', /: wrong: \*+, \*+$/u],
    ] as const
    for (const [type, text, message] of answers) {
      respond = (_, response) => response.writeHead(404, { 'content-type': type }).end(text)
      const error = await begin('push/live/a?secret=s3cret-key').catch((failure: unknown) => failure)
      expect((error as Error).message).to.match(message)
    }
  })

  const broken: readonly [name: string, send: (response: ServerResponse) => void, message: string][] = [
    ['without end', (response) => response.end(Buffer.alloc(1_000_000, 'a')), 'too long'],
    ['that breaks off', (response) => response.write(ANSWER, () => response.destroy()), 'broke off'],
  ]
  for (const [name, send, message] of broken)
    it(`takes no answer ${name}, and ends the session`, async () => {
      respond = ({ method }, response) => {
        if (method === 'POST') send(response.writeHead(201, { location: '/resource/1' }))
        else response.writeHead(200).end()
      }
      const error = await begin().catch((failure: unknown) => failure)
      expect(error).to.be.instanceOf(SourceError)
      expect(String(error)).to.include(message)
      expect(requests.map(({ method, url }) => `${method} ${url}`)).to.eql(['POST /push/live/a', 'DELETE /resource/1'])
    })

  it('knows what a server answers whose reasons break off', async () => {
    respond = (_, response) => response.writeHead(401).write('beca', () => response.destroy())
    const error = await begin().catch((failure: unknown) => failure)
    expect((error as SourceError).status).to.equal(401)
  })

  it('gives nobody else the key of the server', async () => {
    respond = ({ method }, response) => {
      const location = `http://localhost:${host().split(':')[1]}/resource`
      if (method === 'POST') response.writeHead(201, { location }).end(ANSWER)
      else response.writeHead(200).end()
    }
    await (await begin()).end()
    expect(requests.map(({ authorization }) => authorization)).to.eql(['Bearer key', ''])
  })
})
