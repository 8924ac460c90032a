import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile, publishFile, type PublishInit } from '../peers/ffmpeg.ts'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { comparable, fromFirstKeyframe } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

// Sound alone is so little that all of it, its end included, could come at once; so it is sent at the clock's speed.
const cases: readonly (Pick<PublishInit, 'video' | 'audio'> & { readonly name: string })[] = [
  { name: '25 fps without B-frames', video: { gopFrames: 25 } },
  { name: '25 fps with B-frames', video: { bFrames: 2 } },
  { name: '23.976 fps with B-frames', video: { fps: '24000/1001', bFrames: 3 } },
  { name: '60 fps', video: { fps: '60' } },
  { name: 'audio only', video: false },
  { name: 'video only', audio: false },
  { name: 'mono at 48 kHz', audio: { sampleRate: 48_000, channels: 1 } },
  { name: 'MP3', audio: { encoder: 'libmp3lame' } },
]

describe('what ffmpeg sends by RTMP comes out by each way, frame by frame', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer()
  })

  for (const [index, { name, ...source }] of cases.entries()) {
    it(name, async () => {
      const target = `live/exact${index}`
      const file = path.join(server.folder, `${index}.flv`)
      await makeTestFile({ url: file, durationSeconds: 2, ...source })
      const packets = await ffprobePackets(file)
      const expected = comparable(fromFirstKeyframe(packets))

      const urls = [server.rtmp(target), server.http(`/flv/${target}.flv`)]
      const peers = urls.map((url) => ffprobePackets(url, { packets: expected.length }))
      const viewers = [server.http(`/flv/${target}.flv`), server.ws(`/flv/${target}.flv`)].map(
        (url) => new FlvViewer(url),
      )
      const player = await RtmpClient.play({ url: server.rtmp(target) })
      await waitFor(() => server.server.streams.subscribers(target).length === 5, { what: 'five subscribers' })
      await publishFile(file, server.rtmp(target)).succeed()

      for (const { received } of [...viewers, player]) {
        expect(comparable(await received.wait(expected.length))).to.eql(expected)
        expect(received.sequenceHeaders).to.have.length(received.tracks.filter(({ codec }) => codec !== 'mp3').length)
      }
      // What is left in their queues still reaches them.
      for (const subscriber of server.server.streams.subscribers(target)) subscriber.close('the test is over')
      for (const packetsOfPeer of await Promise.all(peers)) {
        expect(comparable(packetsOfPeer)).to.eql(expected)
      }
    })
  }

  after(() => expect(server?.problems).to.eql([]))
})
