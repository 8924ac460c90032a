import path from 'node:path'
import { expect } from 'chai'
import { framemd5, makeTestFile, publishFile, type PublishInit } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource } from '../support/enhanced-source.ts'
import type { EnhancedCodec } from '../support/enhanced-tags.ts'
import { comparable, fromFirstKeyframe, type ComparedFrame } from '../support/flv-frames.ts'
import { Mp4Viewer } from '../support/mp4-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

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
    server = await startServer({ config: 'global:\n  subscribe:\n    waittimeout: 2s\n' })
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
        await publishFile(file, server.rtmp(target), { realtime: source.video === false }).succeed()
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
        const packets = [pictures!, sound!].flatMap(({ stream }) => stream.packets.map((packet) => ({ ...packet })))
        for (const viewer of viewers) {
          await viewer.wait(packets.length)
          const saved = path.join(server.folder, `${video}.mp4`)
          await viewer.save(saved)
          const found = await ffprobePackets(saved)
          expect(found.map(({ sizeBytes }) => sizeBytes).toSorted()).to.eql(
            packets.map(({ data }) => data.length).toSorted(),
          )
          expect(await framemd5(saved)).to.have.length.above(packets.length - 5)
        }
        expect((await viewers[0]!.headers)['content-type']).to.match(type)
        expect(viewers[1]!.parts[0]).to.have.property('text').that.matches(type)
      })
    }
  })

  after(() => expect(server?.problems).to.eql([]))
})
