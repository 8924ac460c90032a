import { randomBytes } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import {
  dialHttp2,
  END_HEADERS,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  request,
  reset,
} from '../testing/http2-frames.ts'
import { HttpFixture, readAll, waitFor, type LogLine } from '../testing/http-fixture.ts'

const LIMITS = {
  headersTimeoutMs: 150,
  requestTimeoutMs: 200,
  keepAliveTimeoutMs: 100,
  idleTimeoutMs: 300,
  checkIntervalMs: 20,
  maxStreams: 8,
  maxStreamResets: 20,
  streamResetsPerSecond: 1,
}
const MALFORMED = [
  { name: 'random bytes', bytes: [randomBytes(1000)], reason: /bad client magic/ },
  { name: 'random bytes after the preface', bytes: [PREFACE, randomBytes(100_000)], reason: /./ },
  { name: 'a frame that is too long', bytes: [PREFACE, frame(FRAME.data, 0, 1, Buffer.alloc(100_000))], reason: /./ },
  { name: 'data before a request', bytes: [PREFACE, frame(FRAME.data, 0, 1, Buffer.alloc(9))], reason: /./ },
  { name: 'bad header compression', bytes: [PREFACE, frame(FRAME.headers, 5, 1, Buffer.alloc(9, 255))], reason: /./ },
  {
    name: 'a window too large',
    bytes: [PREFACE, frame(FRAME.window, 0, 0, Buffer.from([127, 255, 255, 255]))],
    reason: /[Ff]low/,
  },
  {
    name: 'headers without end',
    bytes: [
      PREFACE,
      frame(FRAME.headers, END_STREAM, 1, headerBlock('/x')),
      ...Array<Buffer>(1000).fill(frame(FRAME.continuation, 0, 1, Buffer.from([0, 1, 0x78, 1, 0x78]))),
    ],
    reason: /CONTINUATION/,
  },
  {
    name: 'a flood of pings',
    bytes: [PREFACE, ...Array<Buffer>(20_000).fill(frame(FRAME.ping, 0, 0, Buffer.alloc(8)))],
    reason: /[Ff]lood/,
  },
  {
    name: 'a flood of settings',
    bytes: [PREFACE, ...Array<Buffer>(20_000).fill(frame(FRAME.settings, 0, 0))],
    reason: /[Ff]lood/,
  },
]

describe('HTTP/2 and bad clients', () => {
  let fixture: HttpFixture
  let asked = 0
  let answer: PromiseWithResolvers<string>

  beforeEach(async () => {
    asked = 0
    fixture = new HttpFixture({ ...LIMITS, maxHeaderBytes: 2_048 }, { listenaddrtls: '127.0.0.1:0' })
    const { core } = fixture.host
    core.addHook('onRequest', async () => void asked++)
    answer = Promise.withResolvers()
    core.get('/never', () => answer.promise)
    core.get('/big', (_request, reply) => reply.send(Buffer.alloc(50_000_000)))
    await fixture.host.start()
  })

  afterEach(() => fixture.close())

  async function dial(): Promise<TLSSocket> {
    return dialHttp2(fixture.host.addresses.find(({ tls }) => tls)?.port ?? 0)
  }

  /** Sends bytes, waits until the server closes the connection, and gives what it said of that. */
  async function endOf(...bytes: readonly Buffer[]): Promise<LogLine[]> {
    const client = await dial()
    client.write(Buffer.concat(bytes))
    await readAll(client)
    return shown()
  }

  function shown(): LogLine[] {
    return fixture.lines.filter(({ level, msg }) => level !== 'debug' && !msg.startsWith('listening'))
  }

  for (const { name, bytes, reason } of MALFORMED) {
    it(`ends a connection that sends ${name}, with one line`, async () => {
      const lines = await endOf(...bytes)
      expect(lines).to.have.length(1)
      expect(lines[0]).to.include({ level: 'info', msg: 'connection closed', ip: '127.0.0.1' })
      expect(lines[0]?.['reason']).to.match(reason)
    })
  }

  const SILENT = [
    { name: 'nothing', bytes: [] },
    { name: 'the preface only', bytes: [PREFACE] },
    { name: 'half a request', bytes: [PREFACE, frame(FRAME.headers, END_STREAM, 1, headerBlock('/never'))] },
  ]
  for (const { name, bytes } of SILENT) {
    it(`closes a connection that says ${name}`, async () => {
      expect((await endOf(...bytes)).map(({ reason }) => reason)).to.deep.equal(['no complete request in time'])
    })
  }

  it('closes a connection that asks no more, also one that goes on with pings', async () => {
    const client = await dial()
    client.write(Buffer.concat([PREFACE, request(1, '/nothing')]))
    const pings = setInterval(() => client.write(frame(FRAME.ping, 0, 0, Buffer.alloc(8))), 10)
    await readAll(client)
    clearInterval(pings)
    expect(shown()).to.deep.equal([])
  })

  it('ends a request whose body does not come', async () => {
    const lines = await endOf(PREFACE, frame(FRAME.headers, END_HEADERS, 1, headerBlock('/never')))
    expect(lines.map(({ msg, reason }) => `${msg}: ${String(reason)}`)).to.deep.equal([
      'request ended: no complete request in time',
    ])
  })

  it('takes so many requests at once, and refuses more', async () => {
    const requests = Array.from({ length: 3 * LIMITS.maxStreams }, (_, index) => request(1 + 2 * index, '/never'))
    const ended = endOf(PREFACE, ...requests)
    await waitFor(() => asked === LIMITS.maxStreams)
    answer.resolve('late')
    await ended
    expect(asked).to.equal(LIMITS.maxStreams)
  })

  it('ends a connection that takes its requests back, again and again', async () => {
    const pairs = Array.from({ length: 5000 }, (_, index) => [request(1 + 2 * index, '/never'), reset(1 + 2 * index)])
    const lines = await endOf(PREFACE, ...pairs.flat())
    expect(lines.map(({ reason }) => reason)).to.deep.equal(['too many requests taken back'])
    expect(asked).to.be.at.most(LIMITS.maxStreamResets + 1)
  })

  it('answers 431 to long headers', async () => {
    const long = Buffer.concat([headerBlock('/never'), literal('x', 'y'.repeat(4000))])
    await endOf(PREFACE, frame(FRAME.headers, END_STREAM | END_HEADERS, 1, long))
    expect(asked).to.equal(0)
  })

  it('ends answers that nobody reads, and the connection', async () => {
    const client = await dial()
    const allAtOnce = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff])
    const window = frame(FRAME.window, 0, 0, Buffer.from([0x7f, 0, 0, 0]))
    const requests = [1, 3, 5].map((id) => request(id, '/big'))
    client.pause()
    client.write(Buffer.concat([PREFACE, frame(FRAME.settings, 0, 0, allAtOnce), window, ...requests]))
    const ended = () => fixture.lines.filter(({ msg, path }) => msg === 'request' && path === '/big').length
    await waitFor(() => ended() === requests.length)
    // Who reads nothing notices the end by writing.
    const pings = setInterval(() => client.write(frame(FRAME.ping, 0, 0, Buffer.alloc(8))), 10)
    await waitFor(() => client.destroyed)
    clearInterval(pings)
  })
})

/** A header field as it is (RFC 7541, 6.2.2), with a value of 127 to 16,510 bytes. */
function literal(name: string, value: string): Buffer {
  const rest = value.length - 127
  const length = [127, 128 | (rest % 128), Math.floor(rest / 128)]
  return Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from(length), Buffer.from(value)])
}
