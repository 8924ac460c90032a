import { randomBytes } from 'node:crypto'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { attackedServer } from './support/attacked-server.ts'
import { BadClient } from './support/bad-client.ts'
import { clientFrame, wsRequest } from './support/client-frame.ts'
import { noise } from './support/noise.ts'
import type { ServerProcess } from './support/server-process.ts'

const CONFIG = `
global:
  subscribe: { waittimeout: 300ms }
`
const TEXT = 1
const BINARY = 2
const PING = 9
const LONG_PATH = `/flv/live/${'x'.repeat(7000)}`

/** Request targets that name no stream, and what a client may get for them. */
const TARGETS = [
  { name: 'a path with ..', target: '/flv/live/../../../etc/passwd', status: 400 },
  { name: 'a path with .. in escapes', target: '/flv/live/%2e%2e/%2e%2e/etc/passwd', status: 400 },
  { name: 'control characters', target: '/flv/live/a%00%0d%0aSet-Cookie:%20x=1', status: 400 },
  { name: 'a backslash', target: '/flv/live%5c..%5cx', status: 400 },
  { name: 'an empty part', target: '/flv/live//x', status: 400 },
  { name: 'nothing', target: '/flv/', status: 400 },
  { name: 'a path too long', target: LONG_PATH, status: 400 },
  { name: 'an address too long', target: `/flv/${'x'.repeat(9000)}`, status: 414 },
  // What is no escape stands for itself in a WebSocket's target, and so names a stream.
  { name: 'bad escapes', target: '/flv/live/%zz%', status: 400, wsStatus: 404 },
  { name: 'bad UTF-8', target: '/flv/live/%ff%fe', status: 400, wsStatus: 404 },
  { name: 'a stream that is not there', target: '/flv/live/nothing', status: 404 },
]

describe('HTTP and bad clients', () => {
  let server: ServerProcess
  attackedServer(CONFIG, (started) => (server = started))

  async function exchange(text: string | Buffer): Promise<string> {
    const client = await BadClient.dial(server.ports.http)
    client.socket.write(text)
    await client.closed
    return client.received
  }

  it('answers 400 to random bytes, and closes', async () => {
    const client = await BadClient.dial(server.ports.http)
    client.socket.write(noise(100_000))
    await client.expectEnd(server, /Parse Error/)
    expect(client.received).to.match(/^HTTP\/1\.1 400 /)
  })

  it('ends random bytes on the TLS ports', async () => {
    for (const port of [server.ports.https, server.ports.rtmps]) {
      const client = await BadClient.dial(port)
      client.socket.write(noise(100_000))
      await client.expectEnd(server, /./)
    }
  })

  it('ends a TLS handshake that is cut off', async () => {
    for (const port of [server.ports.https, server.ports.rtmps]) {
      const client = await BadClient.dial(port)
      client.socket.end(Buffer.from([0x16, 3, 1, 2, 0, 1]))
      await client.expectEnd(server, /^the client left$/)
    }
  })

  it('ends plain requests on the TLS ports', async () => {
    for (const port of [server.ports.https, server.ports.rtmps]) {
      const client = await BadClient.dial(port)
      client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      await client.expectEnd(server, /http request|wrong version/i)
    }
  })

  it('ends random bytes behind TLS', async () => {
    for (const [port, reason] of [
      [server.ports.https, /Parse Error/],
      [server.ports.rtmps, /^malformed: not RTMP/],
    ] as const) {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      await new Promise<void>((resolve) => socket.once('secureConnect', resolve))
      const client = new BadClient(socket.resume())
      socket.write(noise(100_000))
      await client.expectEnd(server, reason)
    }
  })

  for (const { name, target, status, wsStatus = status } of TARGETS) {
    it(`answers ${status} to ${name}`, async () => {
      const answer = await exchange(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(answer).not.to.contain('Set-Cookie')
    })

    it(`answers ${wsStatus} to ${name} over WebSocket`, async () => {
      expect(await exchange(wsRequest(target))).to.match(new RegExp(`^HTTP/1\\.1 ${wsStatus} `))
    })
  }

  it('answers 404 to a WebSocket elsewhere', async () => {
    expect(await exchange(wsRequest('/api/sysinfo'))).to.match(/^HTTP\/1\.1 404 /)
  })

  it('answers 400 to a WebSocket handshake without a key', async () => {
    const request = wsRequest('/flv/live/healthy').replace(/Sec-WebSocket-Key: .*\r\n/u, '')
    expect(await exchange(request)).to.match(/^HTTP\/1\.1 400 /)
  })

  const FRAMES = [
    { name: 'random bytes', bytes: noise(10_000, 7) },
    { name: 'a message that is too long', bytes: clientFrame(BINARY, randomBytes(2000)) },
    { name: 'a claim of 2^62 bytes', bytes: Buffer.from([0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]) },
    { name: 'text that is not UTF-8', bytes: clientFrame(TEXT, Buffer.from([0xff, 0xfe])) },
    { name: 'a frame without mask', bytes: Buffer.from([0x82, 1, 0]) },
    { name: 'a long control frame', bytes: clientFrame(PING, randomBytes(200)) },
  ]
  for (const { name, bytes } of FRAMES) {
    it(`ends a WebSocket viewer that sends ${name}`, async () => {
      const client = await BadClient.dial(server.ports.http)
      client.socket.write(wsRequest('/flv/live/healthy'))
      await new Promise<void>((resolve) => client.socket.once('data', () => resolve()))
      client.socket.write(bytes)
      await client.expectEnd(server, /^malformed: /)
    })
  }

  for (const [name, opcode] of [
    ['pings', PING],
    ['empty messages', TEXT],
  ] as const) {
    it(`ends WebSocket viewers that send ${name} without end, also those that read nothing`, async () => {
      const flood = Buffer.concat(Array<Buffer>(20_000).fill(clientFrame(opcode, Buffer.alloc(0))))
      const clients = await Promise.all(Array.from({ length: 10 }, () => BadClient.dial(server.ports.http)))
      for (const [index, { socket }] of clients.entries()) {
        socket.write(Buffer.concat([Buffer.from(wsRequest('/flv/live/healthy')), flood]))
        if (index % 2 === 0) socket.pause()
      }
      for (const client of clients) await client.expectOneEnd(server, /^too many messages$/)
    })
  }

  it('ends a WebSocket viewer that cuts a message into too many pieces', async () => {
    const client = await BadClient.dial(server.ports.http)
    const pieces = Buffer.concat([
      Buffer.from([0x02, 0x80, 0, 0, 0, 0]),
      ...Array<Buffer>(50).fill(Buffer.from([0, 0x80, 0, 0, 0, 0])),
    ])
    client.socket.write(Buffer.concat([Buffer.from(wsRequest('/flv/live/healthy')), pieces]))
    await client.expectEnd(server, /^malformed: /)
  })

  it('ends a connection that asks for streams again and again without an answer', async () => {
    const client = await BadClient.dial(server.ports.http)
    await client.flood(Buffer.from('GET /flv/live/nothing HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(100)))
    await client.expectEnd(server, /^too many requests at once$/)
  })

  it('endures a thousand connections that leave in the midst of a request', async () => {
    const leave = async () => {
      const client = await BadClient.dial(server.ports.http)
      client.socket.write('GET /flv/live/nothing HTTP/1.1\r\nHost: x\r\n\r\n')
      client.socket.destroy()
    }
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 100 }, leave))
  })
})
