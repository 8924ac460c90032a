import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { FlvFrames, type ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { Mp4Viewer } from '../support/mp4-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { PLUGINS_FOLDER } from '../../core/package-root.ts'
import { PluginFolder } from '../../core/host/testing/plugin-folder.ts'

const FILM_SECONDS = 60
const GOP_FRAMES = 25
const FRAME_MS = 40
/** Shorter than the pauses of this test last, and longer than a busy machine lets the film wait. */
const PUBLISH_TIMEOUT_MS = 3000
const FILE = new URL('films.ts', import.meta.url)

describe('a film of each viewer’s own', () => {
  let folder: string
  /** The pictures of the film by what they hold: their places. */
  const places = new Map<string, number>()
  let server: RunningServer

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'films-'))
    await mkdir(folder, { recursive: true })
    const video = { bFrames: 2, gopFrames: GOP_FRAMES, size: '160x120' }
    const { tags } = await makeFlvFile(path.join(folder, 'holiday.flv'), { video, durationSeconds: FILM_SECONDS })
    const film = new FlvFrames()
    for (const tag of tags) film.push(tag)
    for (const { kind, md5 } of film.frames) if (kind === 'video') places.set(md5, places.size)
    expect(places.size).to.equal(FILM_SECONDS * 25)
  })

  after(() => rm(folder, { recursive: true, force: true }))

  beforeEach(async () => {
    const plugins = await PluginFolder.create()
    keep({ close: () => plugins.remove() })
    await plugins.write('films.ts', await readFile(FILE, 'utf8'))
    const publish = { publishtimeout: `${PUBLISH_TIMEOUT_MS}ms` }
    const config = JSON.stringify({ films: { folder, publish }, global: { subscribe: { writemerge: '0s' } } })
    server = await startServer({ config, pluginFolders: [PLUGINS_FOLDER, plugins.path] })
  })

  const tell = async (command: string, streamPath: string, body: unknown = {}) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await server.api(`/api/stream/${command}/${streamPath}`, init)).status
  }
  const publisherOf = (streamPath: string) => server.server.streams.get(streamPath)?.publisher
  const pictures = (frames: readonly ReceivedFrame[]) => frames.filter(({ kind }) => kind === 'video')

  /** The place in the film of a picture. */
  function placeOf({ md5 }: ReceivedFrame): number {
    const place = places.get(md5)
    if (place === undefined) throw new Error('a picture is not of the film')
    return place
  }

  /** Resolves with the first picture that comes after what was there and is what is waited for. */
  async function picture(
    received: FlvFrames,
    from: number,
    isWanted: (place: number) => boolean,
    what: string,
  ): Promise<ReceivedFrame> {
    return waitFor(() => pictures(received.frames.slice(from)).find((one) => isWanted(placeOf(one))), { what })
  }

  /** No time goes back, and no picture lacks one that it needs. */
  function expectWhole(frames: readonly ReceivedFrame[]): void {
    const last: Partial<Record<ReceivedFrame['kind'], number>> = {}
    let place: number | undefined
    for (const frame of frames) {
      expect(frame.dtsMs, `${frame.kind} after ${last[frame.kind]}`).to.be.at.least(last[frame.kind] ?? 0)
      last[frame.kind] = frame.dtsMs
      if (frame.kind === 'audio') continue
      if (!frame.keyframe) expect(placeOf(frame), 'the place of a picture').to.equal((place ?? -2) + 1)
      place = placeOf(frame)
    }
  }

  async function pausedLongerThanPublishTimeout(streamPath: string): Promise<void> {
    const since = publisherOf(streamPath)?.pausedSinceMs ?? NaN
    await waitFor(() => performance.now() - since > PUBLISH_TIMEOUT_MS + 1000, { what: 'a long pause' })
    expect(publisherOf(streamPath)?.pausedSinceMs).to.equal(since)
  }

  it('is commanded over the API while HTTP-FLV plays it', async () => {
    const streamPath = 'vod_1/holiday'
    const viewer = new FlvViewer(server.http(`/flv/${streamPath}.flv`))
    const { received } = viewer
    await received.wait(20)

    expect(await tell('pause', streamPath)).to.equal(200)
    const info = async () => (await server.api(`/api/stream/info/${streamPath}`)).body.data
    expect(await info()).to.include({ isPaused: true, speed: 1 })
    await pausedLongerThanPublishTimeout(streamPath)
    const paused = received.frames.length
    expect(await tell('resume', streamPath)).to.equal(200)
    await received.wait(paused + 20)
    expect(await info()).to.include({ isPaused: false })
    const [before, after] = [
      pictures(received.frames.slice(0, paused)).at(-1),
      pictures(received.frames.slice(paused))[0],
    ]
    expect(placeOf(after!)).to.equal(placeOf(before!) + 1)
    expect(after!.dtsMs - before!.dtsMs).to.be.within(1, 2 * FRAME_MS)

    for (const seconds of [40, 5]) {
      const from = received.frames.length
      expect(await tell('seek', streamPath, { timeStamp: seconds })).to.equal(200)
      const first = await picture(
        received,
        from,
        (place) => Math.abs(place - seconds * 25) <= GOP_FRAMES,
        `${seconds} s`,
      )
      expect(first.keyframe).to.equal(true)
    }

    const slow = received.frames.length
    expect(await tell('speed', streamPath, { speed: 2 })).to.equal(200)
    await received.wait(slow + 60)
    const fast = pictures(received.frames.slice(slow)).slice(10)
    const [one, other] = [fast[0]!, fast.at(-1)!]
    expect((other.dtsMs - one.dtsMs) / (placeOf(other) - placeOf(one))).to.be.within(FRAME_MS / 2 - 2, FRAME_MS / 2 + 2)
    expect(await info()).to.include({ speed: 2 })

    const from = received.frames.length
    const seeks = Array.from({ length: 50 }, (_, index) => tell('seek', streamPath, { timeStamp: (index * 37) % 50 }))
    expect(new Set(await Promise.all(seeks))).to.eql(new Set([200]))
    await received.wait(from + 50)

    expect(await tell('speed', streamPath, { speed: 99 })).to.equal(400)
    expectWhole(received.frames)
    expect(publisherOf(streamPath)).to.not.equal(undefined)
    viewer.close()
    await waitFor(() => publisherOf(streamPath) === undefined, { what: 'the end of the stream' })
    expect(server.problems).to.eql([])
  })

  it('is paused and sought in by an RTMP player', async () => {
    const streamPath = 'vod_2/holiday'
    const player = await RtmpClient.play({ url: server.rtmp(streamPath) })
    const { received } = player
    await received.wait(20)
    player.tell('pause', true, 0)
    await player.waitForStatus('NetStream.Pause.Notify')
    await pausedLongerThanPublishTimeout(streamPath)
    const paused = received.frames.length
    player.tell('pause', false, 0)
    await player.waitForStatus('NetStream.Unpause.Notify')
    await received.wait(paused + 20)
    const [before, after] = [
      pictures(received.frames.slice(0, paused)).at(-1),
      pictures(received.frames.slice(paused))[0],
    ]
    expect(placeOf(after!)).to.equal(placeOf(before!) + 1)
    for (const seconds of [30, 3]) {
      const from = received.frames.length
      player.tell('seek', seconds * 1000)
      await picture(received, from, (place) => Math.abs(place - seconds * 25) <= GOP_FRAMES, `${seconds} s`)
    }
    expect(player.statuses.filter((code) => code === 'NetStream.Seek.Notify')).to.have.length(2)
    player.tell('seek', (FILM_SECONDS - 1) * 1000)
    await player.waitForStatus('NetStream.Play.Stop')
    expectWhole(received.frames)
    expect(pictures(received.frames).map(placeOf).at(-1)).to.equal(places.size - 1)
    await waitFor(() => publisherOf(streamPath) === undefined, { what: 'the end of the stream' })
    expect(server.problems).to.eql([])
  })

  it('goes on in live MP4 over pauses and seeks, and each viewer has one of its own', async () => {
    const viewers = [3, 4].map((id) => new Mp4Viewer(server.http(`/mp4/vod_${id}/holiday.mp4`)))
    await Promise.all(viewers.map((viewer) => viewer.wait(20)))
    await tell('pause', 'vod_3/holiday')
    await pausedLongerThanPublishTimeout('vod_3/holiday')
    const [mine, theirs] = viewers.map((viewer) => viewer.pictures().length)
    await viewers[1]!.wait(viewers[1]!.fragments().length + 10)
    expect(viewers[1]!.pictures().length).to.be.greaterThan(theirs!)
    await tell('seek', 'vod_3/holiday', { timeStamp: 50 })
    await tell('resume', 'vod_3/holiday')
    await waitFor(() => viewers[0]!.pictures().length > mine! + 10, { what: 'pictures after the pause' })
    const shown = viewers[0]!.pictures()
    expect(shown[mine!]?.keyframe).to.equal(true)
    const steps = shown.slice(1).map(({ baseDts }, index) => baseDts - shown[index]!.baseDts)
    expect(Math.min(...steps)).to.be.greaterThan(0)
    for (const viewer of viewers) viewer.close()
    await waitFor(() => server.server.streams.list().length === 0, { what: 'the end of the streams' })
    expect(server.problems).to.eql([])
  })

  it('is not there where there is no such file, and a live stream is not commanded', async () => {
    const missing = new FlvViewer(server.http('/flv/vod_5/none.flv?waittimeout=100ms'))
    expect(await missing.status).to.equal(404)
    expect(await tell('pause', 'live/none')).to.equal(200)
    expect(await tell('seek', 'live/none', { timeStamp: 1 })).to.equal(404)
  })

  it('is the plugin of docs/plugins/control.md', async () => {
    const block = await blocksOf('docs/plugins/control.md', 'ts')
    expect(block("name: 'films'")).to.equal(await readFile(FILE, 'utf8'))
  })
})
