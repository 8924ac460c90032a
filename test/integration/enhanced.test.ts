import path from 'node:path'
import { expect } from 'chai'
import { FLV_TAG_TYPE, type FlvTag } from 'sluice/sdk/media'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource, type EnhancedSource } from '../support/enhanced-source.ts'
import type { EnhancedCodec } from '../support/enhanced-tags.ts'
import { comparable, md5, type ComparedFrame, type FlvFrames } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

function expectFrames({ frames }: FlvFrames, { stream, trackId }: EnhancedSource): void {
  const { kind, packets } = stream
  const name = trackId === undefined ? '' : String(trackId)
  const received = frames.filter((frame) => frame.kind === kind && frame.track === name)
  const sent = packets.map(({ data, ...packet }) => ({ kind, ...packet, codec: '', track: name, md5: md5(data) }))
  const shown = (list: readonly ComparedFrame[]) => list.map((frame) => JSON.stringify(frame))
  expect(shown(comparable(received))).to.eql(shown(comparable(sent)))
}

/** A video tag with frame type 0, which means nothing. */
function untyped(tag: FlvTag): FlvTag {
  const body = Buffer.from(tag.body)
  body[0]! &= 0x8f
  return { ...tag, body }
}

describe('enhanced RTMP comes out as it came in', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer()
  })

  function source(codec: EnhancedCodec, name: string): Promise<EnhancedSource> {
    return makeEnhancedSource(path.join(server.folder, `${name}.mp4`), codec)
  }

  async function send(target: string, sources: readonly EnhancedSource[], subscribers: number): Promise<RtmpClient> {
    const { streams } = server.server
    await waitFor(() => streams.subscribers(target).length === subscribers, { what: `${subscribers} subscribers` })
    const publisher = await RtmpClient.publish({ url: server.rtmp(target), multitrack: true })
    for (const tag of enhancedTags(sources)) publisher.send(tag)
    return publisher
  }

  const cases: readonly (readonly [name: string, codec: EnhancedCodec])[] = [
    ['HEVC with B-frames', 'hvc1'],
    ['AV1', 'av01'],
    ['VP9', 'vp09'],
    ['H.264', 'avc1'],
  ]
  for (const [name, codec] of cases) {
    it(`${name} with Opus`, async () => {
      const target = `live/${codec}`
      const sources = [await source(codec, codec), await source('Opus', `${codec}-opus`)]
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

  for (const [name, codec] of cases) {
    it(`${name} whose tags leave out the type of their frames, as MediaMTX writes them`, async () => {
      const target = `live/untyped-${codec}`
      const video = await source(codec, `untyped-${codec}`)
      const sound = await source('Opus', `untyped-${codec}-opus`)
      const viewer = new FlvViewer(server.http(`/flv/${target}.flv`))
      await waitFor(() => server.server.streams.subscribers(target).length === 1, { what: 'the viewer' })
      const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
      for (const tag of enhancedTags([video, sound]))
        publisher.send(tag.type === FLV_TAG_TYPE.video ? untyped(tag) : tag)
      await viewer.received.wait(video.stream.packets.length + sound.stream.packets.length)
      for (const each of [video, sound]) expectFrames(viewer.received, each)
    })
  }

  it('several tracks reach a player that knows of them, and the main ones everybody else', async () => {
    const target = 'live/multitrack'
    const sources = [
      await source('avc1', 'main'),
      { ...(await source('hvc1', 'second')), trackId: 1 },
      await source('mp4a', 'aac'),
      { ...(await source('Opus', 'opus')), trackId: 2 },
    ]
    const main = sources.filter(({ trackId }) => trackId === undefined)
    const knowing = await RtmpClient.play({ url: server.rtmp(target), multitrack: true })
    const plain = await RtmpClient.play({ url: server.rtmp(target) })
    const viewer = new FlvViewer(server.http(`/flv/${target}.flv`))
    await send(target, sources, 3)
    const count = (list: readonly EnhancedSource[]) => list.reduce((sum, { stream }) => sum + stream.packets.length, 0)

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
