import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { ffprobePackets, type ProbedPacket } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { finishedFiles, listedFiles, placeOf, type ListedFile } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'

const SECONDS = 2
const TYPES = ['mp4', 'flv', 'hls'] as const
const RULES = TYPES.map(
  (type) =>
    `${type}: { onpub: { record: { 'live/.*': { filepath: '${type}', filename: '{stream}', append: true } } } }`,
).join('\n')

const videoOf = (packets: readonly ProbedPacket[]) => packets.filter(({ kind }) => kind === 'video')

describe('recording with append', () => {
  let server: RunningServer
  let source: string
  let otherSource: string
  let pictures: ProbedPacket[]
  const firstParts = new Map<string, ListedFile[]>()

  before(async function () {
    requirePeer(this, 'ffmpeg')
    const prepare = async (folder: string) => {
      source = path.join(folder, 'source.mp4')
      otherSource = path.join(folder, 'other.mp4')
      await makeTestFile({ url: source, durationSeconds: SECONDS })
      await makeTestFile({ url: otherSource, durationSeconds: SECONDS, video: { size: '320x180' } })
    }
    server = await startServer({ config: RULES, prepare })
    pictures = videoOf(await ffprobePackets(source))
    await publishFile(source, server.rtmp('live/cam')).succeed()
    for (const type of TYPES) firstParts.set(type, await finishedFiles(server, type))
    await publishFile(source, server.rtmp('live/cam')).succeed()
  })
  after(() => server?.stop())

  const itBeside = sideBySide()

  for (const type of TYPES) {
    itBeside(`goes on in the ${type} file of that name, whose times go on`, async () => {
      const [former] = firstParts.get(type) ?? []
      const [file] = await grown(type, former)
      const video = videoOf(await ffprobePackets(placeOf(server, file!)))
      expect(video).to.have.length(2 * pictures.length)
      if (type !== 'hls') expect(video.map(({ md5 }) => md5)).to.eql([...pictures, ...pictures].map(({ md5 }) => md5))
      const stepsMs = video.slice(1).map(({ dtsMs }, index) => (dtsMs ?? 0) - (video[index]?.dtsMs ?? 0))
      expect(Math.min(...stepsMs)).to.be.above(30)
      expect(Math.max(...stepsMs)).to.be.below(200)
      expect(file?.duration).to.be.within(2 * SECONDS * 1000, 2 * SECONDS * 1000 + 500)
      const played = videoOf(await ffprobePackets(server.http(`/flv/vod_${type}_1/live/cam.flv`)))
      expect(played).to.have.length(video.length)
    })
  }

  it('begins another file where the tracks are others', async () => {
    await publishFile(otherSource, server.rtmp('live/cam')).succeed()
    const files = await finishedFiles(server, 'mp4', 2)
    expect(files.map(({ filePath }) => filePath)).to.eql(['mp4/live_cam.mp4', 'mp4/live_cam-2.mp4'])
  })

  /** Waits until the one file of a type has grown and ended. */
  async function grown(type: string, former: ListedFile | undefined): Promise<ListedFile[]> {
    let files: ListedFile[] = []
    await waitFor(async () => {
      files = await listedFiles(server, type)
      return files.every(({ isActive, size }) => !isActive && size !== former?.size)
    })
    expect(files.map(({ id }) => id)).to.eql([former?.id])
    return files
  }
})
