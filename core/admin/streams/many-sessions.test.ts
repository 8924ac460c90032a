import { expect } from 'chai'
import type { OperationRegistry } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { askOperations } from '../../http/testing/ask-operations.ts'
import { closeRigs, RegistryRig } from '../../stream/fixtures/registry-rig.ts'
import { addStreamOperations, addSubscriberOperations } from './stream-operations.ts'
import { addV6Operations } from './v6-operations.ts'

const STREAMS = 200
const SUBSCRIBERS_EACH = 5

/** How many sessions are looked at for one answer: each has details, which are read for nothing else. */
describe('lists of many sessions', () => {
  let rig: RegistryRig
  let views: { streams: number; subscribers: number }

  before(async () => {
    rig = new RegistryRig()
    views = { streams: 0, subscribers: 0 }
    for (let index = 0; index < STREAMS; index++) {
      const { publisher } = await rig.source(`live/${index}`)
      publisher.tracksComplete()
      publisher.details(() => ({ views: ++views.streams }))
      for (let count = 0; count < SUBSCRIBERS_EACH; count++) {
        const subscriber = await rig.subscribe(`live/${index}`)
        subscriber.details(() => ({ views: ++views.subscribers }))
      }
    }
  })
  after(closeRigs)

  async function ask(add: (operations: OperationRegistry) => void, url: string) {
    views = { streams: 0, subscribers: 0 }
    const [answer] = await askOperations(new LogRecords('core'), add, [{ url }])
    expect(answer?.statusCode, url).to.equal(200)
    return JSON.parse(answer?.body ?? '') as {
      readonly data: readonly { readonly path?: string; readonly streamPath?: string }[]
      readonly total: number
      readonly meta: { readonly total: number }
    }
  }

  const streamOperations = (operations: OperationRegistry) => addStreamOperations(operations, rig.registry, () => [])
  const subscriberOperations = (operations: OperationRegistry) => addSubscriberOperations(operations, rig.registry)
  const v6Operations = (operations: OperationRegistry) => addV6Operations(operations, rig.registry)

  it('view the streams of a page and no others', async () => {
    const { data, total } = await ask(streamOperations, '/api/stream/list?pageNum=3&pageSize=20')
    expect(data.map(({ path }) => path)).to.eql(Array.from({ length: 20 }, (_, index) => `live/${40 + index}`))
    expect(total).to.equal(STREAMS)
    expect(views).to.eql({ streams: 20, subscribers: 0 })
    expect((await ask(streamOperations, '/api/stream/list?pageNum=99&pageSize=20')).data).to.eql([])
    expect(views).to.eql({ streams: 0, subscribers: 0 })
  })

  it('view the subscribers of a page, or of one path', async () => {
    const all = STREAMS * SUBSCRIBERS_EACH
    expect(await ask(subscriberOperations, '/api/subscribers?pageNum=2&pageSize=7')).to.include({ total: all })
    expect(views).to.eql({ streams: 0, subscribers: 7 })
    const { data, total } = await ask(subscriberOperations, '/api/subscribers/live/7')
    expect(total).to.equal(SUBSCRIBERS_EACH)
    expect(new Set(data.map(({ streamPath }) => streamPath))).to.eql(new Set(['live/7']))
    expect(views).to.eql({ streams: 0, subscribers: SUBSCRIBERS_EACH })
    await ask(subscriberOperations, '/api/stream/waitlist')
    expect(views).to.eql({ streams: 0, subscribers: 0 })
  })

  it('find streams and subscribers by a part of their path, in any case, and view those alone', async () => {
    const found = await ask(streamOperations, '/api/stream/list?search=LIVE%2F19&pageNum=2&pageSize=5')
    expect(found.data.map(({ path }) => path)).to.eql([194, 195, 196, 197, 198].map((index) => `live/${index}`))
    // live/19 and live/190 to live/199.
    expect(found.total).to.equal(11)
    expect(views).to.eql({ streams: 5, subscribers: 0 })
    expect((await ask(streamOperations, '/api/stream/list?search=none')).total).to.equal(0)
    expect((await ask(v6Operations, '/v6/api/streams?search=Live%2F19&per_page=3')).meta.total).to.equal(11)
    expect((await ask(subscriberOperations, '/api/subscribers?search=E%2F199&pageSize=1')).total).to.equal(
      SUBSCRIBERS_EACH,
    )
    expect(views).to.eql({ streams: 0, subscribers: 1 })
  })

  it('view everything where no page is asked for', async () => {
    expect((await ask(streamOperations, '/api/stream/list')).data).to.have.length(STREAMS)
    expect(views.streams).to.equal(STREAMS)
  })

  it('view as many as per_page says, by the interface of version 6', async () => {
    const { data, meta } = await ask(v6Operations, '/v6/api/streams?page=10&per_page=20')
    expect(data.map(({ path }) => path)).to.eql(Array.from({ length: 20 }, (_, index) => `live/${180 + index}`))
    expect(meta).to.eql({ page: 10, per_page: 20, total: STREAMS })
    expect(views).to.eql({ streams: 20, subscribers: 0 })
  })
})
