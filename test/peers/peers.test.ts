import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openChromium } from './chromium.ts'
import { framemd5, makeTestFile } from './ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from './ffprobe.ts'
import { PeerProcess, runPeer } from './process.ts'
import { requirePeer } from './require-peer.ts'
import { waitFor } from './wait-for.ts'

describe('peers: ffmpeg', () => {
  let folder: string
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  it('makes the same source each time, and shows its packets', async () => {
    const video = { bFrames: 2, gopFrames: 10 }
    const urls = ['a.flv', 'b.flv'].map((name) => join(folder, name))
    for (const url of urls) await makeTestFile({ url, video, durationSeconds: 1 })
    const [first = [], second] = await Promise.all(urls.map((url) => ffprobePackets(url)))
    expect(first).to.eql(second)
    const pictures = first.filter((packet) => packet.kind === 'video')
    expect(pictures).to.have.length(25)
    expect(pictures.filter((packet) => packet.keyframe)).to.have.length(3)
    expect(pictures.some((packet) => packet.ptsMs !== packet.dtsMs)).to.equal(true)
    expect(new Set(pictures.map((packet) => packet.md5)).size).to.equal(25)
  })

  it('makes video or audio alone', async () => {
    const url = join(folder, 'audio.flv')
    await makeTestFile({ url, video: false, durationSeconds: 1 })
    expect((await ffprobeStreams(url)).map(({ codec, sampleRate }) => [codec, sampleRate])).to.eql([['aac', 44_100]])
    await makeTestFile({ url, audio: false, video: { fps: '24000/1001' }, durationSeconds: 1 })
    expect((await ffprobeStreams(url)).map(({ codec, width }) => [codec, width])).to.eql([['h264', 320]])
    expect(await ffprobePackets(url)).to.have.length(24)
  })

  it('hashes decoded frames and packets', async () => {
    const url = join(folder, 'frames.flv')
    await makeTestFile({ url, audio: false, video: { bFrames: 2 }, durationSeconds: 1 })
    const frames = await framemd5(url)
    expect(frames).to.have.length(25)
    expect(frames.every((frame) => frame.sizeBytes === (320 * 240 * 3) / 2)).to.equal(true)
    expect(await framemd5(url, { decode: false, videoFrames: 5 })).to.have.length(5)
  })

  it('fails with what ffmpeg says', async () => {
    const error: unknown = await ffprobePackets(join(folder, 'nothing.flv')).catch((cause: unknown) => cause)
    expect(error).to.be.an('error').with.property('message').that.includes('No such file')
  })

  it('fails with what ffmpeg goes on after', async () => {
    const url = join(folder, 'hole.ts')
    await makeTestFile({ url, audio: false, durationSeconds: 1 })
    const bytes = await readFile(url)
    const half = Math.floor(bytes.length / 2 / 188) * 188
    await writeFile(url, Buffer.concat([bytes.subarray(0, half), bytes.subarray(half + 188)]))
    const error: unknown = await ffprobePackets(url).catch((cause: unknown) => cause)
    expect(error)
      .to.be.an('error')
      .with.property('message')
      .that.matches(/complained:\n.*corrupt/u)
  })
})

describe('peers: processes', () => {
  it('end with the test, stopped or not', async () => {
    const peer = new PeerProcess(process.execPath, ['-e', 'console.error("up"); setInterval(() => {}, 1000)'])
    await peer.waitForStderr('up')
    peer.signal('SIGSTOP')
    await peer.close()
    expect(peer.exited).to.eql({ code: null, signal: 'SIGTERM' })
  })

  it('that cannot be started say so', async () => {
    const error: unknown = await runPeer('/no/such/program', []).catch((cause: unknown) => cause)
    expect(error).to.be.an('error').with.property('message').that.includes('ENOENT')
  })

  it('that take too long are killed', async () => {
    const waiting = runPeer(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], 100)
    const error: unknown = await waiting.catch((cause: unknown) => cause)
    expect(error).to.be.an('error').with.property('message').that.includes('SIGKILL')
  })
})

describe('waitFor', () => {
  it('gives what the condition came to', async () => {
    let calls = 0
    expect(await waitFor(() => (++calls < 3 ? null : calls))).to.equal(3)
  })

  it('says what it waited for, and why it was not so', async () => {
    const broken = () => {
      throw new Error('broken')
    }
    const error: unknown = await waitFor(broken, { timeoutMs: 50, what: 'nothing' }).catch((cause: unknown) => cause)
    expect(error).to.be.an('error').with.property('message', 'waited 50 ms for nothing')
    expect(error).to.have.property('cause').with.property('message', 'broken')
  })
})

describe('peers: chromium', () => {
  it('opens a page', async function () {
    requirePeer(this, 'chromium')
    const server = createServer((_, response) => response.end('<title>here</title>')).listen(0, '127.0.0.1')
    const browser = await openChromium()
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    expect(await page.title()).to.equal('here')
    await browser.close()
    server.close()
  })
})
