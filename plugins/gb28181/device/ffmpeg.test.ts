import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile } from '../../../test/peers/ffmpeg.ts'
import { runPeer } from '../../../test/peers/process.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { MediaReceiver } from './fixtures/media-receiver.ts'
import { invite, started, testClip } from './fixtures/rig.ts'
import { readClip } from './media/clip-file.ts'
import type { FfmpegClip } from './media/ffmpeg-clip.ts'

type Probed = { readonly streams: readonly { readonly codec_name: string; readonly width?: number }[] }

describe('the media of a device, as ffmpeg sees them', () => {
  let folder: string
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-gb-device-'))
  })
  after(() => folder && rm(folder, { recursive: true }))

  const cases: readonly { readonly init: FfmpegClip; readonly codecs: readonly string[] }[] = [
    { init: { audio: 'aac' }, codecs: ['h264', 'aac'] },
    { init: { codec: 'h265', audio: 'mp2' }, codecs: ['hevc', 'mp2'] },
    { init: { codec: 'h265', audio: 'none' }, codecs: ['hevc'] },
    { init: { audio: 'none', slices: 4 }, codecs: ['h264'] },
  ]
  for (const { init, codecs } of cases) {
    it(`are ${codecs.join(' and ')}${init.slices === undefined ? '' : ' in slices'}`, async () => {
      const { platform } = await started({ source: await testClip(init) })
      const receiver = await MediaReceiver.udp()
      await invite(platform, receiver)
      await waitFor(() => receiver.packets.filter(({ marker }) => marker).length > 30)
      const file = path.join(folder, `${codecs.join('-')}-${init.slices ?? 1}.ps`)
      await writeFile(file, Buffer.concat(receiver.packets.map(({ payload }) => payload)))
      const probe = ['-v', 'error', '-show_entries', 'stream=codec_name,width', '-of', 'json', file]
      const { streams } = JSON.parse(String(await runPeer('ffprobe', probe))) as Probed
      expect(streams.map(({ codec_name }) => codec_name).toSorted()).to.eql(codecs.toSorted())
      expect(streams.find(({ width }) => width !== undefined)?.width).to.equal(160)
      const decoded = ['-v', 'error', '-i', file, '-map', '0:v', '-fps_mode', 'passthrough', '-f', 'framemd5', '-']
      const frames = String(await runPeer('ffmpeg', decoded))
        .split('\n')
        .filter((line) => line.startsWith('0,'))
      expect(frames.length).to.be.greaterThan(25)
    })
  }

  const files = [
    { name: 'clip.flv', codecs: ['h264', 'aac'] },
    { name: 'clip.ts', codecs: ['h264', 'aac'] },
    // All else goes through ffmpeg, with sound as GB/T 28181 has it.
    { name: 'clip.mp4', codecs: ['h264', 'pcma'] },
  ]
  for (const { name, codecs } of files) {
    it(`are read from ${name}`, async () => {
      const file = path.join(folder, name)
      await makeTestFile({ url: file, durationSeconds: 2 })
      const { tracks, units, durationTicks } = await readClip(file)
      expect(tracks.map(({ codec }) => codec)).to.have.members(codecs)
      expect(units.filter(({ track }) => track.kind === 'video')).to.have.length(50)
      expect(durationTicks).to.be.closeTo(180_000, 100)
    })
  }

  it('are none in a file without media', async () => {
    const file = path.join(folder, 'none.ts')
    await writeFile(file, Buffer.alloc(1000, 0x47))
    const error = await readClip(file).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(RangeError)
  })
})
