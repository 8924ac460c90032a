import path from 'node:path'
import { expect } from 'chai'
import { FLV_TAG_TYPE, newAmfObject } from 'sluice/sdk/media'
import { RtmpClient as PlainClient } from '../../plugins/rtmp/client/rtmp-client.ts'
import { publishFile } from '../peers/ffmpeg.ts'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile, readFlvFile, type FlvFile } from '../support/flv-file.ts'
import { comparable } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { rtmpSocket } from '../support/rtmp-socket.ts'
import { startServer, type RunningServer } from '../support/server.ts'

describe('RTMP', () => {
  let server: RunningServer
  let source: FlvFile
  let file: string
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ env: TLS })
    file = path.join(server.folder, 'source.flv')
    source = await makeFlvFile(file)
  })

  function sendAll(publisher: RtmpClient, { tags }: FlvFile = source): void {
    for (const tag of tags) publisher.send(tag)
  }

  async function subscribed(target: string, count = 1): Promise<void> {
    await waitFor(() => server.server.streams.subscribers(target).length === count, { what: `${count} subscribers` })
  }

  async function expectAll(player: RtmpClient | FlvViewer, { frames }: FlvFile = source): Promise<void> {
    expect(comparable(await player.received.wait(frames.length))).to.eql(comparable(frames))
  }

  it('logs one line when ffmpeg begins to publish, one with its tracks, and one when it ends', async () => {
    const from = server.records.length
    await publishFile(file, server.rtmp('live/logged')).succeed()
    // When a later publisher has come and gone, the end of ffmpeg's connection has long been dealt with.
    ;(await RtmpClient.publish({ url: server.rtmp('live/later') })).close()
    const ends = () =>
      server.records.slice(from).filter(({ msg, stream }) => msg === 'publish ended' && stream === 'live/later')
    await waitFor(() => ends().length > 0, { what: 'the later publisher to end' })
    // ffmpeg may leave with bytes unread, which resets the connection: a line for those who look for faults.
    const records = server.records.slice(from).filter(({ level }) => level !== 'debug')
    const messages = records.map(({ msg }) => msg)
    expect(messages).to.eql(['publish', 'publishing', 'publish ended', 'publish', 'publish ended'])
  })

  it('takes and answers commands of the AMF3 kind', async () => {
    const player = await RtmpClient.play({ url: server.rtmp('live/amf3'), amf3: true })
    await subscribed('live/amf3')
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/amf3'), amf3: true })
    expect(publisher.commands.length).to.be.above(2)
    expect(publisher.commands.every(({ amf3 }) => amf3)).to.equal(true)
    sendAll(publisher)
    await expectAll(player)
    expect(player.statuses).to.eql(['NetStream.Play.Reset', 'NetStream.Play.Start'])
  })

  it('answers what encoders and players call besides', async () => {
    const client = await RtmpClient.connect({ url: server.rtmp('live/calls') })
    for (const name of ['releaseStream', 'FCPublish', 'FCSubscribe', 'getStreamLength', '_checkbw', 'unheardOf']) {
      expect((await client.call(name, null, 'calls')).name, name).to.equal('_result')
    }
  })

  it('stops for a pause, goes on at a keyframe, and does not seek', async () => {
    const target = 'live/pause'
    const player = await RtmpClient.play({ url: server.rtmp(target) })
    await subscribed(target)
    const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
    const { tags, frames } = source
    const second = tags.findLastIndex(({ type, body }) => type === 9 && (body[0] ?? 0) >> 4 === 1 && body[1] === 1)
    for (const tag of tags.slice(0, second)) publisher.send(tag)
    const before = frames.findLastIndex(({ kind, keyframe }) => kind === 'video' && keyframe)
    await player.received.wait(before)

    player.tell('pause', true, 0)
    await player.waitForStatus('NetStream.Pause.Notify')
    for (const tag of tags.slice(second)) publisher.send(tag)
    // The pictures reach one who watches, so they would have reached the other.
    const watching = await RtmpClient.play({ url: server.rtmp(target) })
    await watching.received.wait(frames.length - before)
    expect(player.received.frames).to.have.length(before)

    player.tell('pause', false, 0)
    await player.waitForStatus('NetStream.Unpause.Notify')
    player.tell('seek', 1000)
    await player.waitForStatus('NetStream.Seek.Failed')
    for (const tag of tags.slice(second)) publisher.send({ ...tag, timestampMs: tag.timestampMs + 1000 })
    const received = await player.received.wait(frames.length)
    expect(received[before]).to.include({ kind: 'video', keyframe: true })
  })

  it('publishes and plays over TLS', async () => {
    const url = `rtmps://127.0.0.1:${server.rtmpsPort}/live/tls`
    const playing = ffprobePackets(url, { packets: source.frames.length })
    await subscribed('live/tls')
    await publishFile(file, url).succeed()
    for (const subscriber of server.server.streams.subscribers('live/tls')) subscriber.close('the test is over')
    expect(comparable(await playing)).to.eql(comparable(source.frames))
  })

  it('publishes and plays over IPv6', async () => {
    const url = `rtmp://[::1]:${server.rtmpPort}/live/six`
    const player = await RtmpClient.play({ url })
    await subscribed('live/six')
    sendAll(await RtmpClient.publish({ url }))
    await expectAll(player)
    expect(server.server.streams.get('live/six')?.publisher?.request.client.ip).to.equal('::1')
  })

  const addresses = [
    { name: 'on the name', url: 'live/query?a=1&b=2', query: 'a=1&b=2' },
    { name: 'on the app', url: 'live?a=1/query', query: 'a=1' },
    { name: 'on both', url: 'live?a=1/query?b=2', query: 'a=1&b=2' },
  ]
  for (const { name, url, query } of addresses) {
    it(`takes a query ${name}`, async () => {
      const publisher = await RtmpClient.publish({ url: server.rtmp(url) })
      const { request } = server.server.streams.get('live/query')?.publisher ?? {}
      expect(request?.query).to.equal(query)
      publisher.close()
      await waitFor(() => server.server.streams.get('live/query') === undefined)
    })
  }

  it('refuses a second publisher, and the first goes on', async () => {
    const first = await RtmpClient.publish({ url: server.rtmp('live/taken') })
    const second = await RtmpClient.connect({ url: server.rtmp('live/taken') })
    second.tell('publish', 'taken', 'live')
    await second.waitForStatus('NetStream.Publish.BadName')
    await second.closed
    const player = await RtmpClient.play({ url: server.rtmp('live/taken') })
    await subscribed('live/taken')
    sendAll(first)
    await expectAll(player)
  })

  describe('when a publisher comes back', () => {
    for (const name of ['as it was', 'with another picture']) {
      it(`${name}, viewers stay and time goes on`, async () => {
        const target = `live/again-${name.length}`
        const changed = name === 'with another picture'
        const again = changed
          ? await makeFlvFile(path.join(server.folder, 'again.flv'), { video: { size: '160x120' } })
          : source
        const viewers = [
          await RtmpClient.play({ url: server.rtmp(target) }),
          new FlvViewer(server.http(`/flv/${target}.flv`)),
          new FlvViewer(server.ws(`/flv/${target}.flv`)),
        ]
        await subscribed(target, 3)
        const first = await RtmpClient.publish({ url: server.rtmp(target) })
        sendAll(first)
        const count = source.frames.length
        for (const { received } of viewers) await received.wait(count)
        first.close()
        await waitFor(() => server.server.streams.get(target) === undefined)

        sendAll(await RtmpClient.publish({ url: server.rtmp(target) }), again)
        for (const { received } of viewers) {
          const frames = await received.wait(count + again.frames.length)
          expect(comparable(frames.slice(count))).to.eql(comparable(again.frames))
          expect(frames.map(({ dtsMs }) => dtsMs)).to.eql(frames.map(({ dtsMs }) => dtsMs).toSorted((a, b) => a - b))
          expect(received.sequenceHeaders).to.have.length(changed ? 3 : 2)
        }
      })
    }
  })

  describe('with GStreamer', () => {
    before(function () {
      requirePeer(this, 'gstreamer')
    })

    it('takes what it sends', async () => {
      const target = 'live/gst-sink'
      const viewer = new FlvViewer(server.http(`/flv/${target}.flv`))
      await subscribed(target)
      await new PeerProcess('gst-launch-1.0', [
        '-q',
        'videotestsrc',
        'num-buffers=50',
        '!',
        'video/x-raw,width=320,height=240,framerate=25/1',
        '!',
        'x264enc',
        'key-int-max=25',
        'bframes=2',
        'speed-preset=ultrafast',
        '!',
        'flvmux',
        'name=mux',
        'streamable=true',
        '!',
        'rtmp2sink',
        `location=${server.rtmp(target)}`,
        'audiotestsrc',
        'num-buffers=86',
        '!',
        'audio/x-raw,rate=44100',
        '!',
        'avenc_aac',
        '!',
        'mux.',
      ]).succeed()
      const pictures = () => viewer.received.frames.filter(({ kind }) => kind === 'video')
      await waitFor(() => pictures().length === 50, { what: '50 pictures' })
      expect(pictures().filter(({ keyframe }) => keyframe).length).to.be.at.least(2)
      expect(viewer.received.tracks.map(({ codec }) => codec)).to.have.members(['h264', 'aac'])
    })

    it('shows it a stream frame by frame', async () => {
      const target = 'live/gst-src'
      const taken = path.join(server.folder, 'gst.flv')
      const gst = new PeerProcess('gst-launch-1.0', [
        '-q',
        'rtmp2src',
        `location=${server.rtmp(target)}`,
        '!',
        'filesink',
        `location=${taken}`,
        'buffer-mode=unbuffered',
      ])
      await subscribed(target)
      sendAll(await RtmpClient.publish({ url: server.rtmp(target) }))
      const read = () => readFlvFile(taken).catch(() => undefined)
      await waitFor(async () => (await read())?.frames.length === source.frames.length, { what: 'all frames' })
      for (const subscriber of server.server.streams.subscribers(target)) subscriber.close('the test is over')
      await gst.exit
      const { frames } = await readFlvFile(taken)
      expect(comparable(frames)).to.eql(comparable(source.frames))
    })
  })

  after(() => expect(server?.problems).to.eql([]))
})

