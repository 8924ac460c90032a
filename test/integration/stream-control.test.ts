import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { makeTestFile, publish } from '../peers/ffmpeg.ts'
import { ffprobePackets } from '../peers/ffprobe.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { startServer, type ApiAnswer, type RunningServer } from '../support/server.ts'

const SECONDS = 30
const FRAME_MS = 40
const PAUSE_MS = 1500
const TCP = ['-rtsp_transport', 'tcp']

/** What operators tell a stream that is a file: to stand still, to go on, to play elsewhere and at another speed. */
describe('stream control of a file', () => {
  let folder: string
  let server: RunningServer

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-control-'))
    for (const name of ['film.mp4', 'film.ts']) {
      await makeTestFile({
        url: path.join(folder, name),
        durationSeconds: SECONDS,
        video: { bFrames: 2, size: '64x64' },
      })
    }
    const config =
      `global: { pull: { folders: ['${folder}'] } }\n` +
      `mp4: { onsub: { pull: { '^mp4/.+$': film.mp4 } } }\nhls: { onsub: { pull: { '^ts/.+$': film.ts } } }\n`
    server = await startServer({ config })
  })
  after(async () => {
    await server?.stop()
    if (folder) await rm(folder, { recursive: true })
  })

  function command(action: string, streamPath: string, body?: object): Promise<ApiAnswer> {
    const headers = { 'content-type': 'application/json' }
    return server.api(`/api/stream/${action}/${streamPath}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body ?? {}),
    })
  }

  async function info(streamPath: string): Promise<Readonly<Record<string, unknown>>> {
    return (await server.api(`/api/stream/info/${streamPath}`)).body.data as Readonly<Record<string, unknown>>
  }

  async function watch(streamPath: string): Promise<FlvViewer> {
    const viewer = new FlvViewer(server.http(`/flv/${streamPath}.flv`))
    await viewer.received.wait(30)
    return viewer
  }

  const pictures = ({ received }: FlvViewer) => received.frames.filter(({ kind }) => kind === 'video')

  /** The steps of decoding time from picture to picture. */
  function steps(viewer: FlvViewer, from = 0): number[] {
    const times = pictures(viewer)
      .slice(from)
      .map(({ dtsMs }) => dtsMs)
    return times.slice(1).map((ms, index) => ms - times[index]!)
  }

  for (const kind of ['mp4', 'ts']) {
    it(`pauses and goes on with the very next picture: ${kind}`, async () => {
      const viewer = await watch(`${kind}/pause`)
      expect((await command('pause', `${kind}/pause`)).body.code).to.equal(0)
      expect(await info(`${kind}/pause`)).to.include({ isPaused: true })
      // What was written before may still be on its way.
      const count = await waitFor(async () => {
        const before = viewer.received.frames.length
        await info(`${kind}/pause`)
        return viewer.received.frames.length === before ? before : undefined
      })
      expect((await command('resume', `${kind}/pause`)).body.code).to.equal(0)
      expect(await info(`${kind}/pause`)).to.include({ isPaused: false })
      await viewer.received.wait(count + 60)
      for (const step of steps(viewer)) expect(step).to.be.within(FRAME_MS - 3, 2 * FRAME_MS)
      viewer.close()
    })

    it(`seeks forth and back, and viewers go on at a keyframe, their times too: ${kind}`, async () => {
      const viewer = await watch(`${kind}/seek`)
      for (const timeStamp of [20, 3, 25.5]) {
        const before = viewer.received.frames.length
        expect((await command('seek', `${kind}/seek`, { timeStamp })).body.code).to.equal(0)
        await viewer.received.wait(before + 60)
        for (const step of steps(viewer)) expect(step).to.be.greaterThan(0)
      }
      viewer.close()
    })

    it(`plays faster and slower: ${kind}`, async () => {
      const viewer = await watch(`${kind}/speed`)
      expect((await command('speed', `${kind}/speed`, { speed: 2 })).body.code).to.equal(0)
      expect(await info(`${kind}/speed`)).to.include({ speed: 2 })
      const fast = pictures(viewer).length
      await viewer.received.wait(viewer.received.frames.length + 40)
      expect(
        steps(viewer, fast + 5)
          .slice(0, 20)
          .every((step) => step >= 18 && step <= 22),
      ).to.equal(true)
      await command('speed', `${kind}/speed`, { speed: 16 })
      const after = viewer.received.frames.length
      await viewer.received.wait(after + 15)
      expect(
        pictures(viewer)
          .slice(-5)
          .every(({ keyframe }) => keyframe),
      ).to.equal(true)
      expect((await command('speed', `${kind}/speed`, { speed: 17 })).status).to.equal(400)
      expect((await command('speed', `${kind}/speed`, { speed: 0.1 })).status).to.equal(400)
      viewer.close()
    })
  }

  it('keeps the viewers of each protocol over a pause, their times going on', async () => {
    const streamPath = 'mp4/all'
    const urls = [server.rtmp(streamPath), server.rtsp(streamPath), server.http(`/flv/${streamPath}.flv`)]
    const playlist = () => fetch(server.http(`/hls/${streamPath}/index.m3u8`))
    await waitFor(async () => (await playlist()).status === 200)
    const seen = urls.map((url) => ffprobePackets(url, { packets: 500, input: url.startsWith('rtsp') ? TCP : [] }))
    await waitFor(async () => Number((await info(streamPath))['subscribers']) >= urls.length)
    await command('pause', streamPath)
    // Longer than what clocks may differ by: players of RTSP get the wall clock's time, too.
    const until = performance.now() + PAUSE_MS
    while (performance.now() < until) expect((await playlist()).status).to.equal(200)
    expect(Number((await info(streamPath))['subscribers'])).to.be.at.least(urls.length)
    await command('resume', streamPath)
    for (const [index, packets] of (await Promise.all(seen)).entries()) {
      const times = packets.flatMap(({ kind, dtsMs }) => (kind === 'video' ? (dtsMs ?? []) : []))
      for (const [at, ms] of times.entries()) expect(ms - (times[at - 1] ?? ms), urls[index]).to.be.within(0, 120)
    }
    expect((await playlist()).status).to.equal(200)
  })

  it('ends what is paused longer than publish.pausetimeout', async () => {
    const short = "publish: { pausetimeout: 500ms }, onsub: { pull: { '^mp4/.+$': film.mp4 } }"
    const other = await startServer({ config: `global: { pull: { folders: ['${folder}'] } }\nmp4: { ${short} }` })
    const viewer = new FlvViewer(other.http('/flv/mp4/short.flv'))
    await viewer.received.wait(10)
    await other.api('/api/stream/pause/mp4/short', { method: 'POST' })
    await waitFor(() => other.records.some(({ msg }) => msg === 'the pull has ended'))
    viewer.close()
    await other.stop()
  })

  it('says what a live stream is not able to', async () => {
    const source = publish({ url: server.rtmp('live/a'), durationSeconds: 30 })
    await waitFor(async () => (await server.api('/api/stream/info/live/a')).body.code === 0)
    for (const [action, body] of [
      ['pause', undefined],
      ['resume', undefined],
      ['speed', { speed: 2 }],
      ['seek', { timeStamp: 1 }],
    ] as const) {
      const answer = await command(action, 'live/a', body)
      expect([answer.status, answer.body.message], action).to.eql([501, answer.body.message])
      expect(answer.body.message).to.match(/cannot be paused|sent at one speed|cannot be sought in/u)
    }
    source.signal('SIGKILL')
    await source.exit
  })

  it('lets nobody be paused where there is nobody, and finds no such stream else', async () => {
    for (const action of ['pause', 'resume']) expect((await command(action, 'no/one')).body.code).to.equal(0)
    expect((await command('speed', 'no/one', { speed: 2 })).status).to.equal(404)
    expect((await command('seek', 'no/one', { timeStamp: 2 })).status).to.equal(404)
  })
})
