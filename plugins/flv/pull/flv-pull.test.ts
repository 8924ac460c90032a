import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { AccessUnit, Dialer, PullEnd, PullRequest } from 'sluice/sdk'
import { createFakeHost, directDialer, LogRecords, pullRequest, type FakeHost } from 'sluice/sdk/testing'
import { WebSocketServer, type WebSocket } from 'ws'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { FlvPull } from './flv-pull.ts'
import { makeFlv } from './fixtures/made-flv.ts'

const SECRETS = /pa55word|s3cret|h34der/u
const MADE = makeFlv({ seconds: 4, unitBytes: 400, metadata: { duration: 4, videocodecid: 7, audiocodecid: 10 } })

type Handler = (request: IncomingMessage, response: ServerResponse) => void

describe('FlvPull', () => {
  let host: FakeHost<unknown>
  let records: LogRecords
  let stop: AbortController
  let seen: IncomingMessage[]
  let servers: Server[]
  let sockets: WebSocketServer

  beforeEach(async () => {
    host = await createFakeHost({ name: 'flv', version: '1.0.0', setup: () => {} })
    records = new LogRecords('flv')
    stop = new AbortController()
    seen = []
    servers = []
    sockets = new WebSocketServer({ noServer: true })
  })
  afterEach(async () => {
    stop.abort()
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
    for (const socket of sockets.clients) socket.terminate()
    await host.dispose()
  })

  /** Starts a server; gives its address. */
  async function serve(handler: Handler): Promise<string> {
    const server = createServer((request, response) => {
      seen.push(request)
      handler(request, response)
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async function serveSocket(talk: (socket: WebSocket) => void): Promise<string> {
    const url = await serve((_, response) => response.writeHead(404).end())
    servers.at(-1)!.on('upgrade', (request, socket, head) => {
      seen.push(request)
      sockets.handleUpgrade(request, socket, head, talk)
    })
    return url.replace('http', 'ws')
  }

  /** Sends it as a recording, and parts of it. */
  function sendFile(request: IncomingMessage, response: ServerResponse, bytes = MADE.bytes): void {
    const [, first] = /^bytes=(\d+)-$/u.exec(request.headers.range ?? '') ?? []
    const offset = Number(first ?? 0)
    const rest = bytes.subarray(offset)
    const range = first === undefined ? {} : { 'content-range': `bytes ${first}-${bytes.length - 1}/${bytes.length}` }
    response.writeHead(first === undefined ? 200 : 206, { 'content-length': rest.length, ...range }).end(rest)
  }

  function pull(url: string, init: Partial<PullRequest> = {}, startTimeoutMs?: number): Promise<PullEnd> {
    const request = pullRequest({
      streamPath: 'live/a',
      url,
      signal: stop.signal,
      options: { config: { speed: 0 } },
      ...init,
    })
    const timeout = startTimeoutMs === undefined ? {} : { startTimeoutMs }
    return new FlvPull({ streams: host.streams, log: records.logger, request, ...timeout }).run()
  }

  const errorOf = (promise: Promise<PullEnd>) => promise.then(JSON.stringify, String)
  const units = () => host.streams.publishers.flatMap((publisher) => publisher.units)
  const datas = (given: readonly Pick<AccessUnit, 'data'>[]) => given.map(({ data }) => data.toString('hex'))

  function expectNothingLeft(): void {
    expect(host.streams.publishers.filter(({ closeReason }) => closeReason === undefined)).to.eql([])
    expect(JSON.stringify(records.records)).not.to.match(SECRETS)
  }

  describe('of a recording on a web server', () => {
    it('plays it to its end, with its metadata and times', async () => {
      const url = await serve(sendFile)
      expect(await pull(`${url}/a.flv`)).to.eql({ by: 'source' })
      expect(datas(units())).to.eql(datas(MADE.units))
      const [publisher] = host.streams.publishers
      expect(publisher).to.deep.include({
        metadata: { duration: 4, videocodecid: 7, audiocodecid: 10 },
        complete: true,
      })
      expect(publisher?.options.control?.position?.()).to.include({ fromMs: 0 })
      expect(seen).to.have.length(1)
      expectNothingLeft()
    })

    it('asks for it again for each repetition, and its times go on', async () => {
      const url = await serve(sendFile)
      expect(await pull(`${url}/a.flv`, { loop: 2 })).to.eql({ by: 'source' })
      expect(seen).to.have.length(3)
      for (const kind of ['video', 'audio']) {
        const times = units()
          .filter(({ track }) => track.kind === kind)
          .map(({ dts }) => dts)
        expect(
          times.slice(1).every((time, index) => time > times[index]!),
          kind,
        ).to.equal(true)
        expect(Math.max(...times.slice(1).map((time, index) => time - times[index]!)), kind).to.be.at.most(60)
      }
    })

    it('asks for the rest where the connection breaks off in the middle', async () => {
      const url = await serve((request, response) => {
        if (seen.length > 3) return sendFile(request, response)
        const offset = Number(/=(\d+)/u.exec(request.headers.range ?? '=0')?.[1])
        const range = { 'content-range': `bytes ${offset}-${MADE.bytes.length - 1}/${MADE.bytes.length}` }
        response.writeHead(offset === 0 ? 200 : 206, { 'content-length': MADE.bytes.length - offset, ...range })
        response.write(MADE.bytes.subarray(offset, offset + 9000), () => response.destroy())
      })
      expect(await pull(`${url}/a.flv`)).to.eql({ by: 'source' })
      expect(datas(units())).to.eql(datas(MADE.units))
      expect(seen).to.have.length(4)
    })

    it('passes over what it has where the server can send no part', async () => {
      const url = await serve((_, response) => {
        response.writeHead(200, { 'content-length': MADE.bytes.length })
        if (seen.length > 1) response.end(MADE.bytes)
        else response.write(MADE.bytes.subarray(0, 9000), () => response.destroy())
      })
      expect(await pull(`${url}/a.flv`)).to.eql({ by: 'source' })
      expect(datas(units())).to.eql(datas(MADE.units))
    })

    it('fails where it is another one in the middle', async () => {
      const other = makeFlv({ seconds: 5, unitBytes: 400 })
      const url = await serve((request, response) => {
        if (seen.length > 1) return sendFile(request, response, other.bytes)
        response.writeHead(200, { 'content-length': MADE.bytes.length })
        response.write(MADE.bytes.subarray(0, 70_000), () => response.destroy())
      })
      expect(await errorOf(pull(`${url}/a.flv`))).to.match(/SourceError: the recording on the server has changed/u)
      expectNothingLeft()
    })

    it('fails where the server is gone in the middle', async () => {
      const url = await serve((_, response) => {
        if (seen.length > 1) return response.destroy()
        response.writeHead(200, { 'content-length': MADE.bytes.length })
        response.write(MADE.bytes.subarray(0, 70_000), () => response.destroy())
      })
      expect(await errorOf(pull(`${url}/a.flv`))).to.match(/SourceError: can't fetch http:/u)
      expectNothingLeft()
    })
  })

  describe('of a live source', () => {
    it('publishes what comes, however it is cut, and fails when that ends', async () => {
      const url = await serve((_, response) => {
        response.writeHead(200, { 'content-type': 'video/x-flv' })
        for (let offset = 0; offset < MADE.bytes.length; offset += 977) {
          response.write(MADE.bytes.subarray(offset, offset + 977))
        }
        response.end()
      })
      expect(await errorOf(pull(`${url}/a.flv`))).to.equal('SourceError: the source has ended')
      expect(datas(units())).to.eql(datas(MADE.units))
      expect(host.streams.publishers[0]).to.deep.include({ complete: true })
      expect(host.streams.publishers[0]?.options).to.include({ timestampBits: 32 })
      expectNothingLeft()
    })

    it('is told from a recording by a length that may be', async () => {
      const url = await serve((_, response) => {
        response.writeHead(200, { 'content-length': 2 ** 50 })
        response.write(MADE.bytes, () => response.destroy())
      })
      expect(await errorOf(pull(`${url}/a.flv`))).to.match(/^SourceError/u)
      expect([seen.length, host.streams.publishers[0]?.options.timestampBits]).to.eql([1, 32])
    })

    it('takes the messages of a WebSocket as parts of it, and no text', async () => {
      const url = await serveSocket((socket) => {
        socket.send('{"hello":1}')
        for (let offset = 0; offset < MADE.bytes.length; offset += 977) {
          socket.send(MADE.bytes.subarray(offset, offset + 977))
        }
        socket.close(4001, 's3cret')
      })
      expect(await errorOf(pull(`${url}/a.flv`))).to.equal('SourceError: the server closed the WebSocket (code 4001)')
      expect(datas(units())).to.eql(datas(MADE.units))
      expectNothingLeft()
    })

    it('answers the pings of a WebSocket', async () => {
      let pongs = 0
      const url = await serveSocket((socket) => {
        socket.on('pong', () => void pongs++)
        socket.ping()
        socket.send(MADE.bytes)
      })
      void errorOf(pull(`${url}/a.flv`))
      await waitFor(() => pongs === 1 && units().length === MADE.units.length)
    })

    it('ends with its publisher, and says who ended that; its connection is closed', async () => {
      let closed = 0
      const answer: Handler = (_, response) => {
        response.on('close', () => void closed++)
        response.write(MADE.bytes)
      }
      const urls = [
        await serve(answer),
        await serveSocket((socket) => {
          socket.on('close', () => void closed++)
          socket.send(MADE.bytes)
        }),
      ]
      for (const [index, url] of urls.entries()) {
        const end = pull(`${url}/a.flv`)
        await waitFor(() => host.streams.publishers[index]?.units.length === MADE.units.length)
        host.streams.publishers.at(-1)?.close({ code: 'stopped', text: 'stop by user' })
        expect(await end).to.eql({ by: 'server', reason: { code: 'stopped', text: 'stop by user' } })
      }
      await waitFor(() => closed === 2)
      expectNothingLeft()
    })

    it('ends when it is to', async () => {
      const url = await serve((_, response) => void response.write(MADE.bytes))
      const end = errorOf(pull(`${url}/a.flv`))
      await waitFor(() => units().length > 0)
      stop.abort()
      expect(await end).to.include('AbortError')
      expectNothingLeft()
    })
  })

  describe('of a source that leads elsewhere', () => {
    const header = { cookie: ['a=s3cret'], 'x-key': ['h34der'] }

    it('follows it, with user and cookie for the first server alone', async () => {
      const other = await serve(sendFile)
      const url = await serve((request, response) => {
        const location = request.url?.startsWith('/a.flv') === true ? '/b.flv?c=d' : `${other}/c.flv`
        if (request.headers.authorization === undefined) response.writeHead(401).end()
        else response.writeHead(302, { location }).end()
      })
      const address = `${url}/a.flv?token=s3cret`.replace('//', '//some%40one:pa55word@')
      expect(await pull(address, { header })).to.eql({ by: 'source' })
      expect(seen.map((request) => request.url)).to.eql([
        '/a.flv?token=s3cret',
        '/a.flv?token=s3cret',
        '/b.flv?c=d',
        '/c.flv',
      ])
      const authorization = `Basic ${Buffer.from('some@one:pa55word').toString('base64')}`
      for (const { headers } of seen.slice(1, 3)) expect(headers).to.include({ authorization, cookie: 'a=s3cret' })
      expect(seen[3]?.headers).not.to.have.any.keys('authorization', 'cookie')
      expect(seen[3]?.headers).to.include({ 'x-key': 'h34der' })
      expectNothingLeft()
    })

    it('reaches it by the dialer alone, wherever it leads', async () => {
      const targets: string[] = []
      const dial: Dialer = {
        ...directDialer,
        connect(target) {
          targets.push(target.host)
          return directDialer.connect({ ...target, host: '127.0.0.1' })
        },
      }
      const socket = await serveSocket((socket) => socket.close())
      const url = (await serve(sendFile)).replace('127.0.0.1', 'two.invalid')
      const start = (await serve((_, response) => response.writeHead(302, { location: `${url}/b.flv` }).end())).replace(
        '127.0.0.1',
        'one.invalid',
      )
      expect(await pull(`${start}/a.flv`, { dial })).to.eql({ by: 'source' })
      await errorOf(pull(`${socket.replace('127.0.0.1', 'three.invalid')}/a.flv`, { dial }))
      expect(targets).to.eql(['one.invalid', 'two.invalid', 'three.invalid'])
    })

    it('follows that of a WebSocket, whichever scheme it names', async () => {
      const other = await serveSocket((socket) => socket.close())
      const url = await serve((_, response) => response.end())
      servers.at(-1)!.on('upgrade', (_, socket) => {
        socket.end(`HTTP/1.1 307 x\r\nLocation: ${other.replace('ws', 'http')}/b.flv\r\nContent-Length: 0\r\n\r\n`)
      })
      const error = await errorOf(pull(`${url.replace('http://', 'ws://me:pa55word@')}/a.flv`))
      expect(error).to.equal('SourceError: the server closed the WebSocket (code 1005)')
      expect(seen.map((request) => [request.url, request.headers.authorization])).to.eql([['/b.flv', undefined]])
    })

    it('tells a server of WebSockets who asks', async () => {
      const url = await serveSocket((socket) => socket.close())
      const server = servers.at(-1)!
      const [open] = server.listeners('upgrade')
      server.removeAllListeners('upgrade').on('upgrade', (request, socket, head) => {
        if (request.headers.authorization !== undefined) return open?.call(server, request, socket, head)
        seen.push(request)
        const challenge = 'WWW-Authenticate: Digest realm="r", nonce="n"\r\nSet-Cookie: a=1'
        socket.end(`HTTP/1.1 401 x\r\n${challenge}\r\nContent-Length: 0\r\n\r\n`)
      })
      const error = await errorOf(pull(`${url.replace('//', '//me:pa55word@')}/a.flv?b=c`))
      expect(error).to.equal('SourceError: the server closed the WebSocket (code 1005)')
      expect(seen.map(({ headers }) => headers.cookie)).to.eql([undefined, 'a=1'])
      expect(seen[1]?.headers.authorization).to.match(
        /^Digest username="me", .*uri="\/a\.flv\?b=c", response="\w{32}"$/u,
      )
    })

    for (const [what, location, message] of [
      ['around in circles', '/a.flv', /more than 8 redirects/u],
      ['to a file', 'file:///etc/passwd', /leads to an address of another kind/u],
      ['to a WebSocket', 'ws://127.0.0.1/a', /leads to an address of another kind/u],
    ] as const) {
      it(`fails where it leads ${what}`, async () => {
        const url = await serve((_, response) => response.writeHead(302, { location }).end())
        expect(await errorOf(pull(`${url}/a.flv?t=s3cret`)))
          .to.match(message)
          .and.not.match(SECRETS)
        expect(seen.length).to.be.at.most(9)
      })
    }
  })

  describe('of what is no source', () => {
    const html = Buffer.from('<!doctype html><html>no such stream</html>')
    const cases: readonly (readonly [what: string, handler: Handler, message: RegExp])[] = [
      ['forbids', (_, response) => response.writeHead(401).end(), /answered 401 \(Unauthorized\) for http/u],
      ['has none', (_, response) => response.writeHead(404).end('s3cret'), /answered 404 \(Not Found\) for http/u],
      ['redirects nowhere', (_, response) => response.writeHead(302).end(), /answered 302 \(Found\)/u],
      [
        'sends a page without length',
        (_, response) => void response.writeHead(200, { 'content-type': 'text/html;s3cret' }).write(html),
        /no FLV: .*0x3c21646f; it says that it is text\/html$/u,
      ],
      [
        'sends a page',
        (_, response) => response.writeHead(200, { 'content-length': html.length }).end(html),
        /no FLV/u,
      ],
      ['sends nothing', (_, response) => response.end(), /no FLV/u],
      ['hangs up', (_, response) => void response.destroy(), /can't fetch http.*other side closed/u],
      ['never answers', () => {}, /no FLV came within 0.2 s/u],
      ['sends no body', (_, response) => response.writeHead(200).flushHeaders(), /no FLV came within 0.2 s/u],
      [
        'sends a byte now and then',
        (_, response) => {
          let offset = 0
          const timer = setInterval(() => response.write(MADE.bytes.subarray(offset, ++offset)), 10)
          response.on('close', () => clearInterval(timer))
        },
        /no FLV came within 0.2 s/u,
      ],
    ]
    for (const [what, handler, message] of cases) {
      it(`says so where the server ${what}`, async () => {
        const url = await serve(handler)
        const address = `${url}/a.flv?token=s3cret`.replace('//', '//me:pa55word@')
        const error = await errorOf(pull(address, {}, /within/u.test(message.source) ? 200 : undefined))
        expect(error).to.match(message).and.not.match(SECRETS)
        expect(host.streams.publishers).to.eql([])
        if (servers[0] !== undefined) await waitFor(async () => (await connections(servers[0]!)) === 0)
      })
    }

    it('says so where nobody is there, the address is none, or a header is not valid', async () => {
      const url = await serve(() => {})
      servers[0]!.close()
      await once(servers[0]!, 'close')
      const address = `${url}/a.flv?token=s3cret`.replace('//', '//me:pa55word@')
      expect(await errorOf(pull(address)))
        .to.match(/ECONNREFUSED/u)
        .and.not.match(SECRETS)
      const socket = address.replace('http', 'ws')
      expect(await errorOf(pull(socket)))
        .to.match(/ECONNREFUSED/u)
        .and.not.match(SECRETS)
      expect(await errorOf(openNone('ftp://me:pa55word@host/a.flv'))).to.match(/no http, https, ws or wss/u)
      const header = { 'x-key': ['h34der\0x'] }
      expect(await errorOf(pull(address, { header })))
        .to.match(/header "x-key" of the rule/u)
        .and.not.match(SECRETS)
    })

    it('says so where a WebSocket is refused', async () => {
      const url = await serve(() => {})
      servers[0]!.on('upgrade', (_, socket) => socket.end('HTTP/1.1 403 x\r\nContent-Length: 0\r\n\r\n'))
      expect(await errorOf(pull(`${url.replace('http', 'ws')}/a.flv`))).to.match(/answered 403 \(Forbidden\) for ws:/u)
    })

    it('takes any bytes without harm', async () => {
      let random = 4711
      const next = (below: number) => (random = (random * 1_103_515_245 + 12_345) % 2 ** 31) % below
      const url = await serve((_, response) => {
        const bytes = Buffer.from(MADE.bytes.subarray(0, 20_000))
        for (let spoilt = 0; spoilt < 3; spoilt++) bytes[next(bytes.length)] = next(256)
        response.write(bytes)
        response.end()
      })
      for (let round = 0; round < 50; round++) {
        expect(await errorOf(pull(`${url}/a.flv`))).to.match(/^SourceError: the source (?:has ended|sends what is no)/u)
      }
      expectNothingLeft()
    })

    async function openNone(url: string): Promise<PullEnd> {
      return pull(url)
    }
  })
})

function connections(server: Server): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  server.getConnections((_, count) => resolve(count))
  return promise
}
