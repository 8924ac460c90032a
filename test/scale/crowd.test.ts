import { expect } from 'chai'
import { waitFor } from '../peers/wait-for.ts'
import type { Holdings } from '../robustness/support/probe.ts'
import { ServerProcess } from '../robustness/support/server-process.ts'
import { expectNoGrowth } from './expect-no-growth.ts'
import { Crowd } from './crowd.ts'

const PUBLISHERS = 200
const VIEWERS = 1000
const ROUNDS = 3
/** Each viewer gets so many frames before it leaves. */
const FRAMES = 5
const WARM_UP = { publisherCount: 3, viewerCount: 9 }

describe('200 publishers and 1,000 viewers', () => {
  let server: ServerProcess
  let crowd: Crowd

  before(async () => {
    server = await ServerProcess.start()
    crowd = new Crowd()
  })

  after(async () => {
    await crowd.close()
    await server.stop()
  })

  async function round(size: { readonly publisherCount: number; readonly viewerCount: number }): Promise<Holdings> {
    await crowd.join({ ports: server.ports, ...size })
    const enough = async () => (await crowd.report()).leastFrames >= FRAMES
    await waitFor(enough, { what: 'each viewer to get its frames' })
    const { publishers, viewers, closed, gaps } = await crowd.report()
    expect({ publishers, viewers, closed, gaps }).to.deep.equal({
      publishers: size.publisherCount,
      viewers: size.viewerCount,
      closed: 0,
      gaps: [],
    })
    expect(await server.sessions()).to.deep.equal({ streams: size.publisherCount, subscribers: size.viewerCount })
    await crowd.leave()
    const left = async () => {
      const { streams, subscribers } = await server.sessions()
      return streams + subscribers === 0
    }
    await waitFor(left, { what: 'all to have left' })
    return server.holdings()
  }

  it('get all frames, and leave nothing behind, round after round', async () => {
    // What is loaded and compiled for the first of each kind stays.
    let before = await round(WARM_UP)
    for (let count = 0; count < ROUNDS; count++) {
      const after = await round({ publisherCount: PUBLISHERS, viewerCount: VIEWERS })
      expectNoGrowth(after, before)
      if (after.heapBytes < before.heapBytes) before = after
    }
    expect(server.problems).to.deep.equal([])
  })
})
