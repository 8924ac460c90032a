import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import { serializeFlvFileHeader, serializeFlvTag } from 'sluice/sdk/media'
import { makeTestFile } from '../peers/ffmpeg.ts'
import { Nginx } from '../peers/nginx.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource } from '../support/enhanced-source.ts'
import type { EnhancedCodec } from '../support/enhanced-tags.ts'
import { readFlvFile, type FlvFile } from '../support/flv-file.ts'
import { comparable, type FlvFrames, type ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'

const FILM_SECONDS = 40
const GOP_FRAMES = 25
const FRAME_MS = 40
/** Shorter than the pauses of this test last, and longer than a busy machine lets the film wait. */
const PUBLISH_TIMEOUT_MS = 3000
const INDEXED = ['-flvflags', 'add_keyframe_index']

const pictures = (frames: readonly ReceivedFrame[]) => frames.filter(({ kind }) => kind === 'video')

describe('FLV files that are pulled', () => {
  let folder: string
  let media: string
  let server: RunningServer
  /** The pictures of the film by what they hold: their places. */
  const places = new Map<string, number>()

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    media = path.join(folder, 'media')
    await mkdir(media)
    const video = { bFrames: 2, gopFrames: GOP_FRAMES, size: '160x120' }
    const film = { video, durationSeconds: FILM_SECONDS }
    await makeTestFile({ url: path.join(media, 'indexed.flv'), ...film, output: INDEXED })
    await makeTestFile({ url: path.join(media, 'plain.flv'), ...film, output: ['-flvflags', 'no_metadata'] })
    const { frames } = await readFlvFile(path.join(media, 'plain.flv'))
    for (const { md5 } of pictures(frames)) places.set(md5, places.size)
    expect(places.size).to.equal(FILM_SECONDS * 25)
    const publish = { publishtimeout: `${PUBLISH_TIMEOUT_MS}ms` }
    const global = { subscribe: { writemerge: '0s' }, pull: { folders: [media] } }
    server = await startServer({ config: JSON.stringify({ flv: { publish }, global }) })
  })
  after(async () => {
    await server?.stop()
    if (folder) await rm(folder, { recursive: true })
  })

  const post = (route: string, body: unknown = {}) => {
    const headers = { 'content-type': 'application/json' }
    return server.api(route, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const pull = (remoteURL: string, streamPath: string, more: object = {}) =>
    post('/api/stream/pull', { remoteURL, streamPath, ...more })
  const tell = async (command: string, streamPath: string, body: unknown = {}) =>
    (await post(`/api/stream/${command}/${streamPath}`, body)).status
  const stop = async (streamPath: string) => {
    await post(`/api/stream/stop/${streamPath}`)
    await waitFor(() => server.server.streams.get(streamPath)?.publisher === undefined, { what: 'the end of the pull' })
  }

  /** A file of two seconds that ffmpeg makes. */
  async function make(name: string, video: { bFrames?: number } = {}): Promise<FlvFile> {
    const file = path.join(media, `${name}.flv`)
    await makeTestFile({ url: file, video, durationSeconds: 2 })
    return readFlvFile(file)
  }

  /** Who waits for a path before it is pulled gets all of it. */
  async function playAll(name: string, more: object, count: number): Promise<readonly ReceivedFrame[]> {
    const streamPath = `file/${name}`
    const viewer = new FlvViewer(server.http(`/flv/${streamPath}.flv?waittimeout=60s`))
    await waitFor(() => server.server.streams.subscribers(streamPath).length === 1, { what: 'the viewer' })
    expect((await pull(`${name}.flv`, streamPath, more)).body.message).to.equal('success')
    const frames = await viewer.received.wait(count)
    viewer.close()
    return frames
  }

  const itBeside = sideBySide()

  itBeside('give every frame with its time', async () => {
    const { frames } = await make('a', { bFrames: 2 })
    expect(comparable(await playAll('a', {}, frames.length))).to.eql(comparable(frames))
  })

  itBeside('give every frame of enhanced FLV, of each of its tracks', async () => {
    const source = (codec: EnhancedCodec) => makeEnhancedSource(path.join(folder, `${codec}.mp4`), codec)
    const sources = [
      await source('hvc1'),
      { ...(await source('avc1')), trackId: 1 },
      await source('Opus'),
      { ...(await source('mp4a')), trackId: 2 },
    ]
    const tags = enhancedTags(sources)
    const bytes = tags.map(({ type, timestampMs, body }) => serializeFlvTag(type, timestampMs, [body]))
    const file = path.join(media, 'enhanced.flv')
    await writeFile(file, Buffer.concat([serializeFlvFileHeader({ audio: true, video: true }), ...bytes]))
    const { frames } = await readFlvFile(file)
    const player = await RtmpClient.play({ url: server.rtmp('file/enhanced'), multitrack: true })
    await waitFor(() => server.server.streams.subscribers('file/enhanced').length === 1, { what: 'the player' })
    expect((await pull('enhanced.flv', 'file/enhanced')).body.message).to.equal('success')
    const received = await player.received.wait(frames.length)
    for (const codec of ['h265', 'h264', 'opus', 'aac']) {
      const of = (all: readonly ReceivedFrame[]) => comparable(all.filter((frame) => frame.codec === codec))
      expect(of(received), codec).to.eql(of(frames))
    }
  })

  itBeside('are repeated, and their times go on', async () => {
    const { frames } = await make('loop')
    const received = await playAll('loop', { loop: 1, speed: 0 }, 2 * frames.length)
    for (const kind of ['video', 'audio'] as const) {
      const times = received.filter((frame) => frame.kind === kind).map(({ dtsMs }) => dtsMs)
      const steps = times.slice(1).map((time, index) => time - times[index]!)
      expect(Math.min(...steps), kind).to.be.greaterThan(0)
      expect(Math.max(...steps), kind).to.be.at.most(100)
    }
    const shown = pictures(frames).map(({ md5 }) => md5)
    expect(pictures(received).map(({ md5 }) => md5)).to.eql([...shown, ...shown])
  })

  /** The place in the film of a picture. */
  function placeOf({ md5 }: ReceivedFrame): number {
    const place = places.get(md5)
    if (place === undefined) throw new Error('a picture is not of the film')
    return place
  }

  async function picture(received: FlvFrames, from: number, seconds: number): Promise<ReceivedFrame> {
    const isNear = (one: ReceivedFrame) => Math.abs(placeOf(one) - seconds * 25) <= GOP_FRAMES
    return waitFor(() => pictures(received.frames.slice(from)).find(isNear), { what: `the picture at ${seconds} s` })
  }

  /** The indexed film behind a password, and an address that leads there. */
  async function serveFilm(): Promise<string> {
    await writeFile(path.join(folder, 'users'), 'someone:{PLAIN}pa55word\n')
    const nginx = await Nginx.start(
      (port) => `server {
        listen 127.0.0.1:${port};
        root ${media};
        location = /film { return 302 /indexed.flv; }
        location /indexed.flv { auth_basic films; auth_basic_user_file ${path.join(folder, 'users')}; }
      }`,
    )
    return nginx.http('/film').replace('//', '//someone:pa55word@')
  }

  async function isSteered(name: string, address: string): Promise<void> {
    const streamPath = `film/${name}`
    const answer = await pull(address, streamPath, { protocol: 'flv' })
    expect(answer.body.message).to.equal('success')
    const viewer = new FlvViewer(server.http(`/flv/${streamPath}.flv`))
    const { received } = viewer
    await received.wait(20)

    expect(await tell('pause', streamPath)).to.equal(200)
    const since = server.server.streams.get(streamPath)?.publisher?.pausedSinceMs ?? NaN
    await waitFor(() => performance.now() - since > PUBLISH_TIMEOUT_MS + 1000, { what: 'a long pause' })
    const paused = received.frames.length
    expect(await tell('resume', streamPath)).to.equal(200)
    await received.wait(paused + 20)
    const [before, after] = [received.frames.slice(0, paused), received.frames.slice(paused)].map(pictures)
    expect(placeOf(after![0]!)).to.equal(placeOf(before!.at(-1)!) + 1)
    expect(after![0]!.dtsMs - before!.at(-1)!.dtsMs).to.be.within(1, 2 * FRAME_MS)

    for (const seconds of [30, 5, 17]) {
      const from = received.frames.length
      expect(await tell('seek', streamPath, { timeStamp: seconds })).to.equal(200)
      expect((await picture(received, from, seconds)).keyframe).to.equal(true)
    }

    const slow = received.frames.length
    expect(await tell('speed', streamPath, { speed: 2 })).to.equal(200)
    await received.wait(slow + 60)
    const fast = pictures(received.frames.slice(slow)).slice(10)
    const [one, other] = [fast[0]!, fast.at(-1)!]
    const step = (other.dtsMs - one.dtsMs) / (placeOf(other) - placeOf(one))
    expect(step).to.be.within(FRAME_MS / 2 - 2, FRAME_MS / 2 + 2)
    expect(await tell('speed', streamPath, { speed: 17 })).to.equal(400)

    const times = pictures(received.frames).map(({ dtsMs }) => dtsMs)
    expect(times).to.eql(times.toSorted((a, b) => a - b))
    viewer.close()
    await stop(streamPath)
  }

  const STEERED = 'are paused, sought in and played at another speed over the API'
  itBeside(`${STEERED}: with an index`, () => isSteered('indexed', 'indexed.flv'))
  itBeside(`${STEERED}: without metadata`, () => isSteered('plain', 'plain.flv'))
  it(`${STEERED}: on nginx`, async function () {
    requirePeer(this, 'nginx')
    await isSteered('nginx', await serveFilm())
  })

  it('are none of the server outside of its folders, and none where nothing is', async () => {
    await writeFile(path.join(folder, 'secret.flv'), 'FLV')
    await symlink(path.join(folder, 'secret.flv'), path.join(media, 'link.flv'))
    const outside = ['../secret.flv', 'link.flv', path.join(folder, 'secret.flv'), 'none.flv', 'file:///etc/none.flv']
    for (const name of outside) {
      const { status, body } = await pull(name, 'file/none')
      expect([status, body.message], name).to.deep.include(502)
      expect(body.message, name).to.match(/no such file in the folders of global\.pull\.folders/u)
    }
  })

  it('say what is wrong with them', async () => {
    await writeFile(path.join(media, 'page.flv'), '<html></html>')
    const { status, body } = await pull('page.flv', 'file/page')
    expect([status, body.message]).to.eql([502, 'the source is no FLV: FLV: a file that starts with 0x3c68746d'])
  })

  after(() => {
    const allowed = /the pull failed: (?:there is no such file|the source is no FLV)/u
    expect(server?.problems.filter(({ msg }) => !allowed.test(msg))).to.eql([])
    expect(JSON.stringify(server?.records)).not.to.include('pa55word')
  })
})
