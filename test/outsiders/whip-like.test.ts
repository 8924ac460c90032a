import { expect } from 'chai'
import { createTestServer, type TestServer } from 'sluice/testing'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import whipLike from './whip-like.ts'

const SOUND = { 'content-type': 'audio/basic' }

describe('a plugin whose sessions are resources over HTTP', () => {
  let server: TestServer<unknown>
  beforeEach(async () => {
    server = await createTestServer(whipLike)
    keep({ close: () => server.stop() })
  })

  async function ask(path: string, method: string, body?: Buffer) {
    const response = await fetch(server.origin + path, { method, ...(body && { body, headers: SOUND }) })
    await response.arrayBuffer()
    const { status, headers } = response
    return { status, generation: headers.get('x-generation'), location: headers.get('location') ?? '' }
  }

  const publish = async (streamPath: string) => (await ask(`/whip-like/publish/${streamPath}`, 'POST')).location
  const statistics = async () => (await fetch(`${server.origin}/whip-like/statistics`)).json()
  const hasEnded = (generation: number) =>
    server.log.some(({ plugin, msg }) => plugin === 'whip-like' && msg.startsWith(`generation ${generation} has ended`))

  it('goes on with those of former generations, each where it was made', async () => {
    const first = await publish('live/first')
    await server.replace()
    const second = await publish('live/second')
    await server.replace()
    const third = await publish('live/third')
    for (const [location, generation] of [
      [first, '1'],
      [second, '2'],
      [third, '3'],
    ] as const) {
      expect(await ask(location, 'PATCH', Buffer.alloc(160))).to.include({ status: 204, generation })
    }
    expect(server.streams.list().map(({ path }) => path)).to.have.members(['live/first', 'live/second', 'live/third'])
    expect(await statistics()).to.eql({ resources: 3, generations: 3, process: 0 })

    expect(await ask(first, 'DELETE')).to.include({ status: 200, generation: '1' })
    expect(server.streams.get('live/first')).to.equal(undefined)
    await waitFor(() => hasEnded(1), { what: 'the end of the first generation' })
    expect(await ask(first, 'PATCH', Buffer.alloc(160))).to.include({ status: 410, generation: null })
    expect(await ask(second, 'PATCH', Buffer.alloc(160))).to.include({ status: 204, generation: '2' })
    expect(server.problems).to.eql([])
  })

  it('leads nobody to a former generation who has no session there', async () => {
    const first = await publish('live/first')
    await server.replace()
    const forged = first.replace(/.{4}$/u, (end) => (end === 'AAAA' ? 'BBBB' : 'AAAA'))
    expect(await ask(forged, 'PATCH', Buffer.alloc(160))).to.include({ status: 410 })
    expect((await ask(`/whip-like/publish/live/second`, 'POST')).status).to.equal(201)
    expect(await ask(first, 'DELETE')).to.include({ status: 200, generation: '1' })
    await waitFor(() => hasEnded(1), { what: 'the end of the first generation' })
  })

  it('shows its tokens in no line of the log', async () => {
    const location = await publish('live/first')
    await ask(location, 'PATCH', Buffer.alloc(160))
    await ask(location, 'DELETE')
    await ask(location, 'DELETE')
    const token = location.split('/').at(-1) ?? ''
    expect(token).to.match(/^~[\w-]{36}$/u)
    expect(server.log.map(({ path }) => path)).to.include('/whip-like/resource/~…')
    expect(JSON.stringify(server.log)).not.to.include(token.slice(1))
  })
})
