import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { BadClient } from './support/bad-client.ts'
import { HealthySession } from './support/healthy-session.ts'
import { noise } from './support/noise.ts'
import { claim } from './support/rtmp-bytes.ts'
import { RtmpClient } from './support/rtmp-client.ts'
import { ServerProcess, type Ports } from './support/server-process.ts'

/** The longest limit is HTTP's 15 s for the headers of a request. */
const CLOSED_WITHIN_MS = 18_000
const MAX_GROWTH_BYTES = 150 * 1024 * 1024

const RTMP_TIMEOUT = 'handshake timeout'
const TLS_TIMEOUT = 'TLS handshake timeout'
const HTTP_TIMEOUT = 'no complete request in time'
const STREAM_TIMEOUT = 'no stream was asked for in time'

/** Ways to occupy a connection with nothing, and what the log says of it in the end. */
const WAYS: readonly {
  readonly name: string
  readonly count: number
  readonly open: (ports: Ports) => Promise<BadClient>
  readonly reason: string
}[] = [
  { name: 'RTMP', count: 200, open: ({ rtmp }) => BadClient.dial(rtmp), reason: RTMP_TIMEOUT },
  { name: 'RTMPS', count: 100, open: ({ rtmps }) => BadClient.dial(rtmps), reason: TLS_TIMEOUT },
  { name: 'HTTP', count: 150, open: ({ http }) => BadClient.dial(http), reason: HTTP_TIMEOUT },
  { name: 'HTTPS', count: 50, open: ({ https }) => BadClient.dial(https), reason: TLS_TIMEOUT },
  { name: 'RTMPS, after the TLS handshake', count: 10, open: openTls, reason: RTMP_TIMEOUT },
  { name: 'RTMP, with half a handshake', count: 10, open: openHalf, reason: RTMP_TIMEOUT },
  { name: 'RTMP, after the handshake', count: 10, open: openHandshaken, reason: STREAM_TIMEOUT },
  { name: 'HTTP, with headers that drip', count: 10, open: openSlow, reason: HTTP_TIMEOUT },
  { name: 'RTMP, with a claim of 16 MB chunks', count: 50, open: openClaim, reason: STREAM_TIMEOUT },
]

async function openSlow({ http }: Ports): Promise<BadClient> {
  const client = await BadClient.dial(http)
  client.socket.write('GET / HTTP/1.1\r\n')
  const drip = setInterval(() => client.socket.write('X: y\r\n'), 500)
  client.socket.once('close', () => clearInterval(drip))
  return client
}

async function openTls({ rtmps }: Ports): Promise<BadClient> {
  const socket = connectTls({ port: rtmps, host: '127.0.0.1', rejectUnauthorized: false })
  await new Promise<void>((resolve) => socket.once('secureConnect', resolve))
  return new BadClient(socket.resume())
}

async function openHalf({ rtmp }: Ports): Promise<BadClient> {
  const client = await BadClient.dial(rtmp)
  client.socket.write(Buffer.concat([Buffer.of(3), noise(1000)]))
  return client
}

async function openHandshaken({ rtmp }: Ports): Promise<BadClient> {
  const client = new RtmpClient({ port: rtmp })
  await client.handshaken
  return new BadClient(client.socket, client.since)
}

async function openClaim({ rtmp }: Ports): Promise<BadClient> {
  const { bad } = await BadClient.connected(rtmp)
  bad.socket.write(claim())
  return bad
}

describe('connections that say nothing', () => {
  let server: ServerProcess
  let healthy: HealthySession

  before(async () => {
    server = await ServerProcess.start()
    healthy = await HealthySession.start(server)
  })

  after(async () => {
    healthy.close()
    await server.stop()
  })

  it('by the hundred, and slow ones, are all closed in time, each with one line', async () => {
    const { rssBytes, descriptors } = await server.usage()
    const expected: Record<string, number> = {}
    const clients: BadClient[] = []
    for (const { count, open, reason } of WAYS) {
      clients.push(...(await Promise.all(Array.from({ length: count }, () => open(server.ports)))))
      expected[reason] = (expected[reason] ?? 0) + count
    }
    expect((await server.usage()).rssBytes - rssBytes).to.be.below(MAX_GROWTH_BYTES)
    await healthy.expectUnharmed()
    const closed = () => clients.every(({ socket }) => socket.destroyed)
    await waitFor(closed, { what: 'all to be closed', timeoutMs: CLOSED_WITHIN_MS })
    // The log may come after the end of a connection.
    const told = () => server.lines.filter(({ reason }) => reason !== undefined).length
    await waitFor(() => told() >= clients.length, { what: 'a line each' })
    const reasons = Object.groupBy(server.lines, ({ reason }) => reason ?? '')
    delete reasons['']
    expect(Object.fromEntries(Object.entries(reasons).map(([reason, lines]) => [reason, lines?.length]))).to.deep.equal(
      expected,
    )
    await waitFor(async () => (await server.usage()).descriptors <= descriptors, { what: 'the sockets to be gone' })
    await healthy.expectUnharmed()
    expect(server.problems).to.deep.equal([])
  })
})
