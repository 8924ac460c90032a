import http2 from 'node:http2'
import path from 'node:path'
import { expect } from 'chai'
import { framemd5, makeTestFile, publishFile, type PublishInit } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource } from '../support/enhanced-source.ts'
import type { EnhancedCodec } from '../support/enhanced-tags.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { comparable, fromFirstKeyframe, type ComparedFrame } from '../support/flv-frames.ts'
import { Http2Viewer } from '../support/http2-viewer.ts'
import { Mp4Viewer } from '../support/mp4-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const TLS = { SLUICE_GLOBAL_HTTP_LISTENADDRTLS: '127.0.0.1:0' }
/** Times in milliseconds come out as multiples of a sample's time. */
const TOLERANCE_MS = 2
/** 320x240 with 4:2:0. */
const PICTURE_SIZE_BYTES = 320 * 240 * 1.5

// Sound alone is so little that all of it, its end included, could come at once; so it is sent at the clock's speed.
const CASES: readonly (Pick<PublishInit, 'video' | 'audio'> & { readonly name: string })[] = [
  { name: 'H.264 and AAC', video: { gopFrames: 25 } },
  { name: 'B-frames', video: { bFrames: 2 } },
  { name: '23.976 fps with B-frames', video: { fps: '24000/1001', bFrames: 3 } },
  { name: '60 fps', video: { fps: '60' } },
  { name: 'audio only', video: false },
  { name: 'video only', audio: false },
  { name: 'MP3', audio: { encoder: 'libmp3lame' } },
]

const ENHANCED: readonly (readonly [name: string, video: EnhancedCodec, audio: EnhancedCodec, type: RegExp])[] = [
  ['HEVC with B-frames and AAC', 'hvc1', 'mp4a', /^video\/mp4; codecs="hvc1\.[^,]+,mp4a\.40\.2"$/u],
  ['AV1 and Opus', 'av01', 'Opus', /^video\/mp4; codecs="av01\.0\.[^,]+,opus"$/u],
  ['VP9 and Opus', 'vp09', 'Opus', /^video\/mp4; codecs="vp09\.00\.[^,]+,opus"$/u],
]

/** Hashes of the decoded pictures; sound differs where its first frames are left out. */
async function picturesOf(file: string): Promise<string[]> {
  return (await framemd5(file)).filter(({ sizeBytes }) => sizeBytes === PICTURE_SIZE_BYTES).map(({ md5 }) => md5)
}

function expectSame(packets: readonly ProbedPacket[], expected: readonly ComparedFrame[]): void {
  const found = comparable(packets)
  for (const kind of ['video', 'audio'] as const) {
    const wanted = expected.filter((frame) => frame.kind === kind)
    const got = found.filter((frame) => frame.kind === kind)
    const identity = ({ keyframe, md5 }: ComparedFrame) => `${keyframe} ${md5}`
    expect(got.map(identity)).to.eql(wanted.map(identity))
    for (const [index, { dtsMs, ptsMs }] of wanted.entries()) {
      expect(got[index]?.dtsMs).to.be.closeTo(dtsMs, TOLERANCE_MS)
      expect(got[index]?.ptsMs).to.be.closeTo(ptsMs, TOLERANCE_MS)
    }
  }
}

