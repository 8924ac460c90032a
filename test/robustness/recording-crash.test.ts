import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerCommand } from '../support/command.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import type { ListedFile } from '../support/recordings.ts'

/** How often the server is killed; more by hand. */
const KILLS = Number(process.env['SLUICE_KILLS'] ?? 4)
const CLIP_SECONDS = 3
const GOP_FRAMES = 25
const TYPES = ['mp4', 'flv', 'hls'] as const
const CONFIG = `
mp4: { onpub: { record: { '.*': { filepath: 'mp4/{stream}', fragment: 2s } } } }
flv: { onpub: { record: { '.*': { filepath: 'flv/{stream}' } } } }
hls: { onpub: { record: { '.*': { filepath: 'ts/{stream}', fragment: 2s } } } }
`

describe('a server that is killed while it records', () => {
  let folder: string
  let clip: FlvFile
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    await writeFile(path.join(folder, 'config.yaml'), CONFIG)
    clip = await makeFlvFile(path.join(folder, 'clip.flv'), { durationSeconds: CLIP_SECONDS })
  })
  after(() => rm(folder, { recursive: true }))

  async function listed(server: ServerCommand, type: string, streamPath: string): Promise<ListedFile[]> {
    const answer = await fetch(server.http(`/api/record/${type}/list/${streamPath}?pageSize=10000`))
    return ((await answer.json()) as { data: ListedFile[] }).data.toReversed()
  }

  /** Kills a server in the middle of a stream; returns how many pictures it had at least. */
  async function killAt(ms: number, streamPath: string): Promise<number> {
    const server = await ServerCommand.start(['-c', 'config.yaml'], { cwd: folder })
    const source = { url: server.rtmp(streamPath), tags: clip.tags, loopMs: CLIP_SECONDS * 1000 }
    await LiveSource.start(source)
    const viewer = new FlvViewer(server.http(`/flv/${streamPath}.flv`))
    const pictures = () => viewer.received.frames.filter(({ kind }) => kind === 'video').length
    await waitFor(() => pictures() > 0)
    const killMs = performance.now() + ms
    await waitFor(() => performance.now() >= killMs, { intervalMs: 3 })
    const seen = pictures()
    server.process.signal('SIGKILL')
    await server.process.exit
    return seen
  }

  it(`loses no more than a group of pictures, and finds all files again (${KILLS} times)`, async function () {
    this.timeout(60_000 * KILLS)
    const seen = new Map<string, number>()
    for (let kill = 0; kill < KILLS; kill++) {
      const streamPath = `live/kill${kill}`
      seen.set(streamPath, await killAt(500 + Math.random() * 4500, streamPath))
    }
    const server = await ServerCommand.start(['-c', 'config.yaml'], { cwd: folder })
    for (const type of TYPES) {
      const known: string[] = []
      for (const [streamPath, pictures] of seen) {
        const files = await waitFor(async () => {
          const found = await listed(server, type, streamPath)
          return found.every(({ isActive }) => !isActive) && found
        })
        const packets = await Promise.all(
          files.map(({ filePath }) => ffprobePackets(path.join(folder, 'recordings', filePath), { kind: 'video' })),
        )
        const recorded = packets.flat().length
        expect(recorded, `${type} ${streamPath} of ${pictures}`).to.be.at.least(pictures - GOP_FRAMES)
        for (const [index, { duration }] of files.entries()) {
          const [first] = packets[index] ?? []
          expect([first?.keyframe, packets[index]?.length], `${type} ${streamPath}`).to.not.include(undefined)
          expect(Math.abs(duration - (packets[index]?.length ?? 0) * 40)).to.be.below(150)
        }
        known.push(...files.map(({ filePath }) => filePath))
      }
      const below = type === 'hls' ? 'ts' : type
      const there = await readdir(path.join(folder, 'recordings', below), { recursive: true, withFileTypes: true })
      const paths = there.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name))
      const root = path.join(folder, 'recordings')
      expect(paths.map((file) => path.relative(root, file)).toSorted()).to.eql(known.toSorted())
    }
    server.process.signal('SIGTERM')
    expect((await server.process.exit).code).to.equal(0)
  })
})
