import { expect } from 'chai'
import { ffprobeFrames, playRtspByFfmpeg, publishRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { publishFile } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import type { PeerFrame } from '../peers/rtsp.ts'
import { waitFor } from '../peers/wait-for.ts'
import { withStartCodes } from '../support/rtsp/coded-picture.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { rtspSource, type RtspSource, type RtspSourceName } from '../support/rtsp/rtsp-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'

/** Programs take long to start on a busy machine: those who play wait for the stream. */
const CONFIG = `
global: { subscribe: { waittimeout: 50s } }
hls: { fragment: 1s, idletimeout: 30s }
`
const AUDIO_SHIFT_MS = 60
/** Players of HLS stop after so many, which is before the end of each source: the playlist goes on for a while after it. */
const HLS_FRAMES = 150
/** Fewer are no stream that was played. */
const LEAST_FRAMES = 75

type Way = 'RTMP' | 'FLV' | 'MP4' | 'HLS' | 'RTSP by TCP' | 'RTSP by UDP'

const MISSING_AT_END_MS: Readonly<Record<Way, number>> = {
  RTMP: 50,
  FLV: 50,
  MP4: 50,
  'RTSP by TCP': 50,
  HLS: Infinity,
  'RTSP by UDP': 150,
}

const CASES: readonly {
  readonly source: RtspSourceName
  readonly from: 'RTSP' | 'RTMP'
  readonly to: readonly Way[]
}[] = [
  { source: 'H.264 and AAC', from: 'RTSP', to: ['RTMP', 'FLV', 'MP4', 'HLS'] },
  // ffmpeg of this Debian takes no H.265 out of FLV.
  { source: 'H.265 and AAC', from: 'RTSP', to: ['MP4', 'HLS'] },
  { source: 'H.264 and Opus', from: 'RTSP', to: ['MP4', 'HLS'] },
  { source: 'H.264 and AAC', from: 'RTMP', to: ['RTSP by TCP', 'RTSP by UDP'] },
]

describe('what RTSP takes or gives is the same by other protocols, frame by frame', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
  })

  async function play(way: Way, target: string): Promise<PeerFrame[]> {
    if (way === 'RTSP by TCP') return playRtspByFfmpeg(server.rtsp(target), 'tcp')
    if (way === 'RTSP by UDP') return playRtspByFfmpeg(server.rtsp(target), 'udp', { lossy: true })
    const urls = {
      RTMP: server.rtmp(target),
      FLV: server.http(`/flv/${target}.flv`),
      MP4: server.http(`/mp4/${target}.mp4`),
      HLS: server.http(`/hls/${target}/index.m3u8`),
    }
    // By itself, one that is held up would begin at the third segment from the end.
    const options = way === 'HLS' ? { input: ['-live_start_index', '0'], packets: HLS_FRAMES } : {}
    return (await ffprobeFrames(urls[way], options)).map(withStartCodes)
  }

  const publish = ({ file }: RtspSource, from: 'RTSP' | 'RTMP', target: string) =>
    from === 'RTSP' ? publishRtspByFfmpeg(file, server.rtsp(target), 'tcp') : publishFile(file, server.rtmp(target))

  for (const [index, { source: name, from, to }] of CASES.entries()) {
    it(`${name} from ${from} to ${to.join(', ')}`, async () => {
      const source = await rtspSource(name)
      const target = `live/remux${index}`
      const plays = Promise.allSettled(to.map((way) => play(way, target)))
      const { streams } = server.server
      await waitFor(() => streams.subscribers(target).length === to.length, { what: 'the players to wait' })
      await publish(source, from, target).succeed()
      await waitFor(() => streams.get(target)?.publisher === undefined, { what: 'the publisher to end' })
      for (const subscriber of streams.subscribers(target)) {
        if (subscriber.request.protocol !== 'hls') subscriber.close('the stream is over')
      }
      const problems: string[] = []
      for (const [place, result] of (await plays).entries()) {
        const way = to[place]!
        try {
          if (result.status === 'rejected') throw result.reason
          expect(result.value.length).to.be.at.least(LEAST_FRAMES)
          compareFrames(source, result.value, {
            late: true,
            audioShiftMs: AUDIO_SHIFT_MS,
            missingAtEndMs: MISSING_AT_END_MS[way],
          })
        } catch (error) {
          problems.push(`${way}: ${String(error)}`)
        }
      }
      expect(problems).to.eql([])
    })
  }

  after(() => expect(server?.problems).to.eql([]))
})
