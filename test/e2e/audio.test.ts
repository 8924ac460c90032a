import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { ffprobeStreams } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startServer } from '../support/server.ts'

describe('sound that players can take', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  it('is AAC for ffmpeg, which plays by RTMP a stream of Opus', async () => {
    const server = await startServer()
    publish({ url: server.rtsp('live/a'), audio: { encoder: 'libopus', sampleRate: 48_000 }, durationSeconds: 120 })
    await waitFor(() => server.server.streams.get('live/a')?.tracks.length === 2)
    const streams = await ffprobeStreams(server.rtmp('live/a'))
    expect(streams.map((stream) => stream.codec)).to.have.members(['h264', 'aac'])
    expect(server.server.streams.get('live/a~aac')?.publisher?.request.type).to.equal('transform')
  })
})
