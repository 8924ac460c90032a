import path from 'node:path'
import { expect } from 'chai'
import { serializeAmf0, type FlvTag } from 'sluice/sdk/media'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { codedFrames, sequenceStart, type EnhancedCodec } from '../support/enhanced-tags.ts'
import { comparable, md5, type ComparedFrame, type FlvFrames } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { makeMediaFile, readMediaFile, type MediaStream } from '../support/media-file.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=rate=25:size=320x240']
const TONE = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000']
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none:bframes=2:keyint=25']
const AV1 = ['-c:v', 'libsvtav1', '-preset', '12', '-g', '25']
const VP9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-g', '25']
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '25', '-bf', '2']
/** Profile 0, level 1.1, 8 bits, 4:2:0, colours unspecified (VP Codec ISO Media File Format Binding). */
const VP9_RECORD = Buffer.from('000b820202020000', 'hex')
/** Tags count from zero, and the first decoding times of B-frames lie below. */
const SHIFT_MS = 1000

type Source = { readonly codec: EnhancedCodec; readonly record: Buffer; readonly stream: MediaStream; trackId?: number }

/** The enhanced tags of some streams as an encoder would send them. */
function tagsOf(sources: readonly Source[]): FlvTag[] {
  const frames = sources.flatMap(({ codec, stream, trackId }) =>
    stream.packets.map((packet) => {
      const { dtsMs, ptsMs } = packet
      return codedFrames(codec, { ...packet, dtsMs: dtsMs + SHIFT_MS, ptsMs: ptsMs + SHIFT_MS }, trackId)
    }),
  )
  return [
    metadataOf(sources),
    ...sources.map(({ codec, record, trackId }) => sequenceStart(codec, record, trackId)),
    ...frames.toSorted((a, b) => a.timestampMs - b.timestampMs),
  ]
}

function metadataOf(sources: readonly Source[]): FlvTag {
  const fields = sources.map(({ stream }) => [stream.kind === 'video' ? 'videocodecid' : 'audiocodecid', 0] as const)
  return { type: 18, timestampMs: 0, body: serializeAmf0(['@setDataFrame', 'onMetaData', new Map(fields)]) }
}

function expectFrames({ frames }: FlvFrames, { stream, trackId }: Source): void {
  const { kind, packets } = stream
  const name = trackId === undefined ? '' : String(trackId)
  const received = frames.filter((frame) => frame.kind === kind && frame.track === name)
  const sent = packets.map(({ data, ...packet }) => ({ kind, ...packet, codec: '', track: name, md5: md5(data) }))
  const shown = (list: readonly ComparedFrame[]) => list.map((frame) => JSON.stringify(frame))
  expect(shown(comparable(received))).to.eql(shown(comparable(sent)))
}

describe('enhanced RTMP comes out as it came in', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer()
  })

  async function media(name: string, args: readonly string[]): Promise<MediaStream[]> {
    const file = path.join(server.folder, `${name}.mp4`)
    await makeMediaFile(file, [...args, '-t', '2'])
    return readMediaFile(file)
  }

  async function source(codec: EnhancedCodec, name: string, args: readonly string[]): Promise<Source> {
    const [stream] = await media(name, args)
    if (stream === undefined) throw new Error('ffmpeg made nothing')
    // Sound before the first keyframe reaches nobody.
    const packets = stream.packets.filter(({ dtsMs }) => stream.kind === 'video' || dtsMs >= 0)
    return { codec, record: codec === 'vp09' ? VP9_RECORD : stream.extradata, stream: { ...stream, packets } }
  }

  async function send(target: string, sources: readonly Source[], subscribers: number): Promise<RtmpClient> {
    const { streams } = server.server
    await waitFor(() => streams.subscribers(target).length === subscribers, { what: `${subscribers} subscribers` })
    const publisher = await RtmpClient.publish({ url: server.rtmp(target), multitrack: true })
    for (const tag of tagsOf(sources)) publisher.send(tag)
    return publisher
  }

  const cases: readonly (readonly [name: string, codec: EnhancedCodec, encoder: readonly string[]])[] = [
    ['HEVC with B-frames', 'hvc1', HEVC],
    ['AV1', 'av01', AV1],
    ['VP9', 'vp09', VP9],
    ['H.264', 'avc1', H264],
  ]
  for (const [name, codec, encoder] of cases) {
    it(`${name} with Opus`, async () => {
      const target = `live/${codec}`
      const sources = [
        await source(codec, codec, [...PICTURES, ...encoder]),
        await source('Opus', `${codec}-opus`, [...TONE, '-c:a', 'libopus']),
      ]
      const player = await RtmpClient.play({ url: server.rtmp(target) })
      const viewers = [server.http(`/flv/${target}.flv`), server.ws(`/flv/${target}.flv`)].map(
        (url) => new FlvViewer(url),
      )
      await send(target, sources, 3)
      for (const { received } of [player, ...viewers]) {
        await received.wait(sources.reduce((sum, { stream }) => sum + stream.packets.length, 0))
        expect(received.tracks.map((track) => track.codec)).to.have.length(2)
        expect(received.sequenceHeaders).to.have.length(2)
        for (const each of sources) expectFrames(received, each)
      }
    })
  }

  it('several tracks reach a player that knows of them, and the main ones everybody else', async () => {
    const target = 'live/multitrack'
    const sources = [
      await source('avc1', 'main', [...PICTURES, ...H264]),
      { ...(await source('hvc1', 'second', [...PICTURES, ...HEVC])), trackId: 1 },
      await source('mp4a', 'aac', [...TONE, '-c:a', 'aac']),
      { ...(await source('Opus', 'opus', [...TONE, '-c:a', 'libopus'])), trackId: 2 },
    ]
    const main = sources.filter(({ trackId }) => trackId === undefined)
    const knowing = await RtmpClient.play({ url: server.rtmp(target), multitrack: true })
    const plain = await RtmpClient.play({ url: server.rtmp(target) })
    const viewer = new FlvViewer(server.http(`/flv/${target}.flv`))
    await send(target, sources, 3)
    const count = (list: readonly Source[]) => list.reduce((sum, { stream }) => sum + stream.packets.length, 0)

    await knowing.received.wait(count(sources))
    for (const each of sources) expectFrames(knowing.received, each)
    for (const { received } of [plain, viewer]) {
      await received.wait(count(main))
      expect(received.tracks.map(({ codec }) => codec)).to.have.members(['h264', 'aac'])
      for (const each of main) expectFrames(received, each)
    }
  })

  after(() => expect(server?.problems).to.eql([]))
})
