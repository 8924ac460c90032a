import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile, publish } from '../peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { listedFiles, placeOf, type ListedFile } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const SECONDS = 2
const CONFIG = `
global: { publish: { kickexist: true }, pull: { folders: ['FOLDER'] } }
mp4:
  onpub: { record: { ^live/: { filepath: '{stream}' } } }
  onsub: { pull: { ^live/file/(.+)$: $1 } }
`

describe('recording a stream that changes', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    const prepare = async (folder: string) => {
      await writeFile(path.join(folder, 'config.yaml'), CONFIG.replace('FOLDER', folder))
      const video = { encoder: 'libsvtav1', bFrames: 0 }
      const output = ['-preset', '12', '-svtav1-params', 'lp=1']
      await makeTestFile({ url: path.join(folder, 'av1.mp4'), durationSeconds: SECONDS, video, output })
      const outputs = ['-map', '0:v', '-map', '1:a', '-map', '1:a']
      await makeTestFile({ url: path.join(folder, 'sounds.mp4'), durationSeconds: SECONDS, output: outputs })
    }
    server = await startServer({ prepare })
  })
  after(() => server?.stop())

  async function filesOf(streamPath: string, count: number): Promise<ListedFile[]> {
    return waitFor(async () => {
      const files = await listedFiles(server, 'mp4', streamPath)
      return (
        files.filter(({ isActive }) => !isActive).length === count && files.every(({ isActive }) => !isActive) && files
      )
    })
  }

  it('begins another file when it is published anew, also in another size, and plays both', async () => {
    for (const size of ['320x240', '480x360']) {
      await publish({ url: server.rtmp('live/again'), durationSeconds: SECONDS, video: { size } }).succeed()
    }
    const files = await filesOf('live/again', 2)
    const sizes = await Promise.all(files.map((file) => ffprobeStreams(placeOf(server, file))))
    expect(sizes.map((streams) => streams.find(({ kind }) => kind === 'video')?.width)).to.eql([320, 480])
    const packets = await ffprobePackets(server.http('/flv/vod_mp4_9/live/again.flv'), { kind: 'video' })
    expect(packets).to.have.length(2 * SECONDS * 25)
  })

  it('begins another file when another publisher takes its place', async () => {
    const first = publish({ url: server.rtmp('live/taken'), durationSeconds: 60 })
    await waitFor(async () => (await listedFiles(server, 'mp4', 'live/taken')).some(({ duration }) => duration > 500))
    const second = publish({ url: server.rtmp('live/taken'), durationSeconds: SECONDS, video: { size: '160x120' } })
    await second.succeed()
    await first.close()
    const files = await filesOf('live/taken', 2)
    expect(Date.parse(files[1]!.startTime)).to.be.at.least(Date.parse(files[0]!.endTime))
  })

  for (const [name, says] of [
    ['av1.mp4', ['av1', 'aac']],
    ['sounds.mp4', ['h264', 'aac', 'aac']],
  ] as const) {
    it(`has all tracks of ${name}`, async () => {
      const streamPath = `live/file/${name}`
      await server.api('/api/stream/pull', {
        method: 'POST',
        body: JSON.stringify({ remoteURL: name, streamPath, protocol: 'mp4' }),
      })
      const [file] = await filesOf(streamPath, 1)
      const streams = await ffprobeStreams(placeOf(server, file!))
      expect(streams.map(({ codec }) => codec)).to.eql(says)
      const packets = await ffprobePackets(placeOf(server, file!), { kind: 'video' })
      expect(packets).to.have.length(SECONDS * 25)
    })
  }

  it('has nothing to warn of', () => {
    expect(server.problems).to.eql([])
  })
})
