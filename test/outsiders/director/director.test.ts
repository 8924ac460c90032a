import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { FlvReader } from 'sluice/sdk/media'
import { keep } from '../../peers/lifetime.ts'
import { requirePeer } from '../../peers/require-peer.ts'
import { runQuietly } from '../../peers/run-quietly.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { blocksOf } from '../../support/doc-blocks.ts'
import { makeFlvFile, type FlvFile } from '../../support/flv-file.ts'
import type { ReceivedFrame } from '../../support/flv-frames.ts'
import { FlvViewer } from '../../support/flv-viewer.ts'
import { LiveSource } from '../../support/live-source.ts'
import { LiveViewer } from '../../support/live-viewer.ts'
import { Mp4Viewer } from '../../support/mp4-viewer.ts'
import { RtmpClient } from '../../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../../support/server.ts'
import { HlsFollower } from './hls-follower.ts'

const PROGRAMME = 'show/main'
const CAMERAS = ['live/a', 'live/b'] as const
const MOVES = 100
const LOOP_MS = 4000
/** The header of an FLV file, and the size of no tag before the first. */
const FLV_START_BYTES = 13
/** What a tag has besides its data: its header, and its size after it. */
const TAG_FRAME_BYTES = 15
/** Decodes all pictures, whatever their times: those of a source that plays a file in a loop overlap at its ends. */
const DECODE = ['-fps_mode', 'vfr', '-f', 'null', '-']

describe('a programme that is switched between cameras a hundred times', function () {
  this.timeout(300_000)
  let folder: string
  let files: readonly FlvFile[]
  let server: RunningServer

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-director-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    const video = [
      { size: '320x240', bFrames: 2, gopFrames: 8 },
      { size: '480x272', bFrames: 3, gopFrames: 10 },
    ]
    files = await Promise.all(
      video.map((each, index) =>
        makeFlvFile(path.join(folder, `${index}.flv`), { video: each, durationSeconds: LOOP_MS / 1000 }),
      ),
    )
    server = await startServer({
      config: 'global: { plugins_dir: plugins }',
      prepare: async (place) => {
        await mkdir(path.join(place, 'plugins'))
        const page = await blocksOf('docs/plugins/moving.md', 'ts')
        await writeFile(path.join(place, 'plugins', 'director.ts'), page("name: 'director'"))
        await cp(path.join(import.meta.dirname, 'monitor.ts'), path.join(place, 'plugins', 'monitor.ts'))
      },
    })
    for (const [index, camera] of CAMERAS.entries()) {
      await LiveSource.start({ url: server.rtmp(camera), tags: files[index]!.tags, loopMs: LOOP_MS })
    }
    await waitFor(() => server.server.streams.list().length === 2, { what: 'the cameras' })
  })

  const post = (target: string, body?: unknown) =>
    server.api(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
    })
  const watching = () => server.server.streams.subscribers().filter(({ streamPath }) => streamPath === PROGRAMME)

  it('ends no connection, drops nothing, never goes back, and can be decoded', async () => {
    const flv = new FlvViewer(server.http(`/flv/${PROGRAMME}.flv`))
    const webSocket = new FlvViewer(server.ws(`/flv/${PROGRAMME}.flv`))
    const raw = new RawViewer(server.http(`/flv/${PROGRAMME}.flv`))
    const mp4 = new Mp4Viewer(server.http(`/mp4/${PROGRAMME}.mp4`))
    const rtmp = await RtmpClient.play({ url: server.rtmp(PROGRAMME) })
    const segments = await HlsFollower.start(server.http(`/hls/${PROGRAMME}/index.m3u8?format=ts`))
    const lowLatency = await HlsFollower.start(server.http(`/hls/${PROGRAMME}/index.m3u8?format=llhls`))
    expect((await post('/monitor/begin')).body.code).to.equal(0)
    const ended: string[] = []
    for (const [name, end] of Object.entries({
      flv: flv.ended,
      ws: webSocket.ended,
      mp4: mp4.ended,
      rtmp: rtmp.closed,
    })) {
      void end.then(() => ended.push(name))
    }
    await waitFor(() => flv.received.frames.length > 0 && rtmp.received.frames.length > 0 && mp4.parts.length > 0)
    const viewers = watching().length

    for (let move = 1; move <= MOVES; move++) {
      const camera = CAMERAS[move % 2]!
      expect((await post('/director/show', { camera })).body.code, `move ${move}`).to.equal(0)
      await waitFor(() => watching().every(({ sourcePath }) => sourcePath === camera), { what: `move ${move}` })
      const known = flv.received.frames.length
      await waitFor(() => flv.received.frames.length > known + 3, { what: 'media of the camera' })
    }

    expect(ended).to.eql([])
    expect(watching().map(({ dropped }) => dropped)).to.eql(Array.from({ length: viewers }, () => 0))
    for (const { received } of [flv, webSocket, rtmp]) expectOneProgramme(received.frames, files)
    expectOnward(mp4.fragments().map(({ trackId, baseDts }) => [trackId, baseDts]))
    const { data } = (await server.api('/monitor/seen')).body
    expect(data).to.include({ sources: MOVES + 1, stepsBack: 0, badStarts: 0, ended: false })

    // One muxer for all that came together, not one for each of the moves.
    const muxers = CAMERAS.map((camera) => server.server.streams.get(camera)?.fanOut.muxers.length ?? 0)
    expect(muxers[0]! + muxers[1]!).to.be.at.most(4)

    const file = path.join(folder, 'programme.flv')
    await writeFile(file, wholeTags(Buffer.concat(raw.bytes)))
    await runQuietly('ffmpeg', ['-v', 'warning', '-nostdin', '-xerror', '-an', '-i', file, ...DECODE])
    for (const hls of [segments, lowLatency]) {
      await hls.stop()
      expect(hls.problems).to.eql([])
      expect(hls.discontinuities).to.be.greaterThan(0)
    }
    expect(server.problems).to.eql([])
  })
})