describe('RTMP with its own rules', () => {
  const CLIP = { audio: false } as const

  it('lets a second publisher take over where kickexist is on', async function () {
    requirePeer(this, 'ffmpeg')
    const server = await startServer({ config: 'rtmp:\n  publish:\n    kickexist: true\n' })
    const source = await makeFlvFile(path.join(server.folder, 'source.flv'), CLIP)
    const url = server.rtmp('live/kick')
    const player = await RtmpClient.play({ url })
    const first = await RtmpClient.publish({ url })
    for (const tag of source.tags) first.send(tag)
    const count = source.frames.length
    await player.received.wait(count)

    const second = await RtmpClient.publish({ url })
    await first.closed
    expect(first.statuses).to.include('NetStream.Publish.Failed')
    expect(JSON.stringify(first.commands.at(-1)?.args)).to.include('the stream was closed: kick')
    for (const tag of source.tags) second.send(tag)
    const frames = await player.received.wait(2 * count)
    expect(comparable(frames.slice(count))).to.eql(comparable(source.frames))
    expect(player.received.sequenceHeaders).to.have.length(1)
    expect(server.server.streams.list()).to.have.length(1)
  })

  it('names a codec that it leaves out, once', async function () {
    requirePeer(this, 'ffmpeg')
    const server = await startServer()
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/speex') })
    const speex = { type: FLV_TAG_TYPE.audio, timestampMs: 0, body: Buffer.from('b200', 'hex') }
    for (let count = 0; count < 3; count++) publisher.send(speex)
    const lines = () => server.problems.filter(({ msg }) => msg === 'a track is left out: its codec is not supported')
    await waitFor(() => lines().length > 0, { what: 'the line' })
    publisher.close()
    const ended = () => server.records.find(({ msg }) => msg === 'publish ended')
    expect((await waitFor(ended))['dropped']).to.equal(3)
    expect(lines().map(({ codec, level }) => `${String(codec)} ${level}`)).to.eql(['Speex warn'])
    expect(lines()[0]?.['advice']).to.include('-c:a aac')
  })

  it('answers a player as soon as somebody publishes, before media flows', async () => {
    const server = await startServer()
    const early = await RtmpClient.play({ url: server.rtmp('live/silent') })
    await waitFor(() => server.server.streams.subscribers('live/silent').length === 1, { what: 'the player' })
    expect(early.statuses).to.eql([])
    await RtmpClient.publish({ url: server.rtmp('live/silent') })
    const late = await RtmpClient.play({ url: server.rtmp('live/silent') })
    for (const player of [early, late]) await player.waitForStatus('NetStream.Play.Start')
    expect(early.received.tracks).to.eql([])
  })

  it('does not wait for a second track that a source without metadata can not have', async () => {
    // With no more than this it would wait for the test to end.
    const server = await startServer({ config: 'global:\n  subscribe:\n    waittrack: all\n' })
    const player = await RtmpClient.play({ url: server.rtmp('live/lone') })
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/lone') })
    publisher.send({ type: FLV_TAG_TYPE.audio, timestampMs: 0, body: Buffer.from('af001210', 'hex') })
    for (let timestampMs = 0; timestampMs < 1000; timestampMs += 23) {
      publisher.send({ type: FLV_TAG_TYPE.audio, timestampMs, body: Buffer.from('af0121001f', 'hex') })
    }
    await player.received.wait(10)
  })

  it('takes the app from tcUrl where connect has none, and the address from the socket where there is no tcUrl', async () => {
    const server = await startServer()
    const requests = [
      { properties: { tcUrl: 'rtmp://example.com/live' }, url: 'rtmp://example.com/live/bare' },
      { properties: { app: 'live' }, url: `rtmp://127.0.0.1:${server.rtmpPort}/live/bare` },
    ]
    for (const { properties, url } of requests) {
      const unused = server.rtmp('unused/bare')
      const client = new PlainClient({ url: unused, socket: rtmpSocket(unused) })
      await client.handshaken
      await client.call('connect', Object.assign(newAmfObject(), properties))
      client.send(
        { kind: 'command', name: 'publish', transactionId: 0, commandObject: null, args: ['bare'], amf3: false },
        1,
      )
      const publisher = () => server.server.streams.get('live/bare')?.publisher
      await waitFor(() => publisher() !== undefined, { what: 'the publisher' })
      expect(publisher()?.request.url).to.equal(url)
      client.close()
      await waitFor(() => publisher() === undefined, { what: 'it to leave' })
    }
  })

  it('says in the log who has a path that is taken, and what to do', async () => {
    const server = await startServer()
    await RtmpClient.publish({ url: server.rtmp('live/taken') })
    const second = await RtmpClient.connect({ url: server.rtmp('live/taken') })
    second.tell('publish', 'taken', 'live')
    await second.closed
    const refused = await waitFor(() => server.records.find(({ msg }) => msg === 'publish refused'), {
      what: 'the line',
    })
    expect(refused['advice']).to.match(/published by rtmp since .*kickexist/u)
  })

  it('tells a player after waittimeout that there is no such stream', async () => {
    const server = await startServer({ env: { SLUICE_GLOBAL_SUBSCRIBE_WAITTIMEOUT: '100ms' } })
    const player = await RtmpClient.play({ url: server.rtmp('live/none') })
    await player.waitForStatus('NetStream.Play.StreamNotFound')
    await player.closed
    expect(server.server.streams.subscribers()).to.eql([])
    expect(server.server.streams.pathCount).to.equal(0)
    const refused = server.records.find(({ msg }) => msg === 'play refused')
    expect(refused?.['advice']).to.match(/^nobody publishes 'live\/none': /u)
  })
})

const TLS = { SLUICE_RTMP_TCP_LISTENADDRTLS: '127.0.0.1:0' }