describe('live fMP4', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ env: TLS })
  })

  function addresses(target: string): string[] {
    return [server.http(`/mp4/${target}.mp4`), server.ws(`/mp4/${target}.mp4`)]
  }

  async function subscribersAre(target: string, count: number): Promise<void> {
    const { streams } = server.server
    await waitFor(() => streams.subscribers(target).length === count, { what: `${count} subscribers` })
  }

  /** What is left in their queues still reaches them. */
  function endAll(target: string): void {
    for (const subscriber of server.server.streams.subscribers(target)) subscriber.close('the test is over')
  }

  describe('has exactly the frames of what ffmpeg sends', () => {
    for (const [index, { name, ...source }] of CASES.entries()) {
      it(name, async () => {
        const target = `live/exact${index}`
        const file = path.join(server.folder, `${index}.flv`)
        await makeTestFile({ url: file, durationSeconds: 2, ...source })
        const expected = comparable(fromFirstKeyframe(await ffprobePackets(file)))
        const peer = ffprobePackets(server.http(`/mp4/${target}.mp4`), { packets: expected.length })
        const viewers = addresses(target).map((url) => new Mp4Viewer(url))
        await subscribersAre(target, 3)
        await publishFile(file, server.rtmp(target)).succeed()
        const pictures = await picturesOf(file)
        for (const viewer of viewers) {
          await viewer.wait(expected.length)
          const saved = path.join(server.folder, `${index}.mp4`)
          await viewer.save(saved)
          expectSame(await ffprobePackets(saved), expected)
          expect(await picturesOf(saved)).to.eql(pictures)
        }
        endAll(target)
        expectSame(await peer, expected)
      })
    }
  })

  describe('has exactly the frames of enhanced RTMP', () => {
    for (const [name, video, audio, type] of ENHANCED) {
      it(name, async () => {
        const target = `live/${video}`
        const sources = [video, audio].map((codec) =>
          makeEnhancedSource(path.join(server.folder, `${video}-${codec}.mp4`), codec),
        )
        const [pictures, sound] = await Promise.all(sources)
        const viewers = addresses(target).map((url) => new Mp4Viewer(url))
        await subscribersAre(target, 2)
        const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
        for (const tag of enhancedTags([pictures!, sound!])) publisher.send(tag)
        const packets = [pictures!, sound!].flatMap(({ stream }) => stream.packets)
        for (const viewer of viewers) {
          await viewer.wait(packets.length)
          const saved = path.join(server.folder, `${video}.mp4`)
          await viewer.save(saved)
          const sizes = (await ffprobePackets(saved)).map(({ kind, sizeBytes }) => `${kind} ${sizeBytes}`)
          const sent = [pictures!, sound!].flatMap(({ stream }) =>
            stream.packets.map(({ data }) => `${stream.kind} ${data.length}`),
          )
          expect(sizes).to.have.members(sent)
          expect(await framemd5(saved)).to.have.length.above(packets.length - 5)
        }
        expect((await viewers[0]!.headers)['content-type']).to.match(type)
        expect(viewers[1]!.parts[0]).to.have.property('text').that.matches(type)
      })
    }
  })

  describe('begins and goes on', () => {
    let source: FlvFile
    before(async () => {
      source = await makeFlvFile(path.join(server.folder, 'source.flv'), { video: { gopFrames: 20 } })
    })

    async function publish(target: string): Promise<RtmpClient> {
      const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
      for (const tag of source.tags) publisher.send(tag)
      const lastMs = Math.max(...source.frames.map(({ dtsMs }) => dtsMs))
      await waitFor(() => (server.server.streams.get(target)?.publisher?.timeline.lastMs ?? 0) >= lastMs)
      return publisher
    }

    it('with the newest keyframe for who comes late, over TLS, too', async () => {
      await publish('live/late')
      const secure = `127.0.0.1:${server.httpsPort}/mp4/live/late.mp4`
      const pictures = source.frames.filter(({ kind }) => kind === 'video')
      const newest = pictures.slice(pictures.findLastIndex(({ keyframe }) => keyframe))
      for (const url of [...addresses('live/late'), `https://${secure}`, `wss://${secure}`]) {
        const viewer = new Mp4Viewer(url)
        await waitFor(() => viewer.pictures().length === newest.length, { what: 'the newest pictures' })
        const startMs = source.frames[0]?.dtsMs ?? 0
        const timeline = server.server.streams.get('live/late')?.publisher?.timeline.lastMs ?? 0
        const lastMs = Math.max(...source.frames.map(({ dtsMs }) => dtsMs)) - startMs
        expect(viewer.pictures().map(({ keyframe }) => keyframe)).to.eql(newest.map(({ keyframe }) => keyframe))
        expect(viewer.pictures().map(({ baseDts }) => baseDts)).to.eql(
          newest.map(({ dtsMs }) => dtsMs - startMs + timeline - lastMs),
        )
        viewer.close()
      }
    })

    it('over HTTP/2, beside other requests of the connection', async () => {
      await publish('live/h2')
      const session = http2.connect(`https://127.0.0.1:${server.httpsPort}`, { rejectUnauthorized: false })
      const viewers = [1, 2].map(() => new Http2Viewer(session, '/mp4/live/h2.mp4'))
      for (const { parts } of viewers) {
        await waitFor(() => parts.length > 20, { what: 'fragments' })
        expect(parts[0]).to.deep.include({ kind: 'init', trackIds: [1, 2] })
        expect(parts[1]).to.include({ keyframe: true })
      }
      expect((await viewers[0]!.headers)['content-type']).to.match(/^video\/mp4; codecs="avc1/u)
      viewers[0]!.close()
      await subscribersAre('live/h2', 1)
      endAll('live/h2')
      await viewers[1]!.ended
      expect(await new Http2Viewer(session, '/mp4/live/nobody.mp4?waittimeout=100ms').status).to.equal(404)
      expect(await new Http2Viewer(session, '/mp4/live/h2.mp4', 'HEAD').status).to.equal(200)
      await subscribersAre('live/h2', 0)
      session.close()
    })

    it('with another init segment and a keyframe when the pictures change', async () => {
      const target = 'live/change'
      const larger = await makeFlvFile(path.join(server.folder, 'larger.flv'), { video: { size: '640x480' } })
      const viewers = addresses(target).map((url) => new Mp4Viewer(url))
      await subscribersAre(target, 2)
      const publisher = await publish(target)
      for (const tag of larger.tags) publisher.send({ ...tag, timestampMs: tag.timestampMs + 2000 })
      for (const viewer of viewers) {
        await viewer.wait(source.frames.length + larger.frames.length)
        expect(viewer.order.replaceAll(/f+/gu, 'f').replaceAll('t', '')).to.equal('ifif')
        const again = viewer.parts.findLastIndex(({ kind }) => kind === 'init')
        const picture = viewer.parts.slice(again).find((part) => part.kind === 'fragment' && part.trackId === 1)
        expect(picture).to.include({ keyframe: true })
        expect(viewer.pictures()).to.have.length(
          [...source.frames, ...larger.frames].filter(({ kind }) => kind === 'video').length,
        )
      }
      expect(viewers[1]!.order.replaceAll(/f+/gu, 'f')).to.equal('tiftif')
      publisher.close()
    })

    it('with the next publisher, without another init segment where the tracks are the same', async () => {
      const target = 'live/again'
      const viewer = new Mp4Viewer(addresses(target)[0]!)
      await subscribersAre(target, 1)
      const first = await publish(target)
      await viewer.wait(source.frames.length)
      first.close()
      await first.closed
      await publish(target)
      await viewer.wait(2 * source.frames.length)
      expect(viewer.order.replaceAll(/f+/gu, 'f')).to.equal('if')
      const times = viewer.pictures().map(({ baseDts }) => baseDts)
      expect(times).to.eql(times.toSorted((a, b) => a - b))
    })
  })

  it('is not found where nothing of a stream can be carried', async () => {
    const target = 'live/g711'
    const file = path.join(server.folder, 'g711.flv')
    const audio = { encoder: 'pcm_alaw', sampleRate: 8000, channels: 1 }
    await makeTestFile({ url: file, durationSeconds: 60, video: false, audio })
    const publisher = publishFile(file, server.rtmp(target))
    await waitFor(() => server.server.streams.get(target), { what: 'the publisher' })
    const viewers = addresses(target).map((url) => new Mp4Viewer(`${url}?waittimeout=2s`))
    expect(await Promise.all(viewers.map(({ status }) => status))).to.eql([404, 404])
    const said = server.records.filter(({ msg, stream }) => msg.startsWith('refused') && stream === target)
    expect(said.map(({ level, leftOut }) => ({ level, leftOut }))).to.eql(
      viewers.map(() => ({ level: 'info', leftOut: ['pcma'] })),
    )
    await publisher.close()
  })

  after(() => expect(server?.problems).to.eql([]))
})
