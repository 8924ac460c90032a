import { connect } from 'node:net'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { BadClient, expectOneEnd } from './support/bad-client.ts'
import { clientFrame, wsRequest } from './support/client-frame.ts'
import { HealthySession } from './support/healthy-session.ts'
import { NumberedPublisher } from './support/numbered-publisher.ts'
import { messageBytes, RtmpClient } from './support/rtmp-client.ts'
import { ServerProcess } from './support/server-process.ts'

const MIB = 1024 * 1024
const QUEUE_BYTES = 2 * MIB
const IMPATIENT = `
global:
  subscribe: { stalltimeout: 2s, queuesize: 2MB, queuetime: 60s }
`
const PATIENT = `
global:
  subscribe: { stalltimeout: 0s, waittimeout: 200ms, queuesize: 2MB }
`
/** 40 Mbit/s: what the sockets hold is full soon. */
const FAST = { fps: 25, sizeBytes: 200_000 }
/** Viewers of a stream share its bytes, and so does what waits for them. */
const VIEWERS = 20
const HEALTHY_VIEWERS = 3
const MAX_GROWTH_BYTES = 2 * VIEWERS * QUEUE_BYTES
const HTTP_REQUEST = 'GET /flv/live/fast HTTP/1.1\r\nHost: x\r\n\r\n'
const WS_REQUEST = wsRequest('/flv/live/fast')
const PING = 9

describe('viewers that read nothing', function () {
  this.timeout(30_000)
  let server: ServerProcess
  let healthy: HealthySession
  let publisher: NumberedPublisher

  async function dialPaused(port: number, firstBytes: string): Promise<BadClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const client = new BadClient(socket)
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    socket.write(firstBytes)
    return client
  }

  async function pausedRtmp(): Promise<BadClient> {
    const rtmp = await RtmpClient.play({ port: server.ports.rtmp }, 'fast', () => {})
    rtmp.socket.pause()
    return new BadClient(rtmp.socket)
  }

  const WAYS: readonly { readonly name: string; readonly open: () => Promise<BadClient> }[] = [
    { name: 'RTMP', open: pausedRtmp },
    { name: 'HTTP-FLV', open: () => dialPaused(server.ports.http, HTTP_REQUEST) },
    { name: 'WS-FLV', open: () => dialPaused(server.ports.http, WS_REQUEST) },
  ]

  async function start(config: string): Promise<void> {
    server = await ServerProcess.start(config)
    healthy = await HealthySession.start(server.ports)
  }

  async function subscribersAre(count: number): Promise<void> {
    await waitFor(async () => (await server.sessions()).subscribers === count, { what: `${count} subscribers` })
  }

  beforeEach(async () => {
    publisher = await NumberedPublisher.start({ port: server.ports.rtmp, name: 'fast', ...FAST })
  })

  afterEach(async () => {
    publisher.close()
    await healthy.expectUnharmed()
    expect(server.problems).to.deep.equal([])
    await waitFor(async () => (await server.sessions()).streams === 1, { what: 'the stream to end' })
    await subscribersAre(HEALTHY_VIEWERS)
  })

  after(async () => {
    healthy.close()
    await server.stop()
  })

  describe('for longer than the stall timeout', () => {
    before(() => start(IMPATIENT))

    for (const { name, open } of WAYS) {
      it(`are closed as slow over ${name}, and hold no more than their queue`, async () => {
        const { rssBytes } = await server.usage()
        const viewers = await Promise.all(Array.from({ length: VIEWERS }, open))
        let growthBytes = 0
        const gone = async () => {
          growthBytes = Math.max(growthBytes, (await server.usage()).rssBytes - rssBytes)
          return viewers.every(({ port }) => server.endsOf(port).length > 0)
        }
        await waitFor(gone, { what: 'the viewers to be closed' })
        for (const { port } of viewers) await expectOneEnd(server, port, /^slow$/)
        expect(growthBytes).to.be.below(MAX_GROWTH_BYTES)
        for (const viewer of viewers) viewer.socket.destroy()
      })
    }

    it('are closed as slow though they ping over RTMP', async () => {
      const viewer = await pausedRtmp()
      const ping = messageBytes({ kind: 'pingRequest', timestampMs: 1 })
      const timer = setInterval(() => viewer.socket.write(ping), 100)
      await expectOneEnd(server, viewer.port, /^slow$/)
      clearInterval(timer)
    })

    it('are closed as slow though they flood a WebSocket with pings', async () => {
      const { rssBytes } = await server.usage()
      const viewer = await dialPaused(server.ports.http, WS_REQUEST)
      await subscribersAre(HEALTHY_VIEWERS + 1)
      await viewer.flood(Buffer.concat(Array<Buffer>(500).fill(clientFrame(PING, Buffer.alloc(125)))))
      await expectOneEnd(server, viewer.port, /^slow$/)
      expect((await server.usage()).rssBytes - rssBytes).to.be.below(MAX_GROWTH_BYTES)
    })
  })

  describe('and leave in the midst of it', () => {
    before(() => start(PATIENT))

    /** Lets a viewer's queue fill, and checks that what follows lets go of its connection, besides those `gone`. */
    async function expectFreed(
      open: () => Promise<BadClient>,
      leave: (viewer: BadClient) => void,
      gone = 0,
    ): Promise<void> {
      const viewer = await open()
      await subscribersAre(HEALTHY_VIEWERS + 1)
      const { descriptors } = await server.usage()
      const { last } = publisher
      await waitFor(() => publisher.last > last + FAST.fps, { what: 'the queue to fill' })
      leave(viewer)
      await expectOneEnd(server, viewer.port, /left|timeout/)
      await waitFor(async () => (await server.usage()).descriptors < descriptors - gone, {
        what: 'the socket to be gone',
      })
      viewer.socket.destroy()
    }

    for (const { name, open } of WAYS) {
      it(`leave no socket behind when they are half-open over ${name}`, () =>
        expectFreed(open, ({ socket }) => socket.end()))

      it(`leave no socket behind when the publisher goes first over ${name}`, () =>
        expectFreed(open, () => publisher.close(), 1))
    }
  })
})
