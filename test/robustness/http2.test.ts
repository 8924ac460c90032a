import { once } from 'node:events'
import { connect } from 'node:tls'
import { expect } from 'chai'
import {
  dialHttp2,
  END_STREAM,
  FRAME,
  frame,
  headerBlock,
  PREFACE,
  request,
  reset,
} from '../../core/http/testing/http2-frames.ts'
import { attackedServer } from './support/attacked-server.ts'
import { BadClient } from './support/bad-client.ts'
import { noise } from './support/noise.ts'
import type { ServerProcess } from './support/server-process.ts'

const CONFIG = `
global:
  subscribe: { waittimeout: 300ms, stalltimeout: 1s }
`
const HEALTHY = '/flv/live/healthy'
const NOTHING = '/flv/live/nothing'

const FLOODS = [
  { name: 'random bytes', bytes: noise(100_000), reason: /bad client magic/ },
  { name: 'random bytes after the preface', bytes: Buffer.concat([PREFACE, noise(100_000)]), reason: /./ },
  {
    name: 'header fields without end',
    bytes: Buffer.concat([
      PREFACE,
      frame(FRAME.headers, END_STREAM, 1, headerBlock(HEALTHY)),
      ...Array<Buffer>(10_000).fill(frame(FRAME.continuation, 0, 1, Buffer.from([0, 1, 0x78, 1, 0x78]))),
    ]),
    reason: /CONTINUATION/,
  },
  {
    name: 'pings without end',
    bytes: Buffer.concat([PREFACE, ...Array<Buffer>(50_000).fill(frame(FRAME.ping, 0, 0, Buffer.alloc(8)))]),
    reason: /Flood/,
  },
  {
    name: 'requests taken back again and again',
    bytes: Buffer.concat([
      PREFACE,
      ...Array.from({ length: 10_000 }, (_, index) => request(1 + 2 * index, NOTHING)).flatMap((bytes, index) => [
        bytes,
        reset(1 + 2 * index),
      ]),
    ]),
    reason: /^too many requests taken back$/,
  },
]

describe('HTTP/2 and bad clients', () => {
  let server: ServerProcess
  attackedServer(CONFIG, (started) => (server = started))

  for (const { name, bytes, reason } of FLOODS) {
    it(`ends a connection that sends ${name}`, async () => {
      const socket = await dialHttp2(server.ports.https)
      const client = new BadClient(socket.resume())
      socket.write(bytes)
      await client.expectEnd(server, reason)
    })
  }

  it('endures hundreds of requests at once on a connection', async () => {
    const socket = await dialHttp2(server.ports.https)
    const client = new BadClient(socket.resume())
    const requests = Array.from({ length: 1000 }, (_, index) => request(1 + 2 * index, NOTHING))
    socket.write(Buffer.concat([PREFACE, ...requests]))
    await once(socket, 'data')
    // Answers or refusals are on their way; nobody waits for them.
    socket.destroy()
    await client.closed
  })

  it('ends a viewer that reads nothing as slow, with one line', async () => {
    const socket = await dialHttp2(server.ports.https)
    const client = new BadClient(socket.pause())
    socket.write(Buffer.concat([PREFACE, request(1, HEALTHY)]))
    await client.expectOneEnd(server, /^slow$/)
    socket.destroy()
    await client.closed
  })

  it('endures viewers that leave in the midst, by reset and by hanging up', async () => {
    const leave = async (_: unknown, index: number): Promise<void> => {
      const socket = await dialHttp2(server.ports.https)
      socket.write(Buffer.concat([PREFACE, request(1, HEALTHY), request(3, NOTHING)]))
      await once(socket, 'data')
      if (index % 2 === 0) socket.write(reset(1))
      socket.destroy()
    }
    for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 20 }, leave))
  })

  it('is not offered where RTMP is spoken', async () => {
    const options = { port: server.ports.rtmps, host: '127.0.0.1', rejectUnauthorized: false }
    const socket = connect({ ...options, ALPNProtocols: ['h2', 'http/1.1'] })
    await once(socket, 'secureConnect')
    expect(socket.alpnProtocol).to.equal(false)
    socket.destroy()
  })
})
