import { expect } from 'chai'
import { AccessUnit } from 'sluice/sdk'
import { sessionInit, type FakeSubscriber } from 'sluice/sdk/testing'
import { HlsStreamsRig } from '../fixtures/hls-streams-rig.ts'
import type { Session } from './session.ts'
import { Sessions, type StoppedTokens, type SwitchedNumbers } from './sessions.ts'

describe('sessions of HLS viewers', () => {
  let rig: HlsStreamsRig
  let sessions: Sessions
  let session: Session
  let subscriber: FakeSubscriber
  beforeEach(async () => {
    rig = new HlsStreamsRig()
    sessions = new Sessions({ ...options(), stopped: new Map() })
    await rig.publish('live/a')
    ;[session, subscriber] = await open()
  })
  afterEach(() => {
    rig.hlsStreams.dispose()
    rig.streams.dispose()
  })

  async function open(requestedPath = 'live/a'): Promise<[Session, FakeSubscriber]> {
    const [hlsStream] = await rig.ready('live/a')
    const request = sessionInit(requestedPath)
    const viewer = await rig.streams.subscribe(sessionInit('live/a'))
    return [
      sessions.open({ requestedPath, hlsStream, subscriber: viewer, client: request.client, sourcePath: 'live/a' }),
      viewer,
    ]
  }

  let tokens = 0
  const switched: SwitchedNumbers = new Map()
  const options = () => ({
    log: rig.log.logger,
    nowMs: rig.clock.now,
    hlsStreams: rig.hlsStreams,
    switched,
    createToken: () => `~${++tokens}`,
  })
  const reasons = () => rig.log.records.filter(({ msg }) => msg === 'play ended').map(({ reason }) => reason)

  it('are known by a token of their own, under the path that was asked for', async () => {
    const [other] = await open('live/other')
    expect(other.token).not.to.equal(session.token)
    expect(sessions.find(session.token, 'live/a')).to.equal(session)
    expect(sessions.find(session.token, 'live/other')).to.equal(undefined)
    expect(sessions.find(other.token, 'live/other')).to.equal(other)
    expect(session.hlsStream.serves('live/other')).to.equal(true)
  })

  it('go on from former ones under their tokens, too, each for its own path', async () => {
    const [hlsStream] = await rig.ready('live/a')
    const later = async (requestedPath: string) => {
      const viewer = await rig.streams.subscribe(sessionInit('live/a'))
      const { client } = sessionInit(requestedPath)
      return sessions.open({
        formerToken: session.token,
        requestedPath,
        hlsStream,
        subscriber: viewer,
        sourcePath: 'live/a',
        client,
      })
    }
    const other = await later('live/b')
    expect(sessions.find(session.token, 'live/a')).to.equal(session)
    expect(sessions.find(session.token, 'live/b')).to.equal(other)
    const next = await later('live/a')
    sessions.end(session, 'ended')
    expect(sessions.find(session.token, 'live/a')).to.equal(next)
    sessions.end(next, 'ended')
    expect(sessions.find(session.token, 'live/a')).to.equal(undefined)
    expect(sessions.find(next.token, 'live/a')).to.equal(undefined)
  })

  it('end alone where the switch to another stream fails', async () => {
    const [, bystander] = await open()
    let asked = 0
    const showing = () => {
      asked++
      throw new Error('no such luck')
    }
    const hlsStreams = { showing, ofFile: () => undefined }
    sessions = new Sessions({ ...options(), hlsStreams, stopped: new Map() })
    const [, viewer] = await open()
    const target = await rig.publish('live/b')
    rig.streams.move([viewer.id], 'live/b')
    target.write(AccessUnit.fromData(target.tracks[0]!, 0, 0, true, Buffer.from('keyframe')))
    await new Promise(setImmediate)
    expect([asked, viewer.closeReason]).to.eql([1, 'failed'])
    expect(rig.log.records.filter(({ msg }) => msg === 'the switch of a viewer failed')).to.have.length(1)
    expect([sessions.count, bystander.closeReason]).to.eql([0, undefined])
  })

  it('end when nothing was asked for two target durations, and may begin again', () => {
    rig.clock.advance(4000)
    sessions.tick(rig.clock.now())
    session.touch(rig.clock.now())
    rig.clock.advance(4000)
    sessions.tick(rig.clock.now())
    expect(sessions.count).to.equal(1)
    rig.clock.advance(1)
    sessions.tick(rig.clock.now())
    expect(sessions.count).to.equal(0)
    expect(subscriber.closeReason).to.equal('no request for too long')
    expect(reasons()).to.eql(['no request for too long'])
    expect(sessions.wasStopped(session.token)).to.equal(false)
    expect(session.hlsStream.idleSinceMs).to.equal(rig.clock.now())
  })

  it('of short segments last four seconds without a request', () => {
    for (const presentation of rig.presentations) presentation.targetDurationSeconds = 1
    rig.clock.advance(4000)
    sessions.tick(rig.clock.now())
    expect(sessions.count).to.equal(1)
    rig.clock.advance(1)
    sessions.tick(rig.clock.now())
    expect(sessions.count).to.equal(0)
  })

  it('go on while a request waits', () => {
    session.waitingCount = 1
    rig.clock.advance(60_000)
    sessions.tick(rig.clock.now())
    expect(sessions.count).to.equal(1)
  })

  it('that somebody stopped are remembered as long as they are asked for', () => {
    subscriber.close('stop')
    expect(sessions.find(session.token, 'live/a')).to.equal(undefined)
    for (let minutes = 0; minutes < 30; minutes += 5) {
      expect(sessions.wasStopped(session.token)).to.equal(true)
      rig.clock.advance(300_000)
      sessions.tick(rig.clock.now())
    }
    rig.clock.advance(300_000)
    sessions.tick(rig.clock.now())
    expect(sessions.wasStopped(session.token)).to.equal(false)
    expect(reasons()).to.eql(['stop'])
  })

  it('that somebody stopped are known as such to later generations', () => {
    const stopped: StoppedTokens = new Map()
    sessions = new Sessions({ ...options(), stopped })
    const { hlsStream } = session
    const { client } = sessionInit('live/a')
    const { token } = sessions.open({ requestedPath: 'live/a', hlsStream, subscriber, sourcePath: 'live/a', client })
    subscriber.close('stop')
    expect(new Sessions({ ...options(), stopped }).wasStopped(token)).to.equal(true)
  })

  it('can play to the end when their stream is over, until it is freed', () => {
    subscriber.close({ code: 'timeout', text: 'subscribe timeout' })
    expect(session.over).to.equal(true)
    session.hlsStream.end()
    sessions.tick(rig.clock.now())
    expect(sessions.find(session.token, 'live/a')).to.equal(session)
    session.hlsStream.dispose()
    sessions.tick(rig.clock.now())
    expect(sessions.count).to.equal(0)
    expect(sessions.wasStopped(session.token)).to.equal(false)
  })

  it('that were closed before they began are stopped ones', async () => {
    const [hlsStream] = await rig.ready('live/a')
    const viewer = await rig.streams.subscribe(sessionInit('live/a'))
    viewer.close('stop')
    const { client } = sessionInit('live/a')
    const late = sessions.open({ requestedPath: 'live/a', hlsStream, subscriber: viewer, sourcePath: 'live/a', client })
    expect(sessions.wasStopped(late.token)).to.equal(true)
    expect(sessions.count).to.equal(1)
  })

  it('go on by the numbers of viewers that were switched, and hand theirs on', async () => {
    const [hlsStream, presentation] = await rig.ready('live/a')
    presentation.files.set(`${presentation.id}-video-10.m4s`, { coming: true })
    const { client } = sessionInit('live/a')
    const enter = async (formerToken: string) => {
      const viewer = await rig.streams.subscribe(sessionInit('live/a'))
      return sessions.open({
        formerToken,
        requestedPath: 'live/a',
        hlsStream,
        client,
        subscriber: viewer,
        sourcePath: 'live/a',
      })
    }
    switched.set('~former', { msn: 60, discontinuity: 7 })
    const next = await enter('~former')
    expect(next.source.rendition('video')?.lastMsn).to.equal(60)
    rig.clock.advance(60_000)
    sessions.tick(rig.clock.now())
    expect(switched.get(next.token)).to.eql({ msn: 61, discontinuity: 8 })
    expect((await enter('~other')).source).to.equal(hlsStream)
  })
})
