import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import { playHttpFlv, playWsFlv } from '../robustness/support/flv-client.ts'
import { NumberCheck, videoBody, VIDEO_CONFIG } from '../robustness/support/numbered-video.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { command, RtmpClient } from '../robustness/support/rtmp-client.ts'
import { ServerProcess } from '../robustness/support/server-process.ts'
import { expectNoGrowth } from './expect-no-growth.ts'

const REPUBLISHES = 200
const VISITS = 1000
const AT_ONCE = 50
const FRAMES = 3

describe('coming and going', () => {
  let server: ServerProcess

  beforeEach(async () => {
    server = await ServerProcess.start()
  })

  afterEach(() => server.stop())

  /** Calls with the numbers of all frames that come to a viewer of each kind; gives back how to close them. */
  async function watchAll(name: string, listeners: readonly ((number: number) => void)[]): Promise<() => void> {
    const { rtmp, http } = server.ports
    const [overRtmp, overHttp, overWs] = listeners.map((listener) => new NumberCheck(listener)) as [
      NumberCheck,
      NumberCheck,
      NumberCheck,
    ]
    const target = `live/${name}`
    const clients = await Promise.all([
      RtmpClient.play({ port: rtmp }, name, ({ typeId, payload }) => overRtmp.receive(typeId, payload)),
      playHttpFlv({ port: http, target, onTag: ({ type, body }) => overHttp.receive(type, body) }),
      playWsFlv({ port: http, target, onTag: ({ type, body }) => overWs.receive(type, body) }),
    ])
    return () => clients.forEach((client) => client.close())
  }

  async function publishShortly(name: string): Promise<void> {
    const client = await RtmpClient.publish({ port: server.ports.rtmp }, name)
    client.send({ kind: 'video', payload: VIDEO_CONFIG }, 1)
    for (let number = 0; number < FRAMES; number++) {
      client.send({ kind: 'video', payload: videoBody(number, { keyframe: number === 0, sizeBytes: 100 }) }, 1, number)
    }
    client.socket.end()
    await client.closed
  }

  async function settled(streamCount = 0): Promise<void> {
    const gone = async () => {
      const { streams, subscribers } = await server.sessions()
      return streams === streamCount && subscribers === 0
    }
    await waitFor(gone, { what: 'all to have left' })
  }

  it('of publishers: viewers who stay get what each of them sends', async () => {
    const counts = [0, 0, 0]
    const republish = async (times: number) => {
      counts.fill(0)
      const publisher = await NumberedPublisher.start({ port: server.ports.rtmp, name: 'p', fps: 1, sizeBytes: 100 })
      const close = await watchAll(
        'p',
        counts.map((_, index) => () => counts[index]!++),
      )
      await waitFor(() => counts.every((count) => count > 0), { what: 'the viewers to see the first publisher' })
      publisher.close()
      await waitFor(async () => (await server.sessions()).streams === 0, { what: 'the first publisher to be gone' })
      counts.fill(0)
      for (let time = 0; time < times; time++) await publishShortly('p')
      await waitFor(() => counts.every((count) => count >= times * FRAMES), { what: 'all frames' })
      expect(counts).to.deep.equal([times * FRAMES, times * FRAMES, times * FRAMES])
      close()
      await settled()
    }
    await republish(10)
    const before = await server.holdings()
    await republish(REPUBLISHES)
    expectNoGrowth(await server.holdings(), before)
    expect(server.problems).to.deep.equal([])
  })

  it('of a thousand: nothing of them stays', async () => {
    const { rtmp, http } = server.ports
    const ignore = () => {}
    const leavers = [
      async (index: number) => (await RtmpClient.publish({ port: rtmp }, `visitor${index}`)).close(),
      async () => (await RtmpClient.play({ port: rtmp }, 'here', ignore)).close(),
      async () => (await playHttpFlv({ port: http, target: 'live/here', onTag: ignore })).close(),
      async () => (await playWsFlv({ port: http, target: 'live/here', onTag: ignore })).close(),
      // Leaves while it waits for its stream.
      async (index: number) => {
        const client = await RtmpClient.connect({ port: rtmp })
        client.send(command('play', 0, `nothing${index}`), 1)
        client.close()
      },
    ]
    const visit = async (visits: number) => {
      for (let first = 0; first < visits; first += AT_ONCE) {
        await Promise.all(
          Array.from({ length: AT_ONCE }, (_, index) => leavers[index % leavers.length]!(first + index)),
        )
      }
      await settled(1)
    }
    // Stays, so that what its stream might keep of its viewers does, too.
    const publisher = await NumberedPublisher.start({ port: rtmp, name: 'here', fps: 5, sizeBytes: 100 })
    await visit(AT_ONCE)
    const before = await server.holdings()
    await visit(VISITS)
    expectNoGrowth(await server.holdings(), before, 1)
    expect(server.problems).to.deep.equal([])
    publisher.close()
  })
})
