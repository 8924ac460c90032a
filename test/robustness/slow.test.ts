import { connect } from 'node:net'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { BadClient } from './support/bad-client.ts'
import { clientFrame, wsRequest } from './support/client-frame.ts'
import { HEALTHY_VIEWERS, HealthySession } from './support/healthy-session.ts'
import { NumberedPublisher } from './support/numbered-publisher.ts'
import { messageBytes, RtmpClient } from './support/rtmp-client.ts'
import { playRtsp } from './support/rtsp-client.ts'
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
const MAX_GROWTH_BYTES = 3 * VIEWERS * QUEUE_BYTES
const HTTP_REQUEST = 'GET /flv/live/fast HTTP/1.1\r\nHost: x\r\n\r\n'
const WS_REQUEST = wsRequest('/flv/live/fast')
const PING = 9

describe('viewers that read nothing', () => {
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

  async function openRtmp(): Promise<BadClient> {
    const rtmp = await RtmpClient.play({ port: server.ports.rtmp }, 'fast', () => {})
    const client = new BadClient(rtmp.socket, rtmp.since)
    client.stopReading()
    return client
  }

  async function openRtsp(): Promise<BadClient> {
    const since = new Date().toISOString()
    const { socket } = await playRtsp({ port: server.ports.rtsp, target: 'live/fast', onPicture: () => {} })
    const client = new BadClient(socket, since)
    client.stopReading()
    return client
  }

  const WAYS: readonly (() => Promise<BadClient>)[] = [
    openRtmp,
    () => dialPaused(server.ports.http, HTTP_REQUEST),
    () => dialPaused(server.ports.http, WS_REQUEST),
    openRtsp,
  ]

  async function start(config: string): Promise<void> {
    server = await ServerProcess.start(config)
    healthy = await HealthySession.start(server)
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

    it('are closed as slow, and hold no more than their queue', async () => {
      const { rssBytes } = await server.usage()
      const opens = WAYS.flatMap((open) => Array<typeof open>(VIEWERS).fill(open))
      const viewers = await Promise.all(opens.map((open) => open()))
      let growthBytes = 0
      const gone = async () => {
        growthBytes = Math.max(growthBytes, (await server.usage()).rssBytes - rssBytes)
        return viewers.every((viewer) => server.endsOf(viewer).length > 0)
      }
      await waitFor(gone, { what: 'the viewers to be closed' })
      for (const viewer of viewers) await viewer.expectOneEnd(server, /^slow$/)
      expect(growthBytes).to.be.below(MAX_GROWTH_BYTES)
      for (const viewer of viewers) viewer.socket.destroy()
    })

    it('are closed as slow though they ask for answers', async () => {
      const { rssBytes } = await server.usage()
      const overRtmp = await openRtmp()
      const overWs = await dialPaused(server.ports.http, WS_REQUEST)
      await subscribersAre(HEALTHY_VIEWERS + 2)
      const ping = messageBytes({ kind: 'pingRequest', timestampMs: 1 })
      const timer = setInterval(() => overRtmp.socket.write(ping), 100)
      await overWs.flood(Buffer.concat(Array<Buffer>(500).fill(clientFrame(PING, Buffer.alloc(125)))))
      await overRtmp.expectOneEnd(server, /^slow$/)
      // Who asks so often is not waited for.
      await overWs.expectOneEnd(server, /^too many messages$/)
      clearInterval(timer)
      expect((await server.usage()).rssBytes - rssBytes).to.be.below(MAX_GROWTH_BYTES)
    })
  })

  describe('and leave in the midst of it', () => {
    before(() => start(PATIENT))

    /** Lets the queues of viewers fill, and checks that what follows lets go of their connections. */
    async function expectFreed(leave: (viewers: readonly BadClient[]) => void): Promise<void> {
      const { descriptors } = await server.usage()
      const viewers = await Promise.all(WAYS.map((open) => open()))
      await subscribersAre(HEALTHY_VIEWERS + WAYS.length)
      const { last } = publisher
      await waitFor(() => publisher.last > last + FAST.fps, { what: 'the queues to fill' })
      leave(viewers)
      for (const viewer of viewers) await viewer.expectOneEnd(server, /left|timeout/)
      publisher.close()
      await waitFor(async () => (await server.usage()).descriptors < descriptors, { what: 'the sockets to be gone' })
      for (const { socket } of viewers) socket.destroy()
    }

    it('leave no socket behind when they are half-open', () =>
      expectFreed((viewers) => viewers.forEach(({ socket }) => socket.end())))

    it('leave no socket behind when the publisher goes first', () => expectFreed(() => publisher.close()))
  })
})
