import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { publishRtspByFfmpeg } from '../../../test/peers/ffmpeg-rtsp.ts'
import { framemd5, makeTestFile, publish } from '../../../test/peers/ffmpeg.ts'
import { ffprobeStreams } from '../../../test/peers/ffprobe.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { LiveViewer } from '../../../test/support/live-viewer.ts'
import { startServer, type RunningServer } from '../../../test/support/server.ts'

const SECONDS = 3
const FRAMES = SECONDS * 25

/** Keeps what comes, over HTTP or WebSocket. */
class Recorder extends LiveViewer {
  readonly messages: Buffer[] = []

  protected override receive(bytes: Buffer): void {
    this.messages.push(bytes)
  }
}

describe('annexb', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer()
  })
  // That a muxer fails which may not go on is what the last test is about.
  after(() => expect(server?.problems.filter(({ stream }) => stream !== 'live/changing')).to.eql([]))

  /** Has a viewer watch a file from beginning to end; resolves with what ffmpeg decodes of both. */
  async function watched(encoder: string, raw: string, scheme: 'http' | 'ws') {
    const file = path.join(server.folder, `${encoder}.mp4`)
    await makeTestFile({ url: file, durationSeconds: SECONDS, video: { encoder, bFrames: 2, size: '160x120' } })
    const streamPath = `live/${encoder}-${scheme}`
    const viewer = new Recorder(server[scheme](`/annexb/${streamPath}`))
    await waitFor(() => server.server.streams.subscribers(streamPath).length === 1, { what: 'the viewer to wait' })
    await publishRtspByFfmpeg(file, server.rtsp(streamPath), 'tcp').succeed()
    await waitFor(() => server.server.streams.get(streamPath) === undefined, { what: 'the publisher to leave' })
    viewer.close()
    await viewer.ended
    const got = path.join(server.folder, `${streamPath.replace('/', '-')}.${raw}`)
    await writeFile(got, Buffer.concat(viewer.messages))
    const pictures = (await framemd5(file)).filter(({ stream }) => stream === 0)
    return { viewer, got, sent: pictures.map(({ md5 }) => md5), decoded: await framemd5(got, { input: ['-f', raw] }) }
  }

  for (const [encoder, raw, scheme] of [
    ['libx264', 'h264', 'http'],
    ['libx264', 'h264', 'ws'],
    ['libx265', 'hevc', 'http'],
  ] as const) {
    it(`plays ${raw} over ${scheme}: every picture, in order, and nothing else`, async () => {
      const { viewer, got, sent, decoded } = await watched(encoder, raw, scheme)
      expect(await viewer.status).to.equal(scheme === 'ws' ? 101 : 200)
      expect(sent).to.have.length(FRAMES)
      expect(decoded.map(({ md5 }) => md5)).to.eql(sent)
      const [stream, ...others] = await ffprobeStreams(got, { input: ['-f', raw] })
      expect(others).to.eql([])
      expect(stream).to.include({ kind: 'video', codec: raw, width: 160, height: 120 })
      // Whole access units, each after its delimiter.
      const delimiter = raw === 'h264' ? '0000000109f0' : '00000001460150'
      if (scheme === 'ws') {
        for (const message of viewer.messages)
          expect(message.toString('hex')).to.match(new RegExp(`^${delimiter}`, 'u'))
      }
    })
  }

  it('begins with a keyframe for who comes later', async () => {
    const source = publish({ url: server.rtmp('live/late'), durationSeconds: 60, video: { gopFrames: 10 } })
    await waitFor(async () => (await server.api('/api/stream/info/live/late')).body.code === 0)
    const viewer = new Recorder(server.http('/annexb/live/late.annexb'))
    expect((await viewer.headers)['content-type']).to.equal('application/octet-stream')
    await waitFor(() => viewer.messages.length > 0)
    // Delimiter, SPS.
    expect(viewer.messages[0]?.toString('hex')).to.match(/^0000000109f00000000167/u)
    const [subscriber] = server.server.streams.subscribers('live/late')
    expect(subscriber?.request.protocol).to.equal('annexb')
    viewer.close()
    source.signal('SIGKILL')
    await source.exit
  })

  it('says of a stream without such pictures what it is', async () => {
    const source = publish({ url: server.rtmp('live/sound'), durationSeconds: 60, video: false })
    await waitFor(async () => (await server.api('/api/stream/info/live/sound')).body.code === 0)
    const { status, body } = await server.api('/annexb/live/sound')
    expect([status, body.message]).to.eql([404, 'a byte stream cannot carry aac; it carries H.264 and H.265'])
    source.signal('SIGKILL')
    await source.exit
  })

  it('ends a viewer whose stream goes on in the other codec', async () => {
    const publishAs = async (encoder: string) => {
      const file = path.join(server.folder, `short-${encoder}.mp4`)
      await makeTestFile({ url: file, durationSeconds: 1, video: { encoder, size: '160x120' }, audio: false })
      await publishRtspByFfmpeg(file, server.rtsp('live/changing'), 'tcp').succeed()
    }
    const viewer = new Recorder(server.http('/annexb/live/changing'))
    await waitFor(() => server.server.streams.subscribers('live/changing').length === 1)
    await publishAs('libx264')
    await waitFor(() => viewer.messages.length > 0)
    await publishAs('libx265')
    await viewer.ended
    expect(Buffer.concat(viewer.messages).includes(Buffer.from('00000001460150', 'hex'))).to.equal(false)
    expect(server.problems.map(({ stream, msg }) => [msg, stream])).to.eql([['a muxer failed', 'live/changing']])
  })
})
