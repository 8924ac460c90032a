import { expect } from 'chai'
import { StreamNotFound, StreamUnavailable } from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import { HlsStreamsRig } from './fixtures/hls-streams-rig.ts'

const IDLE_MS = 10_000

describe('HLS streams', () => {
  let rig: HlsStreamsRig
  beforeEach(() => {
    rig = new HlsStreamsRig()
  })
  afterEach(() => {
    rig.hlsStreams.dispose()
    rig.streams.dispose()
    expect(rig.presentations.map(({ listenerCount }) => listenerCount)).to.eql(rig.presentations.map(() => 0))
  })

  const count = () => [...rig.hlsStreams.all].length
  const reasonOf = async (promise: Promise<unknown>) => promise.then(String, (error: unknown) => error)

  it('are one for all viewers of a stream and format', async () => {
    await rig.publish('live/a')
    const hlsStream = rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })
    expect(rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })).to.equal(hlsStream)
    expect(rig.hlsStreams.get({ streamPath: 'live/a', format: 'ts' })).not.to.equal(hlsStream)
    expect(rig.options.map(({ format, lowLatency }) => ({ format, lowLatency }))).to.eql([
      { format: 'fmp4', lowLatency: true },
      { format: 'ts', lowLatency: false },
    ])
    expect(rig.hlsStreams.ofFile(`${hlsStream.presentation.id}-video-1.m4s`)).to.equal(hlsStream)
    expect(rig.hlsStreams.ofFile('unknown-video-1.m4s')).to.equal(undefined)
    expect(rig.hlsStreams.ofFile(hlsStream.presentation.id)).to.equal(undefined)
  })

  it('subscribe as the server itself, which no gate is for, and go along with viewers that are moved', async () => {
    await rig.publish('live/a')
    rig.hlsStreams.get({ streamPath: 'live/a', format: 'fmp4' })
    await waitFor(() => rig.streams.allSubscribers.some(({ attached }) => attached))
    expect(rig.streams.allSubscribers.map(({ request: { type, follows } }) => ({ type, follows }))).to.eql([
      { type: 'transform', follows: true },
    ])
  })

  it('are ready with their first segment', async () => {
    await rig.publish('live/a')
    const hlsStream = rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })
    let ready = false
    const waiting = hlsStream.whenReady().then(() => (ready = true))
    rig.presentations[0]?.change()
    await Promise.resolve()
    expect(ready).to.equal(false)
    rig.presentations[0]?.change({ ready: true })
    await waiting
  })

  it('let nobody wait for ever', async () => {
    await rig.publish('live/a')
    const hlsStream = rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })
    const waiting = reasonOf(hlsStream.whenReady())
    rig.hlsStreams.tick(29_999, IDLE_MS * 10)
    rig.hlsStreams.tick(30_000, IDLE_MS * 10)
    expect(await waiting).to.be.instanceOf(StreamUnavailable)
    rig.presentations[0]?.change({ ready: true })
    await hlsStream.whenReady()
  })

  it('say once why there is nothing to play, and have something when that changes', async () => {
    await rig.publish('live/a')
    const hlsStream = rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })
    const presentation = rig.presentations[0]
    presentation?.change({ failed: 'no codec' })
    presentation?.change()
    expect(await reasonOf(hlsStream.whenReady())).to.be.instanceOf(StreamNotFound)
    expect(await reasonOf(hlsStream.whenReady())).to.be.instanceOf(StreamNotFound)
    expect(rig.log.problems.map(({ msg, reason, stream }) => ({ msg, reason, stream }))).to.eql([
      { msg: 'the stream cannot be played by HLS', reason: 'no codec', stream: 'live/a' },
    ])
    presentation?.change({ failed: undefined })
    presentation?.change({ ready: true })
    await hlsStream.whenReady()
  })

  it('are freed a while after the last viewer', async () => {
    await rig.publish('live/a')
    const [hlsStream] = await rig.ready('live/a')
    hlsStream.hold('live/a')
    rig.clock.advance(60_000)
    rig.hlsStreams.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(1)
    hlsStream.release('live/a')
    rig.clock.advance(IDLE_MS - 1)
    rig.hlsStreams.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(1)
    rig.clock.advance(1)
    rig.hlsStreams.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(0)
    expect(rig.streams.subscribers('live/a')).to.eql([])
    expect(rig.presentations[0]?.ended).to.equal(true)
    expect(rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })).not.to.equal(hlsStream)
  })

  it('stay without viewers when they are to be kept, until they are let go', async () => {
    await rig.publish('live/a')
    rig.hlsStreams.keep('live/a', 'llhls')
    rig.hlsStreams.keep('live/a', 'llhls')
    rig.clock.advance(IDLE_MS)
    rig.hlsStreams.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(1)
    rig.hlsStreams.letGo()
    rig.clock.advance(IDLE_MS)
    rig.hlsStreams.tick(rig.clock.now(), IDLE_MS)
    expect(count()).to.equal(0)
  })

  it('end with their stream, are there for the rest of the window, and are not taken for the next', async () => {
    const publisher = await rig.publish('live/a')
    const [hlsStream, presentation] = await rig.ready('live/a')
    hlsStream.hold('live/a')
    publisher.close()
    await waitFor(() => hlsStream.ended)
    expect(presentation.ended).to.equal(true)
    expect(hlsStream.playlist('video', { carried: '', skip: false, gzip: false })?.body.toString()).to.include(
      'ENDLIST',
    )
    expect(rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })).not.to.equal(hlsStream)
    rig.clock.advance(hlsStream.windowSeconds * 1000 - 1)
    rig.hlsStreams.tick(rig.clock.now(), Infinity)
    expect(hlsStream.disposed).to.equal(false)
    rig.clock.advance(1)
    rig.hlsStreams.tick(rig.clock.now(), Infinity)
    expect(hlsStream.disposed).to.equal(true)
    hlsStream.release('live/a')
  })

  it('do not say that the stream ended when they are cut off from it, and are made anew', async () => {
    await rig.publish('live/a')
    const [hlsStream] = await rig.ready('live/a')
    const outcomes: string[] = []
    hlsStream.waiting.add({
      deadlineMs: Infinity,
      gone: false,
      answer: () => hlsStream.ended && outcomes.push('answered') > 0,
      expire: () => void outcomes.push('expired'),
      ended: () => void outcomes.push('over'),
    })
    await waitFor(() => rig.streams.allSubscribers[0]?.attached)
    rig.streams.allSubscribers[0]?.close('stop by user')
    expect(outcomes).to.eql(['expired', 'over'])
    expect(hlsStream.disposed).to.equal(true)
    expect(rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })).not.to.equal(hlsStream)
  })

  it('go on by their numbers in what takes their place, here and in another generation', async () => {
    await rig.publish('live/a')
    const [hlsStream, presentation] = await rig.ready('live/a')
    presentation.nextNumbers = { msn: 39, discontinuity: 7 }
    presentation.change()
    const next = new HlsStreamsRig(rig.numbers)
    next.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })
    expect(next.options[0]?.numbers).to.eql({ msn: 39, discontinuity: 7 })
    next.hlsStreams.dispose()
    presentation.nextNumbers = { msn: 40, discontinuity: 7 }
    hlsStream.dispose()
    rig.hlsStreams.tick(0, 0)
    rig.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })
    rig.hlsStreams.get({ streamPath: 'live/a', format: 'ts' })
    expect(rig.options.slice(1).map(({ numbers }) => numbers)).to.eql([{ msn: 40, discontinuity: 7 }, undefined])
  })

  it('go on by the highest numbers of all generations', async () => {
    const former = new HlsStreamsRig()
    const next = new HlsStreamsRig(former.numbers)
    for (const [of, msn] of [
      [next, 50],
      [former, 40],
    ] as const) {
      await of.publish('live/a')
      const [, presentation] = await of.ready('live/a')
      presentation.nextNumbers = { msn, discontinuity: 2 }
      of.hlsStreams.dispose()
    }
    former.hlsStreams.get({ streamPath: 'live/a', format: 'llhls' })
    expect(former.options.at(-1)?.numbers).to.eql({ msn: 50, discontinuity: 2 })
    former.hlsStreams.dispose()
  })

  it('are not there where no publisher comes', async () => {
    const hlsStream = rig.hlsStreams.get({ streamPath: 'live/nobody', format: 'llhls' })
    expect(await reasonOf(hlsStream.whenReady())).to.be.instanceOf(StreamNotFound)
    expect(hlsStream.ended).to.equal(true)
  })

  it('serve their own path, and those that led a session to them', async () => {
    await rig.publish('live/a')
    const [hlsStream] = await rig.ready('live/a')
    expect([hlsStream.serves('live/a'), hlsStream.serves('live/b')]).to.eql([true, false])
    hlsStream.hold('live/b')
    hlsStream.hold('live/b')
    hlsStream.release('live/b')
    expect(hlsStream.serves('live/b')).to.equal(true)
    hlsStream.release('live/b')
    expect(hlsStream.serves('live/b')).to.equal(false)
  })

  it('write a playlist once for each change, with files a folder above it', async () => {
    await rig.publish('live/a')
    const [hlsStream, presentation] = await rig.ready('live/a')
    const request = { carried: '?x=1', skip: false, gzip: false }
    const first = hlsStream.playlist('video', request)
    expect(hlsStream.playlist('video', request)).to.equal(first)
    const text = first?.body.toString()
    expect(text).to.include(`\n../${presentation.id}-video-10.m4s?x=1\n`)
    expect(text).to.include('URI="audio.m3u8?x=1"')
    expect(presentation.snapshots).to.equal(1)
    presentation.change({ msn: 11 })
    expect(hlsStream.playlist('video', request)?.body.toString()).to.include('-video-11.m4s')
    expect(hlsStream.playlist('audio', request)).to.equal(undefined)
  })
})