/** What there is of a live FLV file up to the end of its last whole tag. */
function wholeTags(bytes: Buffer): Buffer {
  const tags = new FlvReader().push(bytes)
  return bytes.subarray(
    0,
    tags.reduce((end, { body }) => end + TAG_FRAME_BYTES + body.length, FLV_START_BYTES),
  )
}

class RawViewer extends LiveViewer {
  readonly bytes: Buffer[] = []

  protected receive(bytes: Buffer): void {
    this.bytes.push(bytes)
  }
}

/** Whether frames are runs of the sources, each without a gap and from a keyframe on, in time that never goes back. */
function expectOneProgramme(frames: readonly ReceivedFrame[], files: readonly FlvFile[]): void {
  expectOnward(frames.map(({ kind, dtsMs }) => [kind, dtsMs]))
  const pictures = frames.filter(({ kind }) => kind === 'video')
  expectOnward(pictures.filter(({ keyframe }) => keyframe).map(({ ptsMs }) => ['keyframes', ptsMs]))
  const places = new Map<string, { readonly file: number; readonly next: string | undefined }>()
  for (const [file, { frames: all }] of files.entries()) {
    const hashes = all.filter(({ kind }) => kind === 'video').map(({ md5 }) => md5)
    for (const [index, hash] of hashes.entries()) places.set(hash, { file, next: hashes[(index + 1) % hashes.length] })
  }
  let runs = 1
  let shownMs = 0
  for (const [index, { md5, ptsMs }] of pictures.entries()) {
    const place = places.get(md5)
    shownMs = Math.max(shownMs, ptsMs)
    expect(place, 'a picture of a camera').not.to.equal(undefined)
    const next = pictures[index + 1]
    if (next === undefined || next.md5 === place?.next) continue
    runs++
    expect(next.keyframe, 'a run begins with a keyframe').to.equal(true)
    expect(next.ptsMs, 'and is shown after what was there').to.be.greaterThan(shownMs)
    expect(places.get(next.md5)?.file, 'it is of the other camera').not.to.equal(place?.file)
  }
  expect(runs).to.be.within(MOVES, MOVES + 1)
}

function expectOnward(times: readonly (readonly [string | number, number])[]): void {
  const last = new Map<string | number, number>()
  for (const [kind, time] of times) {
    expect(time, `${kind}`).to.be.at.least(last.get(kind) ?? 0)
    last.set(kind, time)
  }
}
