import { cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import type { ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const FILE = path.join(import.meta.dirname, 'rtp-link.ts')
/** Of each kind, so many have to come. */
const WANTED = 30

/** Keyframes come with their parameter sets. */
function framesOf(kind: ReceivedFrame['kind'], frames: readonly ReceivedFrame[]): readonly string[] {
  return frames.filter((frame) => frame.kind === kind && !(kind === 'video' && frame.keyframe)).map(({ md5 }) => md5)
}

function start(): Promise<RunningServer> {
  return startServer({
    config: 'global: {plugins_dir: plugins}\nrtp-link: {mediaports: 21000-29999}\n',
    prepare: async (folder) => {
      await mkdir(path.join(folder, 'plugins'))
      await cp(FILE, path.join(folder, 'plugins', 'rtp-link.ts'))
    },
  })
}

describe('a plugin that sends and takes streams by RTP', () => {
  it('gets exactly what it has sent', async function () {
    requirePeer(this, 'ffmpeg')
    const server = await start()
    const source = await makeFlvFile(path.join(server.folder, 'source.flv'), {
      video: { size: '160x120', bFrames: 2, gopFrames: 10 },
      audio: {},
    })
    const live = await LiveSource.start({ url: server.rtmp('live/a'), tags: source.tags })
    const post = (where: string, type: string, body: string) =>
      fetch(server.http(`/rtp-link/${where}`), { method: 'POST', headers: { 'content-type': type }, body })
    const sdp = await waitFor(async () => {
      const answer = await fetch(server.http('/rtp-link/sdp/live/a'))
      return answer.ok ? answer.text() : undefined
    })
    expect(sdp).to.include('H264/90000').and.to.include('MPEG4-GENERIC/')
    const ports = await (await post('in/copy/a', 'text/plain', sdp)).text()
    const viewer = new FlvViewer(server.http('/flv/copy/a.flv'))
    await waitFor(() => server.server.streams.get('copy/a') !== undefined)
    expect((await post('out/live/a', 'application/json', ports)).status).to.equal(200)

    for (const kind of ['video', 'audio'] as const) {
      const sent = framesOf(kind, source.frames)
      const received = () => framesOf(kind, viewer.received.frames)
      await waitFor(() => received().length >= WANTED, { what: `the ${kind} of the copy` })
      const first = sent.indexOf(received()[0]!)
      expect(first).to.be.at.least(0)
      expect(received()).to.eql(sent.slice(first, first + received().length))
    }
    live.close()
    expect(server.problems).to.eql([])
  })

  it('refuses what is no description, and formats that it does not know', async () => {
    const server = await start()
    const description =
      'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 H266/90000\r\n'
    for (const body of ['nothing', description]) {
      const init = { method: 'POST', headers: { 'content-type': 'text/plain' }, body }
      expect((await fetch(server.http('/rtp-link/in/copy/a'), init)).status).to.equal(415)
    }
    expect((await fetch(server.http('/rtp-link/sdp/live/none'))).status).to.equal(404)
  })

  it('is the plugin of docs/plugins/rtp.md', async () => {
    const block = (await blocksOf('docs/plugins/rtp.md', 'ts'))("name: 'rtp-link'")
    expect(block).to.equal(await readFile(FILE, 'utf8'))
  })
})
