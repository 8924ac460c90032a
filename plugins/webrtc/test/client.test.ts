import { expect } from 'chai'
import { SCRIPTED_AUDIO, SCRIPTED_VIDEO, directDialer, sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { addressOf, LiveStream, SeenStream, startPull, startPush, startWebRtc } from '../fixtures/client-rig.ts'
import { SignallingRig } from '../fixtures/signalling-rig.ts'

/** Units that are looked at, and before them those by which a late viewer catches up. */
const UNITS = 30
const EARLY_UNITS = 30
/** Nobody is asked for a keyframe where they come by themselves. */
const LONG_GROUP = 10_000
const SECRETS = /pa55word|s3cret|t0ken/u

async function errorOf({ result }: { readonly result: Promise<unknown> }): Promise<string> {
  const error = await result
  expect(error).to.be.an('error')
  return (error as Error).message
}

describe('a source by WHEP and a target by WHIP', () => {
  for (const codec of ['h264', 'vp8', 'vp9', 'av1'] as const) {
    it(`hand on every unit of ${codec} and Opus with its time`, async () => {
      const [origin, other] = [await startWebRtc(), await startWebRtc()]
      const live = await LiveStream.start(origin, 'live/a', codec)
      startPull(other, { url: addressOf(origin, 'whep', 'live/a'), streamPath: 'live/pulled' })
      startPush(origin, { url: addressOf(other, 'whip', 'live/pushed'), streamPath: 'live/a' })
      const seen = await Promise.all(['live/pulled', 'live/pushed'].map((path) => SeenStream.of(other, path)))
      const haveAll = () => seen.every((one) => one.keys('video').length > EARLY_UNITS + UNITS)
      await waitFor(haveAll, { what: 'pictures by both ways' })
      live.pause()
      const { sent } = live
      const kinds = ['video', 'audio'] as const
      const areLast = () => seen.every((one) => kinds.every((kind) => one.keys(kind).at(-1) === sent[kind].at(-1)))
      await waitFor(areLast, { what: 'the last units' })
      for (const one of seen) {
        for (const kind of kinds) {
          expect(one.keys(kind).slice(-UNITS)).to.eql(sent[kind].slice(-UNITS))
          expect(new Set(one.steps(kind).slice(1 - UNITS))).to.eql(new Set([20]))
        }
      }
      expect([...origin.problems, ...other.problems]).to.eql([])
    })
  }

  it('ask for keyframes on behalf of viewers', async () => {
    const [origin, other] = [await startWebRtc(), await startWebRtc()]
    let requests = 0
    const control = { requestKeyframe: () => void (requests += 1) }
    const live = await LiveStream.start(origin, 'live/a', 'vp8', { control, groupPictures: LONG_GROUP })
    startPull(other, { url: addressOf(origin, 'whep', 'live/a'), streamPath: 'live/pulled' })
    startPush(origin, { url: addressOf(other, 'whip', 'live/pushed'), streamPath: 'live/a' })
    for (const path of ['live/pulled', 'live/pushed']) {
      const seen = await SeenStream.of(other, path)
      await waitFor(() => seen.keys('video').length > 0, { what: 'the first picture' })
      const before = requests
      await waitFor(() => (seen.requestKeyframe(), requests > before), { what: `a request for ${path}` })
    }
    live.pause()
  })

  it('go on when their stream is published anew', async () => {
    const [origin, other] = [await startWebRtc(), await startWebRtc()]
    const first = await LiveStream.start(origin, 'live/a', 'vp8')
    startPull(other, { url: addressOf(origin, 'whep', 'live/a'), streamPath: 'live/pulled' })
    startPush(origin, { url: addressOf(other, 'whip', 'live/pushed'), streamPath: 'live/a' })
    const seen = await Promise.all(['live/pulled', 'live/pushed'].map((path) => SeenStream.of(other, path)))
    await waitFor(() => seen.every((one) => one.keys('video').length > 0), { what: 'pictures' })
    first.end()
    const second = await LiveStream.start(origin, 'live/a', 'vp8')
    const counts = seen.map((one) => one.keys('video').length)
    const goOn = () => seen.every((one, index) => one.keys('video').length > counts[index]! + UNITS)
    await waitFor(goOn, { what: 'pictures of the second publisher' })
    second.pause()
    expect(seen.map(({ isClosed }) => isClosed)).to.eql([false, false])
  })

  it('fail when the stream comes back in another codec, so that they are tried again', async () => {
    const [origin, other] = [await startWebRtc(), await startWebRtc()]
    const first = await LiveStream.start(origin, 'live/a', 'vp8')
    const pull = startPull(other, { url: addressOf(origin, 'whep', 'live/a'), streamPath: 'live/pulled' })
    const push = startPush(origin, { url: addressOf(other, 'whip', 'live/pushed'), streamPath: 'live/a' })
    const seen = await Promise.all(['live/pulled', 'live/pushed'].map((path) => SeenStream.of(other, path)))
    await waitFor(() => seen.every((one) => one.keys('video').length > 0), { what: 'pictures' })
    first.end()
    await LiveStream.start(origin, 'live/a', 'vp9')
    expect(await errorOf(pull)).to.match(/^the connection has ended: /u)
    expect(await errorOf(push)).to.match(/^the pictures are vp9 now/u)
  })

  it('end with their stream, and leave the other server', async () => {
    const origin = await startWebRtc({ subscribe: { waittimeout: '50ms' } })
    const other = await startWebRtc({ publish: { continuepushtimeout: '0s' } })
    const live = await LiveStream.start(origin, 'live/a', 'vp8')
    const pull = startPull(other, { url: addressOf(origin, 'whep', 'live/a'), streamPath: 'live/pulled' })
    const push = startPush(origin, { url: addressOf(other, 'whip', 'live/pushed'), streamPath: 'live/a' })
    await Promise.all(['live/pulled', 'live/pushed'].map((path) => SeenStream.of(other, path)))
    live.end()
    expect(await push.result).to.include({ code: 'timeout' })
    expect(await errorOf(pull)).to.match(/^the connection has ended: /u)
    await waitFor(
      () =>
        other.log.filter(({ msg }) => msg === 'publish ended').length === 1 &&
        other.streams.get('live/pulled') === undefined,
      { what: 'no publisher' },
    )
  })

  it('leave the other server when they are stopped', async () => {
    const [origin, other] = [await startWebRtc(), await startWebRtc()]
    await LiveStream.start(origin, 'live/a', 'vp8')
    const pull = startPull(other, { url: addressOf(origin, 'whep', 'live/a'), streamPath: 'live/pulled' })
    const push = startPush(origin, { url: addressOf(other, 'whip', 'live/pushed'), streamPath: 'live/a' })
    await Promise.all(['live/pulled', 'live/pushed'].map((path) => SeenStream.of(other, path)))
    pull.stop()
    push.stop()
    await Promise.all([pull.result, push.result])
    const ended = (log: typeof origin.log, msg: string) => log.some((line) => line.msg === msg)
    await waitFor(() => ended(origin.log, 'play ended') && ended(other.log, 'publish ended'), { what: 'both ends' })
    expect([...origin.problems, ...other.problems]).to.eql([])
  })

  it('say what they were refused for, and nothing secret', async () => {
    const origin = await startWebRtc({ subscribe: { waittimeout: '10ms' } })
    const [, port] = /:(\d+)$/u.exec(origin.origin) ?? []
    const header = { Authorization: ['Bearer t0ken'] }
    const address = (kind: string, path: string) =>
      `${kind}://someone:pa55word@127.0.0.1:${port}/webrtc/${kind}/${path}?key=s3cret`
    const pull = (path: string) => startPull(origin, { url: address('whep', path), streamPath: 'live/b', header })
    const messages = [await errorOf(pull('live/nobody'))]
    const silent = await origin.streams.publish(sessionInit('live/mjpeg'))
    silent.addTrack({ ...SCRIPTED_VIDEO, kind: 'video', codec: 'mjpeg' } as typeof SCRIPTED_VIDEO)
    silent.tracksComplete()
    messages.push(await errorOf(pull('live/mjpeg')))
    await LiveStream.start(origin, 'live/a', 'vp8')
    origin.denyAll('a cause that is s3cret')
    messages.push(await errorOf(pull('live/a')))
    const source = await startWebRtc()
    await LiveStream.start(source, 'live/a', 'vp8')
    messages.push(await errorOf(startPush(source, { url: address('whip', 'live/c'), streamPath: 'live/a', header })))
    expect(messages.map((message) => /answered (\d+)/u.exec(message)?.[1])).to.eql(['404', '406', '401', '401'])
    expect(messages.join()).not.to.match(SECRETS)
    const log = [...origin.log, ...source.log].filter(({ plugin }) => plugin === 'webrtc')
    expect(JSON.stringify(log)).not.to.match(SECRETS)
  })

  it('send nothing past a proxy, or to addresses that are denied', async () => {
    const [origin, other] = [await startWebRtc(), await startWebRtc()]
    await LiveStream.start(origin, 'live/a', 'vp8')
    const url = addressOf(origin, 'whep', 'live/a')
    const proxied = startPull(other, { url, streamPath: 'live/b', dial: { ...directDialer, proxied: true } })
    expect(await errorOf(proxied)).to.match(/^a proxy leads TCP on, and the media of WebRTC goes by UDP/u)
    expect(origin.log.some(({ msg }) => msg === 'play')).to.equal(false)
    const checkAddress = (ip: string) => {
      throw new Error(`${ip} is denied by global.pull.deny`)
    }
    const denied = startPull(other, { url, streamPath: 'live/b', dial: { ...directDialer, checkAddress } })
    expect(await errorOf(denied)).to.match(/is denied by global\.pull\.deny$/u)
    const [session] = origin.log.filter(({ msg }) => msg === 'play ended')
    expect(session).not.to.equal(undefined)
  })

  it('leave out what WebRTC does not carry', async () => {
    const [origin, other] = [await startWebRtc(), await startWebRtc()]
    const publisher = await origin.streams.publish(sessionInit('live/aac'))
    publisher.addTrack(SCRIPTED_AUDIO)
    publisher.tracksComplete()
    const push = startPush(origin, { url: addressOf(other, 'whip', 'live/b'), streamPath: 'live/aac' })
    expect(await errorOf(push)).to.equal('WebRTC carries nothing of this stream, which is AAC')
  })
})

describe('a connection to a server of WHEP', () => {
  let rig: SignallingRig
  beforeEach(async () => (rig = await SignallingRig.start()))

  /** The server pulls from itself: the first transport is that of the one who calls. */
  async function pull() {
    await rig.publish('live/a')
    const url = `${rig.server.origin.replace('http', 'whep')}/webrtc/whep/live/a`
    const job = startPull(rig.server, { url, streamPath: 'live/b' })
    const [client] = await waitFor(() => rig.parts.transports.length === 2 && rig.parts.transports)
    await waitFor(() => client!.remote !== undefined, { what: 'the answer' })
    return { ...job, client: client! }
  }

  it('fails with what was tried, when no media can get through', async () => {
    const { client, ...job } = await pull()
    client.fail('no way to the peer was found: udp 192.0.2.1:9000: no answer')
    expect(await errorOf(job)).to.equal('no way to the peer was found: udp 192.0.2.1:9000: no answer')
    expect(rig.server.streams.get('live/b')).to.equal(undefined)
    await waitFor(() => rig.parts.transports[1]?.isClosed, { what: 'the server to be told' })
  })

  it('fails when the consent of the peer expires', async () => {
    const { client, ...job } = await pull()
    client.succeed()
    await waitFor(() => rig.parts.ingests.length === 1, { what: 'the publisher' })
    client.fail('the peer no longer answers')
    expect(await errorOf(job)).to.equal('the connection has ended: the peer no longer answers')
    expect(rig.parts.ingests[0]?.isClosed).to.equal(true)
  })

  it('keeps what comes before there is a publisher', async () => {
    const { client } = await pull()
    client.succeed()
    client.init.handlers.rtp(Buffer.alloc(12))
    const [ingest] = await waitFor(() => rig.parts.ingests.length === 1 && rig.parts.ingests)
    await waitFor(() => ingest?.isComplete, { what: 'the packet' })
  })
})
