import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { PsMuxer } from 'sluice/sdk/media'
import { framemd5, type HashedFrame } from '../../../test/peers/ffmpeg.ts'
import { WebrtcbinPlayer } from '../../../test/peers/gstreamer-webrtc.ts'
import { keep } from '../../../test/peers/lifetime.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { Clip } from '../device/index.ts'
import { clipOf, GbRig } from '../fixtures/rig.ts'

/** More than the clip has, so that it has begun again. */
const PICTURES = 75

/** The pictures of a clip as ffmpeg decodes them, in the order in which they are shown. */
async function decoded(clip: Clip): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-clip-'))
  keep({ close: () => rm(folder, { recursive: true, force: true }) })
  const muxer = new PsMuxer()
  muxer.start(clip.tracks)
  const file = path.join(folder, 'clip.mpg')
  await writeFile(file, Buffer.concat(clip.units.map(({ unit }) => muxer.mux(unit))))
  return picturesIn(await framemd5(file))
}

function picturesIn(frames: readonly HashedFrame[]): string[] {
  return frames.filter(({ sizeBytes }) => sizeBytes > 50_000).map(({ md5 }) => md5)
}

/** What is wrong with pictures of a clip that plays over and over; undefined for nothing. */
function gapIn(pictures: readonly string[], wanted: readonly string[]): string | undefined {
  const first = wanted.indexOf(pictures[0] ?? '')
  if (first < 0) return 'the first picture is none of the clip'
  const at = pictures.findIndex((md5, index) => md5 !== wanted[(first + index) % wanted.length])
  return at < 0 ? undefined : `picture ${at} of ${pictures.length} is not the next one`
}

describe('the stream of a device', () => {
  for (const codec of ['h264', 'h265'] as const) {
    it(`comes out complete and in order, decoded by ffmpeg: ${codec}`, async function () {
      requirePeer(this, 'ffmpeg')
      const rig = await GbRig.start()
      const clip = await clipOf({ codec, audio: 'aac' })
      const wanted = await decoded(clip)
      expect(wanted).to.have.length(50)
      const device = await rig.registered({ source: clip })
      const stream = rig.pathOf(device)
      // Debian's ffmpeg reads H.265 by RTSP and HLS alone.
      const readers: Readonly<Record<string, () => Promise<HashedFrame[]>>> = {
        rtsp: () => framemd5(rig.server.rtsp(stream), { input: ['-rtsp_transport', 'tcp'], videoFrames: PICTURES }),
        hls: () => framemd5(rig.server.http(`/hls/${stream}/index.m3u8`), { videoFrames: PICTURES }),
        ...(codec === 'h264' && {
          rtmp: () => framemd5(rig.server.rtmp(stream), { videoFrames: PICTURES }),
          flv: () => framemd5(rig.server.http(`/flv/${stream}.flv`), { videoFrames: PICTURES }),
        }),
      }
      const runs = Object.entries(readers).map(async ([name, read]) => {
        const pictures = picturesIn(await read())
        expect(pictures.length, name).to.be.at.least(PICTURES - 1)
        expect(gapIn(pictures, wanted), name).to.equal(undefined)
      })
      await Promise.all(runs)
      expect(device.received.filter(({ method }) => method === 'INVITE')).to.have.length(1)
      expect(rig.server.problems).to.eql([])
    })
  }

  it('is played by WebRTC, with its sound', async function () {
    requirePeer(this, 'webrtcbin')
    const rig = await GbRig.start()
    const device = await rig.registered({ source: await clipOf({ audio: 'pcma' }) })
    const player = new WebrtcbinPlayer(rig.server.http(`/webrtc/play/${rig.pathOf(device)}`))
    const came = () => (['video', 'audio'] as const).map((kind) => player.frames(kind).length)
    await waitFor(() => came().every((count) => count >= PICTURES)).catch((cause: unknown) => {
      throw new Error(`${came().join()} frames came; ${player.process.stderr}`, { cause })
    })
    // It knows no sound but Opus.
    expect(player.process.stderr).to.include('video H264\n').and.include('audio OPUS\n')
    await player.process.close()
  })
})
