import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { definePlugin, Type } from 'sluice/sdk'
import { FLV_FORMAT, FLV_TAG_TYPE, FlvReader, type FlvTag } from 'sluice/sdk/media'
import { CollectingSink, ScriptedSubscriber, sessionInit } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import { IngestRig, videoMedia } from '../fixtures/ingest-rig.ts'
import { samplePicture } from '../fixtures/sample-video.ts'

const FRAME_MS = 40
const NO_PLUGIN = definePlugin({ name: 'webrtc', version: '1.0.0', config: Type.Object({}), setup() {} })

describe('Viewers of simulcast', () => {
  it('of a format with one track go on when the largest layer pauses, and those that read units are told', async () => {
    const server = await createTestServer(NO_PLUGIN)
    try {
      const publisher = await server.streams.publish({ ...sessionInit('live/a'), type: 'server' })
      const media = videoMedia('H264', { rids: ['f', 'h'] })
      const rig = new IngestRig({ medias: [media], sink: publisher })
      const sources = ['f', 'h'].map((rid, index) => rig.source({ media, rid, ssrc: 10 + index }))
      const send = async (frames: readonly number[], layers: readonly number[]) => {
        for (const frame of frames) {
          for (const layer of layers) {
            const unit = samplePicture('h264', 1000 * layer + frame, sources[layer]!.isKeyframeWanted, 30)
            sources[layer]!.write(unit, frame * FRAME_MS * 90)
          }
          rig.clock.advance(FRAME_MS)
          await turn()
        }
      }
      const frames = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
      await send(frames(0, 30), [0, 1])
      publisher.tracksComplete()
      const init = { ...sessionInit('live/a'), type: 'server' as const }
      const subscriber = await server.streams.subscribe(init)
      const sink = new CollectingSink()
      subscriber.attach(FLV_FORMAT, sink)
      const reader = new ScriptedSubscriber(await server.streams.subscribe(init))
      await send(frames(30, 200), [1])
      rig.ingest.close()
      publisher.close()
      const tags: FlvTag[] = new FlvReader().push(sink.bytes).filter(({ type }) => type === FLV_TAG_TYPE.video)
      const has = (frame: number, layer: number) => {
        const nalu = samplePicture('h264', 1000 * layer + frame, false, 30).nalus[0]!.subarray(2)
        return tags.some(({ body }) => body.includes(nalu))
      }
      expect([has(28, 0), has(150, 1), has(198, 1)]).to.eql([true, true, true])
      const times = tags.map(({ timestampMs }) => timestampMs)
      expect(times).to.eql(times.toSorted((a, b) => a - b))
      expect(reader.tracks.map(({ label, layer }) => `${label} ${layer}`)).to.include.members(['f undefined', 'h h'])
      expect(reader.units.at(-1)!.track).to.include({ label: 'h' })
      expect(reader.units.at(-1)!.track.layer).to.equal(undefined)
      expect([reader.closeReason, server.problems]).to.eql([undefined, []])
    } finally {
      await server.stop()
    }
  })
})
