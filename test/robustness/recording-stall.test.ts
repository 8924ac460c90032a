import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { listedFiles, type ListedFile } from '../support/recordings.ts'
import { startServer } from '../support/server.ts'

const DISK_BYTES = 64 * 1024 * 1024
const CLIP_SECONDS = 2
const FRAMES_PER_SECOND = 25
/** Enough that a viewer who is held up by the disk would be seen. */
const STALL_SECONDS = 6

const root = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' })

/** A disk whose writes can be held up. It takes root, and a kernel with loop devices, to make one. */
async function mountDisk(folder: string): Promise<boolean> {
  const image = `${folder}.img`
  await writeFile(image, '')
  await truncate(image, DISK_BYTES)
  try {
    root('mkfs.ext4', '-q', image)
    root('mount', '-o', 'loop', image, folder)
    return true
  } catch {
    return false
  }
}

describe('recording on a disk that hangs', () => {
  let disk: string
  let clip: FlvFile
  let isMounted = false
  before(async function () {
    requirePeer(this, 'ffmpeg')
    disk = await mkdtemp(path.join(tmpdir(), 'sluice-disk-'))
    isMounted = await mountDisk(disk)
    if (!isMounted) {
      process.stdout.write('  no disk of its own can be mounted; skipping the test of one that hangs\n')
      this.skip()
    }
    clip = await makeFlvFile(path.join(disk, 'clip.flv'), { durationSeconds: CLIP_SECONDS })
  })
  after(async () => {
    if (isMounted) root('umount', '-l', disk)
    for (const each of [disk, `${disk}.img`]) await rm(each, { recursive: true, force: true })
  })

  it('holds up no viewer, and loses nothing', async () => {
    const server = await startServer({
      config: `mp4: { onpub: { record: { ^live/: { filepath: '{stream}' } } } }`,
      env: { SLUICE_GLOBAL_STORAGE_LOCAL_PATH: path.join(disk, 'files') },
    })
    const names = Array.from({ length: 8 }, (_, index) => `live/${index}`)
    const sources = await Promise.all(
      names.map((name) => LiveSource.start({ url: server.rtmp(name), tags: clip.tags, loopMs: CLIP_SECONDS * 1000 })),
    )
    const viewers = names.map((name) => new FlvViewer(server.http(`/flv/${name}.flv`)))
    const pictures = ({ received }: FlvViewer) => received.frames.filter(({ kind }) => kind === 'video').length
    const placeOf = ({ filePath }: ListedFile) => path.join(disk, 'files', filePath)
    const recording = await waitFor(async () => {
      const files = await listedFiles(server, 'mp4')
      return files.filter(({ duration }) => duration > 1000).length === names.length && files
    })
    const sizes = () => Promise.all(recording.map(async (file) => (await stat(placeOf(file))).size))
    root('fsfreeze', '--freeze', disk)
    try {
      const written = await sizes()
      const before = viewers.map(pictures)
      // As many as come in the time: if the disk held them up, they would not come before it goes on.
      const more = STALL_SECONDS * FRAMES_PER_SECOND
      await waitFor(() => viewers.every((viewer, index) => pictures(viewer) >= before[index]! + more))
      expect((await server.api('/api/record/list')).body.data).to.have.length(names.length)
      expect(await sizes()).to.eql(written)
    } finally {
      root('fsfreeze', '--unfreeze', disk)
    }
    const published = viewers.map(pictures)
    for (const source of sources) source.close()
    const files = await waitFor(async () => {
      const listed = await listedFiles(server, 'mp4')
      return listed.every(({ isActive }) => !isActive) && listed
    })
    expect(files.map(({ streamPath }) => streamPath).toSorted()).to.eql(names)
    for (const file of files) {
      const packets = await ffprobePackets(placeOf(file), { kind: 'video' })
      expect(packets.length).to.be.at.least(published[names.indexOf(file.streamPath)]!)
    }
    expect(server.problems).to.eql([])
    await server.stop()
  })
})
