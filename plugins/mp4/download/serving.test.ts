import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:http2'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { definePlugin } from 'sluice/sdk'
import { sendRanged } from 'sluice/sdk/http'
import { createTestServer, type TestServer } from 'sluice/testing'
import { openChromium } from '../../../test/peers/chromium.ts'
import { framemd5 } from '../../../test/peers/ffmpeg.ts'
import { freePort } from '../../../test/peers/free-port.ts'
import { findProgram } from '../../../test/peers/peers.ts'
import { runPeer } from '../../../test/peers/process.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { prepareFmp4, prepareMp4 } from './download.ts'
import { CountedSource, cutOff, makeRecording, readAll } from './fixtures/recordings.ts'
import type { VirtualFile } from './virtual-file.ts'

describe('downloads over HTTP', () => {
  let folder: string
  let server: TestServer<unknown>
  let files: Record<string, VirtualFile>
  let sources: CountedSource[]
  let whole: Buffer
  let tlsPort: number
  const at = (name: string) => path.join(folder, name)
  const url = (name = 'film.mp4') => `${server.origin}/films/${name}`
  const areClosed = () =>
    waitFor(() => sources.every(({ openNow }) => openNow === 0), { what: 'the files to be closed' })

  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-serving-'))
    await makeRecording(at('a.mp4'), { seconds: 10, size: '640x480', gopFrames: 50 })
    await makeRecording(at('b.mp4'), { seconds: 10, size: '640x480', gopFrames: 50 })
    await makeRecording(at('shrinking.mp4'), { seconds: 3, size: '640x480' })
    const films = definePlugin({
      name: 'films',
      version: '1.0.0',
      setup({ http }) {
        const config = { access: 'public' } as const
        http.get('/page', { config }, (_, reply) => reply.type('text/html').send('<video muted></video>'))
        http.get<{ Params: { name: string } }>('/:name', { config }, (request, reply) =>
          sendRanged(reply, files[request.params.name]!, { fileName: 'Ein Film.mp4' }),
        )
      },
    })
    tlsPort = await freePort()
    const addresses = { listenaddr: '127.0.0.1:0', listenaddrtls: `127.0.0.1:${tlsPort}` }
    server = await createTestServer(films, { config: { http: addresses } })
  })
  beforeEach(async () => {
    sources = [new CountedSource(at('a.mp4')), new CountedSource(at('b.mp4'), 10_000)]
    files = {
      'film.mp4': (await prepareMp4(sources)).file,
      'film.fmp4': (await prepareFmp4(sources)).file,
    }
    whole = await readAll(files['film.mp4']!)
  })
  after(async () => {
    await server?.stop()
    if (folder) await rm(folder, { recursive: true })
  })

  it('are saved by curl, which goes on where it was broken off', async function () {
    const curl = findProgram('curl')
    if (curl === undefined) return this.skip()
    await writeFile(at('saved.mp4'), whole.subarray(0, 100_001))
    await runPeer(curl, ['-sS', '--fail', '-C', '-', '-o', at('saved.mp4'), url()])
    expect((await readFile(at('saved.mp4'))).equals(whole)).to.equal(true)
    await runPeer(curl, ['-sS', '--fail', '-J', '-O', '--output-dir', folder, url()])
    expect((await readFile(at('Ein Film.mp4'))).equals(whole)).to.equal(true)
    await areClosed()
  })

  for (const name of ['film.mp4', 'film.fmp4']) {
    it(`are read and sought in by ffmpeg: ${name}`, async () => {
      const pictures = async (input: readonly string[], videoFrames: number) =>
        (await framemd5(url(name), { input, videoFrames })).filter(({ stream }) => stream === 0).map(({ md5 }) => md5)
      const all = await pictures([], 500)
      expect(all).to.have.length(500)
      for (const seconds of [14, 4]) {
        const found = await pictures(['-ss', `${seconds}`], 25)
        const index = all.indexOf(found[0]!, 25 * seconds - 10)
        // The second file begins where the sound of the first ends.
        expect(index).to.be.within(25 * seconds - 2, 25 * seconds)
        expect(found).to.eql(all.slice(index, index + 25))
      }
      await areClosed()
    })
  }

  it('play in Chromium, which seeks', async function () {
    requirePeer(this, 'chromium')
    const browser = await openChromium()
    const page = await browser.newPage()
    await page.goto(url('page'))
    type Shown = {
      readonly duration: number
      readonly at: number
      readonly error: string | null
      readonly width: number
    }
    const seek = (seconds: number) =>
      page.evaluate<Shown>(`new Promise((resolve) => {
        const video = document.querySelector('video')
        const told = () => resolve({
          duration: video.duration, at: video.currentTime, width: video.videoWidth, error: video.error && video.error.message,
        })
        video.onerror = told
        video.onseeked = () => video.requestVideoFrameCallback(told)
        if (video.src === '') video.src = ${JSON.stringify(url())}
        video.play()
        video.currentTime = ${seconds}
      })`)
    for (const seconds of [17, 3, 12.5]) {
      const { duration, at: shownAt, error, width } = await seek(seconds)
      expect(error).to.equal(null)
      expect(duration).to.be.closeTo(20, 0.1)
      expect(shownAt).to.be.within(seconds, seconds + 2)
      expect(width).to.equal(640)
    }
    await browser.close()
    await areClosed()
  })

  it('are had over HTTP/2, whole and in parts', async () => {
    const session = connect(`https://127.0.0.1:${tlsPort}`, { rejectUnauthorized: false })
    const ask = async (headers: Record<string, string>) => {
      const stream = session.request({ ':path': '/films/film.mp4', ...headers })
      const [answer] = await once(stream, 'response')
      const pieces: Buffer[] = []
      for await (const piece of stream) pieces.push(piece as Buffer)
      return { answer: answer as Record<string, unknown>, bytes: Buffer.concat(pieces) }
    }
    const all = await ask({})
    expect(all.answer).to.include({ ':status': 200, 'content-length': String(whole.length), 'accept-ranges': 'bytes' })
    expect(all.bytes.equals(whole)).to.equal(true)
    const part = await ask({ range: 'bytes=1000-500000' })
    expect(part.answer).to.include({ ':status': 206, 'content-range': `bytes 1000-500000/${whole.length}` })
    expect(part.bytes.equals(whole.subarray(1000, 500_001))).to.equal(true)
    const head = await ask({ ':method': 'HEAD' })
    expect(head.answer).to.include({ ':status': 200, 'content-length': String(whole.length) })
    const left = session.request({ ':path': '/films/film.mp4' })
    await once(left, 'response')
    left.close()
    await areClosed()
    session.destroy()
  })

  it('close their files when a client leaves midway, and read no further than it takes', async () => {
    const large = new CountedSource(at('a.mp4'))
    const readBytes = { count: 0 }
    const times = Array.from({ length: 100 }, (_, index) => ({
      startMs: index * 1e4,
      async open() {
        const bytes = await large.open()
        const read = async (offset: number, sizeBytes: number) => {
          readBytes.count += sizeBytes
          return bytes.read(offset, sizeBytes)
        }
        return {
          sizeBytes: bytes.sizeBytes,
          read,
          close: () => bytes.close(),
        }
      },
    }))
    files['film.mp4'] = (await prepareMp4(times)).file
    expect(files['film.mp4'].sizeBytes).to.be.above(50_000_000)
    readBytes.count = 0
    const leaving = new AbortController()
    const answer = await fetch(url(), { signal: leaving.signal })
    const reader = answer.body!.getReader()
    await reader.read()
    // What the sockets of both sides hold.
    let last = -1
    await waitFor(() => readBytes.count === last || ((last = readBytes.count), false), { intervalMs: 500 })
    expect(readBytes.count).to.be.below(30_000_000)
    expect(large.openNow).to.equal(1)
    leaving.abort()
    await waitFor(() => large.openNow === 0)
    expect(server.problems.filter(({ plugin }) => plugin === 'films')).to.eql([])
  })

  it('end before their time when a source becomes shorter, so that a client sees it', async () => {
    const source = new CountedSource(at('shrinking.mp4'), 0, { fromMs: 0 })
    files['film.mp4'] = (await prepareMp4([source])).file
    await cutOff(at('shrinking.mp4'), 30_000)
    const answer = await fetch(url())
    const ended = await answer.arrayBuffer().then(
      () => 'whole',
      () => 'broken',
    )
    expect([answer.status, ended]).to.eql([200, 'broken'])
    await waitFor(() => source.openNow === 0)
  })
})
