import { expect } from 'chai'
import { StreamNotFound, StreamUnavailable } from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import { FeedRig } from './fixtures/feed-rig.ts'

const IDLE_MS = 10_000

describe('feeds of presentations', () => {
  let rig: FeedRig
  beforeEach(() => {
    rig = new FeedRig()
  })
  afterEach(() => {
    rig.feeds.dispose()
    rig.streams.dispose()
    expect(rig.presentations.map(({ listenerCount }) => listenerCount)).to.eql(rig.presentations.map(() => 0))
  })

  const count = () => [...rig.feeds.all].length
  const reasonOf = async (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error)

  it('are one for all viewers of a stream and format', async () => {
    await rig.publish('live/a')
    const feed = rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })
    expect(rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })).to.equal(feed)
    expect(rig.feeds.get({ streamPath: 'live/a', format: 'ts' })).not.to.equal(feed)
    expect(rig.options.map(({ format, lowLatency }) => ({ format, lowLatency }))).to.eql([
      { format: 'fmp4', lowLatency: true },
      { format: 'ts', lowLatency: false },
    ])
    expect(rig.feeds.ofFile(`${feed.presentation.id}-video-1.m4s`)).to.equal(feed)
    expect(rig.feeds.ofFile('unknown-video-1.m4s')).to.equal(undefined)
    expect(rig.feeds.ofFile(feed.presentation.id)).to.equal(undefined)
  })

  it('subscribe as the server itself, which no gate is for', async () => {
    await rig.publish('live/a')
    rig.feeds.get({ streamPath: 'live/a', format: 'fmp4' })
    await waitFor(() => rig.streams.allSubscribers.some(({ attached }) => attached))
    expect(rig.streams.allSubscribers.map(({ request }) => request.type)).to.eql(['transform'])
  })

  it('are ready with their first segment', async () => {
    await rig.publish('live/a')
    const feed = rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })
    let ready = false
    const waiting = feed.whenReady().then(() => (ready = true))
    rig.presentations[0]?.change()
    await Promise.resolve()
    expect(ready).to.equal(false)
    rig.presentations[0]?.change({ ready: true })
    await waiting
  })

  it('let nobody wait for ever', async () => {
    await rig.publish('live/a')
    const feed = rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })
    const waiting = reasonOf(feed.whenReady())
    rig.feeds.tick(29_999, IDLE_MS * 10)
    rig.feeds.tick(30_000, IDLE_MS * 10)
    expect(await waiting).to.be.instanceOf(StreamUnavailable)
    rig.presentations[0]?.change({ ready: true })
    await feed.whenReady()
  })

  it('say once why there is nothing to play, and have something when that changes', async () => {
    await rig.publish('live/a')
    const feed = rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })
    const presentation = rig.presentations[0]
    presentation?.change({ failed: 'no codec' })
    presentation?.change()
    expect(await reasonOf(feed.whenReady())).to.be.instanceOf(StreamNotFound)
    expect(await reasonOf(feed.whenReady())).to.be.instanceOf(StreamNotFound)
    expect(rig.log.problems.map(({ msg, reason, stream }) => ({ msg, reason, stream }))).to.eql([
      { msg: 'the stream cannot be played by HLS', reason: 'no codec', stream: 'live/a' },
    ])
    presentation?.change({ failed: undefined })
    presentation?.change({ ready: true })
    await feed.whenReady()
  })

  it('are freed a while after the last viewer', async () => {
    await rig.publish('live/a')
    const [feed] = await rig.ready('live/a')
    feed.hold('live/a')
    rig.clock.advance(60_000)
    rig.feeds.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(1)
    feed.release('live/a')
    rig.clock.advance(IDLE_MS - 1)
    rig.feeds.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(1)
    rig.clock.advance(1)
    rig.feeds.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(0)
    expect(rig.streams.subscribers('live/a')).to.eql([])
    expect(rig.presentations[0]?.ended).to.equal(true)
    expect(rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })).not.to.equal(feed)
  })

  it('stay without viewers when they are to be kept, until they are let go', async () => {
    await rig.publish('live/a')
    rig.feeds.keep('live/a', 'llhls')
    rig.feeds.keep('live/a', 'llhls')
    rig.clock.advance(IDLE_MS)
    rig.feeds.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(1)
    rig.feeds.letGo()
    rig.clock.advance(IDLE_MS)
    rig.feeds.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(0)
  })

  it('end with their stream, are there for the rest of the window, and are not taken for the next', async () => {
    const publisher = await rig.publish('live/a')
    const [feed, presentation] = await rig.ready('live/a')
    feed.hold('live/a')
    publisher.close()
    await waitFor(() => feed.ended)
    expect(presentation.ended).to.equal(true)
    expect(feed.playlist('video', { carried: '', skip: false, gzip: false })?.body.toString()).to.include('ENDLIST')
    expect(rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })).not.to.equal(feed)
    rig.clock.advance(feed.windowSeconds * 1000 - 1)
    rig.feeds.tick(rig.clock.now(), Infinity)
    expect(feed.disposed).to.equal(false)
    rig.clock.advance(1)
    rig.feeds.tick(rig.clock.now(), Infinity)
    expect(feed.disposed).to.equal(true)
    feed.release('live/a')
  })

  it('do not say that the stream ended when they are cut off from it, and are made anew', async () => {
    await rig.publish('live/a')
    const [feed] = await rig.ready('live/a')
    const outcomes: string[] = []
    feed.waiting.add({
      deadlineMs: Infinity,
      gone: false,
      answer: () => feed.ended && outcomes.push('answered') > 0,
      expire: () => void outcomes.push('expired'),
      ended: () => void outcomes.push('over'),
    })
    await waitFor(() => rig.streams.allSubscribers[0]?.attached)
    rig.streams.allSubscribers[0]?.close('stop by user')
    expect(outcomes).to.eql(['expired', 'over'])
    expect(feed.disposed).to.equal(true)
    expect(rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })).not.to.equal(feed)
  })

  it('go on by their numbers in what takes their place, here and in another generation', async () => {
    await rig.publish('live/a')
    const numbers = { msn: 40, discontinuity: 7 }
    const [feed, presentation] = await rig.ready('live/a')
    presentation.nextNumbers = numbers
    expect(rig.feeds.nextNumbers({ streamPath: 'live/a', format: 'llhls' })).to.eql(numbers)
    feed.dispose()
    rig.feeds.tick(0, 0)
    rig.feeds.get({ streamPath: 'live/a', format: 'llhls' })
    rig.feeds.get({ streamPath: 'live/a', format: 'ts' })
    expect(rig.options.map((options) => options.numbers)).to.eql([undefined, numbers, undefined])
    const next = new FeedRig(numbers)
    next.feeds.get({ streamPath: 'live/a', format: 'llhls' })
    expect(next.options[0]?.numbers).to.eql(numbers)
    next.feeds.dispose()
  })

  it('go on by the highest numbers of all generations', async () => {
    const key = { streamPath: 'live/a', format: 'llhls' } as const
    const former = new FeedRig()
    const next = new FeedRig({ msn: 30, discontinuity: 1 }, former.feeds.numbers)
    for (const [of, msn] of [
      [next, 50],
      [former, 40],
    ] as const) {
      await of.publish('live/a')
      const [, presentation] = await of.ready('live/a')
      presentation.nextNumbers = { msn, discontinuity: 2 }
      of.feeds.dispose()
    }
    expect(next.feeds.nextNumbers(key)).to.eql({ msn: 50, discontinuity: 2 })
    expect(next.feeds.nextNumbers({ ...key, format: 'ts' })).to.eql({ msn: 30, discontinuity: 1 })
  })

  it('are not there where no publisher comes', async () => {
    const feed = rig.feeds.get({ streamPath: 'live/nobody', format: 'llhls' })
    expect(await reasonOf(feed.whenReady())).to.be.instanceOf(StreamNotFound)
    expect(feed.ended).to.equal(true)
  })

  it('serve their own path, and those that led a session to them', async () => {
    await rig.publish('live/a')
    const [feed] = await rig.ready('live/a')
    expect([feed.serves('live/a'), feed.serves('live/b')]).to.eql([true, false])
    feed.hold('live/b')
    feed.hold('live/b')
    feed.release('live/b')
    expect(feed.serves('live/b')).to.equal(true)
    feed.release('live/b')
    expect(feed.serves('live/b')).to.equal(false)
  })

  it('write a playlist once for each change, with files a folder above it', async () => {
    await rig.publish('live/a')
    const [feed, presentation] = await rig.ready('live/a')
    const request = { carried: '?x=1', skip: false, gzip: false }
    const first = feed.playlist('video', request)
    expect(feed.playlist('video', request)).to.equal(first)
    const text = first?.body.toString()
    expect(text).to.include(`\n../${presentation.id}-video-10.m4s?x=1\n`)
    expect(text).to.include('URI="audio.m3u8?x=1"')
    expect(presentation.snapshots).to.equal(1)
    presentation.change({ msn: 11 })
    expect(feed.playlist('video', request)?.body.toString()).to.include('-video-11.m4s')
    expect(feed.playlist('audio', request)).to.equal(undefined)
  })
})
