import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { listedFiles, placeOf } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const DISK_BYTES = 4 * 1024 * 1024
const CLIP_SECONDS = 2

/** A disk of a few megabytes, in memory; it takes root to make one. */
function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'none', folder], { stdio: 'pipe' })
    return true
  } catch (error) {
    if (process.env['CI']) throw error
    return false
  }
}

describe('recording on a disk that is full', () => {
  let disk: string
  let clip: FlvFile
  let server: RunningServer
  let isMounted = false
  before(async function () {
    requirePeer(this, 'ffmpeg')
    disk = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    isMounted = mountSmallDisk(disk)
    if (!isMounted) {
      process.stdout.write('  a disk of its own takes root; skipping the tests of full disks\n')
      this.skip()
    }
    clip = await makeFlvFile(path.join(disk, 'clip.flv'), { durationSeconds: CLIP_SECONDS })
    await rm(path.join(disk, 'clip.flv'))
  })
  afterEach(async () => {
    await server?.stop()
    for (const name of ['files', 'ballast']) await rm(path.join(disk, name), { recursive: true, force: true })
  })
  after(async () => {
    if (isMounted) execFileSync('umount', ['-l', disk])
    await rm(disk, { recursive: true, force: true })
  })

  const start = async (config: string) => {
    server = await startServer({ config, env: { SLUICE_GLOBAL_STORAGE_LOCAL_PATH: path.join(disk, 'files') } })
    return server
  }
  const play = (name: string) =>
    LiveSource.start({ url: server.rtmp(name), tags: clip.tags, loopMs: CLIP_SECONDS * 1000 })

  it('keeps what it has, harms nobody else, and goes on when there is room', async () => {
    await start(`mp4: { diskmaxpercent: 0, onpub: { record: { ^live/: { filepath: '{stream}', fragment: 2s } } } }`)
    const ballast = path.join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc(DISK_BYTES - 512 * 1024))
    await play('live/full')
    const viewer = new FlvViewer(server.http('/flv/live/full.flv'))
    const failed = () => server.records.find(({ msg }) => msg === 'the record failed: the disk is full')
    await waitFor(() => failed())
    expect(failed()?.level).to.equal('warn')
    const seen = viewer.received.frames.length
    const files = await waitFor(async () => {
      const listed = await listedFiles(server, 'mp4', 'live/full')
      return listed.length > 0 && listed.every(({ isActive }) => !isActive) && listed
    })
    for (const file of files) {
      const packets = await ffprobePackets(path.join(disk, 'files', file.filePath), { kind: 'video' })
      expect(Math.abs(file.duration - packets.length * 40)).to.be.below(150)
    }
    await truncate(ballast, 0)
    await waitFor(async () => (await listedFiles(server, 'mp4', 'live/full')).length > files.length)
    expect(viewer.received.frames.length).to.be.above(seen)
    const video = viewer.received.frames.filter(({ kind }) => kind === 'video')
    const steps = video.map(({ dtsMs }, index) => dtsMs - (video[index - 1]?.dtsMs ?? dtsMs - 40))
    expect(Math.max(...steps)).to.be.below(60)
  })

  it('raises an alarm past the limit, stops, and goes on below it', async () => {
    await start(`
global: { hook: { default: { savealarm: true } } }
mp4: { diskmaxpercent: 60, onpub: { record: { ^live/: { filepath: '{stream}' } } } }
`)
    await play('live/alarm')
    await waitFor(async () => (await listedFiles(server, 'mp4', 'live/alarm')).some(({ duration }) => duration > 0))
    const ballast = path.join(disk, 'ballast')
    await writeFile(ballast, Buffer.alloc(0.7 * DISK_BYTES))
    const alarms = async () =>
      ((await server.api('/api/alarm/list')).body.data as { alarmName: string; alarmType: number }[]).filter(
        ({ alarmName }) => alarmName === 'disk_full',
      )
    await waitFor(async () => (await alarms()).length === 1)
    expect((await alarms())[0]?.alarmType).to.equal(0x10014)
    const files = await waitFor(async () => {
      const listed = await listedFiles(server, 'mp4', 'live/alarm')
      return listed.every(({ isActive }) => !isActive) && listed
    })
    await truncate(ballast, 0)
    await waitFor(async () => (await listedFiles(server, 'mp4', 'live/alarm')).length > files.length)
    expect(await alarms()).to.have.length(1)
  })

  it('lets the oldest go, but those of important events', async () => {
    await start(`
flv: { overwritepercent: 50, diskmaxpercent: 0, onpub: { record: { ^live/: { filepath: '{stream}', fragment: 1s } } } }
mp4: { onpub: { record: { ^kept/: { filepath: '{stream}', fragment: 1s } } } }
`)
    await play('kept/a')
    await waitFor(async () => (await listedFiles(server, 'mp4', 'kept/a')).length > 1)
    await play('live/turn')
    const first = await waitFor(async () => (await listedFiles(server, 'flv', 'live/turn'))[0])
    const ballast = path.join(disk, 'ballast')
    await waitFor(async () => (await listedFiles(server, 'flv', 'live/turn')).length > 2)
    await writeFile(ballast, Buffer.alloc(0.6 * DISK_BYTES))
    const left = await waitFor(async () => {
      const files = await listedFiles(server, 'flv', 'live/turn')
      return files.every(({ id }) => id !== first.id) && files
    })
    expect(left.every(({ id }) => id > first.id)).to.equal(true)
    expect((await listedFiles(server, 'mp4', 'kept/a')).length).to.be.above(1)
    await truncate(ballast, 0)
    for (const file of await listedFiles(server, 'mp4', 'kept/a')) {
      if (!file.isActive) await ffprobePackets(placeOf(server, file).replace(/.*recordings/u, path.join(disk, 'files')))
    }
  })
})
