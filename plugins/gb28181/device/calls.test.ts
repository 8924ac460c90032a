import { expect } from 'chai'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { MediaReceiver } from './fixtures/media-receiver.ts'
import { CHANNEL_ID, invite, offerOf, started, testClip, type OfferInit } from './fixtures/rig.ts'
import { headerIn } from './fixtures/test-platform.ts'
import type { Clip } from './media/clip.ts'

const START = new Date('2024-05-01T10:00:00Z')
const SECONDS = START.getTime() / 1000
const span = (seconds: number) => `${SECONDS} ${SECONDS + seconds}`
const RECORDINGS = [{ start: START, end: new Date(START.getTime() + 3_600_000) }]

function receiverOf(transport: OfferInit['transport']): Promise<MediaReceiver> | MediaReceiver {
  if (transport === 'active') return MediaReceiver.active()
  return transport === 'passive' ? MediaReceiver.passive() : MediaReceiver.udp()
}

describe('the sessions of a device of GB/T 28181', () => {
  let clip: Clip
  before(async function () {
    requirePeer(this, 'ffmpeg')
    clip = await testClip()
  })

  for (const transport of ['udp', 'passive', 'active'] as const) {
    for (const sip of ['udp', 'tcp'] as const) {
      it(`sends what is live to a platform that is ${transport}, by SIP over ${sip}`, async () => {
        const { platform, device, events } = await started({ source: clip, transport: sip })
        const receiver = await receiverOf(transport)
        const call = await invite(platform, receiver, { transport })
        const { body } = call.answer
        expect(call.answer.status).to.equal(200)
        expect(body).to.include('y=0100000001\r\n').and.include('f=v/2/5/25/1/4000a/1/8/1\r\n')
        expect(body)
          .to.match(/^s=Play\r$/mu)
          .and.match(/^a=sendonly\r$/mu)
        if (transport === 'udp') expect(body).to.match(/^m=video \d+ RTP\/AVP 96\r$/mu)
        if (transport === 'active') expect(body).to.include('a=setup:passive').and.include('TCP/RTP/AVP')
        if (transport === 'passive') expect(body).to.include('a=setup:active')
        await waitFor(() => receiver.pictures.length > 5 && receiver.sound.length > 2)
        expect(receiver.pictures[0]!.keyframe).to.equal(true)
        expect([receiver.pictures[0]!, receiver.sound[0]!].map(({ track }) => track.codec)).to.eql(['h264', 'pcma'])
        expect(
          receiver.pictures[1]!.annexB.equals(clip.units.filter(({ track }) => track.kind === 'video')[1]!.unit.annexB),
        )
        expect(new Set(receiver.packets.map(({ ssrc }) => ssrc))).to.eql(new Set([100_000_001]))
        expect(Math.max(...receiver.packets.map(({ payload }) => payload.length))).to.be.at.most(1388)
        expect(device.sessions).to.have.length(1)
        expect((await call.request('BYE')).status).to.equal(200)
        expect(device.sessions).to.eql([])
        expect(events.map(({ kind }) => kind).filter((kind) => kind !== 'registered')).to.eql([
          'invite',
          'media',
          'bye',
        ])
      })
    }
  }

  it('times packets by pictures, with a marker at their end', async () => {
    const { platform } = await started({ source: await testClip({ audio: 'none' }) })
    const receiver = await MediaReceiver.udp()
    await invite(platform, receiver)
    await waitFor(() => receiver.pictures.length > 30)
    const ends = receiver.packets.filter(({ marker }) => marker)
    const steps = ends.slice(1).map(({ timestamp }, index) => timestamp - ends[index]!.timestamp)
    // 25 pictures a second, over the end of a clip of two seconds, too.
    expect(new Set(steps)).to.eql(new Set([3600]))
    const numbers = receiver.packets.map(({ sequenceNumber }) => sequenceNumber)
    expect(numbers).to.eql(numbers.map((_, index) => index))
  })

  it('refuses what it does not have', async () => {
    const { platform } = await started({ source: clip })
    const receiver = await MediaReceiver.udp()
    const answerTo = async (user: string, body: string) =>
      (await platform.request('INVITE', user, { body, type: 'APPLICATION/SDP' })).status
    expect(await answerTo('34020000001310000099', offerOf(receiver))).to.equal(404)
    expect(await answerTo(CHANNEL_ID, offerOf(receiver, { kind: 'Talk' }))).to.equal(488)
    expect(await answerTo(CHANNEL_ID, 'nonsense')).to.equal(400)
    expect(await answerTo(CHANNEL_ID, offerOf(receiver, { kind: 'Playback', times: span(10) }))).to.equal(404)
  })

  it('ends a session when another one begins that has its key', async () => {
    const { platform, device } = await started({ source: clip })
    const [first, second] = [await MediaReceiver.udp(), await MediaReceiver.udp()]
    const subject = `${CHANNEL_ID}:0001,34020000002000000001:0`
    const former = await invite(platform, first, { subject })
    await invite(platform, second, { subject })
    const [bye] = await platform.wait('BYE')
    expect(headerIn(bye!, 'Call-ID')).to.equal(former.callId)
    expect(headerIn(bye!, 'From')).to.include(`tag=${former.toTag}`)
    expect(device.sessions).to.have.length(1)
  })

  it('is cancelled before it answers', async () => {
    const { platform, device } = await started({ source: clip, answerDelayMs: 600_000 })
    const receiver = await MediaReceiver.udp()
    const init = { callId: 'cancelled', branch: 'z9hG4bK-c', number: 1, type: 'APPLICATION/SDP' }
    const answer = platform.request('INVITE', CHANNEL_ID, { ...init, body: offerOf(receiver) })
    await device.waitFor(({ method }) => method === 'INVITE')
    expect((await platform.request('CANCEL', CHANNEL_ID, init)).status).to.equal(200)
    expect((await answer).status).to.equal(487)
  })

  it('sends its answer again until it is acknowledged', async () => {
    const { platform } = await started({ source: clip })
    const receiver = await MediaReceiver.udp()
    const body = offerOf(receiver)
    await platform.request('INVITE', CHANNEL_ID, { callId: 'silent', number: 1, type: 'APPLICATION/SDP', body })
    const answers = () => platform.messages.filter(({ status, head }) => status === 200 && head.includes('silent'))
    await waitFor(() => answers().length > 1)
    expect(receiver.packets).to.eql([])
    await platform.request('ACK', CHANNEL_ID, { callId: 'silent', number: 1 })
    await waitFor(() => receiver.packets.length > 0)
  })

  it('connects once, also when the ACK comes twice', async () => {
    const { platform } = await started({ source: clip })
    const receiver = await MediaReceiver.passive()
    const { callId, toTag } = await invite(platform, receiver, { transport: 'passive' })
    await platform.request('ACK', CHANNEL_ID, { callId, number: 1, toTag })
    await waitFor(() => receiver.pictures.length > 1)
    expect(receiver.connections).to.equal(1)
  })

  it('plays a recording to its end, says so, and ends the session', async () => {
    const { platform, events } = await started({ source: clip, recordings: RECORDINGS })
    const receiver = await MediaReceiver.udp()
    const call = await invite(platform, receiver, { kind: 'Playback', times: span(1), ssrc: '1100000001' })
    const [notice] = await platform.wait('MESSAGE', /<NotifyType>121</u)
    expect(notice!.body).to.include(`<DeviceID>${CHANNEL_ID}</DeviceID>`)
    expect(headerIn(notice!, 'Call-ID')).to.equal(call.callId)
    const [bye] = await platform.wait('BYE')
    expect(headerIn(bye!, 'Call-ID')).to.equal(call.callId)
    expect(events.at(-1)).to.include({ kind: 'bye', by: 'device' })
    expect(receiver.pictures).to.have.length(25)
  })

  it('pauses, moves and speeds up a playback', async () => {
    const { platform, device } = await started({ source: clip, recordings: RECORDINGS })
    const receiver = await MediaReceiver.udp()
    const call = await invite(platform, receiver, { kind: 'Playback', times: span(3600) })
    const order = async (...lines: readonly string[]) => {
      const answer = await call.request('INFO', [...lines, ''].map((line) => `${line}\r\n`).join(''))
      return [answer.status, answer.body.split('\r\n')[1]]
    }
    await waitFor(() => receiver.pictures.length > 0)
    expect(await order('PAUSE MANSRTSP/1.0', 'CSeq: 7', 'PauseTime: now')).to.eql([200, 'CSeq: 7'])
    const [session] = device.sessions
    expect(session!.isPaused).to.equal(true)
    await order('PLAY MANSRTSP/1.0', 'CSeq: 8', 'Range: npt=100.5-')
    expect(session!.isPaused).to.equal(false)
    await waitFor(() => session!.lastMediaMs >= 100_000)
    expect(session!.lastMediaMs).to.be.lessThan(100_000 + 60_000)
    await order('PLAY MANSRTSP/1.0', 'CSeq: 9', 'Scale: 4.0')
    expect(session!.scale).to.equal(4)
    expect((await order('SETUP MANSRTSP/1.0'))[0]).to.equal(400)
    expect((await call.request('BYE')).status).to.equal(200)
  })

  it('sends a download as fast as it is asked for, of the size that it has stated', async () => {
    const { platform, device } = await started({ source: clip, recordings: RECORDINGS })
    const receiver = await MediaReceiver.passive()
    const attributes = ['a=downloadspeed:8']
    const init = { kind: 'Download', transport: 'passive', times: span(4), attributes } as const
    const call = await invite(platform, receiver, init)
    await waitFor(() => device.sessions[0]?.scale === 8)
    await platform.wait('BYE')
    const size = Number(/^a=filesize:(\d+)/mu.exec(call.answer.body)?.[1])
    await waitFor(() => receiver.packets.reduce((sum, { payload }) => sum + payload.length, 0) === size)
    expect(size).to.be.greaterThan(10_000)
  })

  it('goes on with a keyframe when one is asked for', async () => {
    const { platform, device } = await started({ source: clip })
    const receiver = await MediaReceiver.udp()
    await invite(platform, receiver)
    await waitFor(() => receiver.pictures.length > 2)
    await platform.tell(CHANNEL_ID, 'Control', 'DeviceControl', '<IFrameCmd>Send</IFrameCmd>')
    await waitFor(() => receiver.pictures.filter(({ keyframe }) => keyframe).length > 1)
    const keys = receiver.pictures.flatMap(({ keyframe }, index) => (keyframe ? [index] : []))
    expect(keys[1]).to.be.lessThan(25)
    expect(device.state(CHANNEL_ID).keyframeRequests).to.equal(1)
  })
})
