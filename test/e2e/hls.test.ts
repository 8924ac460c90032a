import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { expect } from 'chai'
import { openChromium } from '../peers/chromium.ts'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource, type EnhancedSource } from '../support/enhanced-source.ts'
import type { EnhancedCodec } from '../support/enhanced-tags.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { HlsPages, type HlsPage, type HlsPageState } from '../support/hls-page.ts'
import { LiveSource } from '../support/live-source.ts'
import { numberedPictures, READ_PICTURE_NUMBER } from '../support/picture-clock.ts'
import { startServer, type RunningServer } from '../support/server.ts'

/** What low-latency HLS is held to, from the publisher to the picture. */
const MAX_LATENCY_SECONDS = 2.5
/** What hls.js does not catch up by playing faster. */
const FAR_SECONDS = 3.5
/** Of numbered pictures. */
const PICTURE_MS = 40
/** Numbers are unmistakable for so long, which no player is behind. */
const NUMBERED_SECONDS = 20
/** Of the sources that go round. */
const LOOP_MS = 2000

describe('hls.js in Chromium', function () {
  // Each wait for a page has two minutes.
  this.timeout(360_000)
  let server: RunningServer
  /** Players of whole segments begin three of them behind. */
  let quick: RunningServer
  let pages: HlsPages
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'chromium')
    server = await startServer()
    quick = await startServer({ config: 'hls: { fragment: 1s }\n' })
    pages = await HlsPages.start(await openChromium())
  })

  function open(target: string, query = ''): Promise<HlsPage> {
    return pages.open(server.http(`/hls/${target}/index.m3u8${query}`))
  }

  function tell(name: string, seconds: Readonly<Record<string, number>>): void {
    const parts = Object.entries(seconds).map(([what, value]) => `${what} ${value.toFixed(2)} s`)
    process.stdout.write(`    ${name} behind by: ${parts.join(', ')}\n`)
  }

  /** Shows numbered pictures by low-latency HLS, and waits until they are shown in time by all three clocks. */
  async function showClock(bFrames: number): Promise<void> {
    const target = `live/clock-${bFrames}`
    const file = path.join(server.folder, `clock-${bFrames}.flv`)
    const { tags } = await makeFlvFile(
      file,
      numberedPictures({ durationSeconds: NUMBERED_SECONDS, video: { bFrames } }),
    )
    const source = await LiveSource.start({ url: server.rtmp(target), tags, loopMs: NUMBERED_SECONDS * 1000 })
    // A player that a busy machine has held up catches up, unlike by its defaults, and goes to the end where that is far.
    const url = server.http(`/hls/${target}/index.m3u8`)
    const page = await pages.open(url, { maxLiveSyncPlaybackRate: 2, liveSyncOnStallIncrease: 0 })
    await page.run(`hls.on(Hls.Events.LEVEL_UPDATED, () => {
      if (hls.latency > ${FAR_SECONDS}) video.currentTime = hls.liveSyncPosition
    })`)
    await page.playsOn(1)
    const { parts, latencySeconds, behindSeconds } = await page.until(
      `less than ${MAX_LATENCY_SECONDS} s`,
      (state) => Math.max(state.latencySeconds, state.behindSeconds) < MAX_LATENCY_SECONDS,
    )
    expect(parts).to.equal(true)
    // One that is shown before it was made would be nearly a round old.
    const age = `(Date.now() - ${source.startMs} - ${READ_PICTURE_NUMBER} * ${PICTURE_MS}) / 1000 % ${NUMBERED_SECONDS}`
    const pictureSeconds = await waitFor(async () => {
      const seconds = await page.run<number>(age)
      return seconds < MAX_LATENCY_SECONDS && seconds
    })
    expect(pictureSeconds).to.be.above(0)
    tell(`${bFrames} B-frames`, { player: latencySeconds, date: behindSeconds, picture: pictureSeconds })
    source.close()
    await page.close()
  }

  it('shows pictures in time by low-latency HLS', () => Promise.all([0, 2].map(showClock)))

  it('plays H.264 and AAC as fmp4 and ts, by whole segments', async () => {
    const target = 'live/plain'
    const publisher = publish({ url: quick.rtmp(target), durationSeconds: 600, video: { bFrames: 2 } })
    const playing = ['fmp4', 'ts'].map(async (format) => {
      const page = await pages.open(quick.http(`/hls/${target}/index.m3u8?format=${format}`))
      await page.playsOn(3, 60)
      const isShown = ({ dropped, frames }: HlsPageState) => dropped < frames / 2
      const { parts, latencySeconds, behindSeconds } = await page.until('most pictures', isShown)
      expect(parts).to.equal(false)
      tell(format, { player: latencySeconds, date: behindSeconds })
      await page.close()
    })
    await Promise.all(playing)
    await publisher.close()
  })

  async function source(codec: EnhancedCodec, trackId?: number): Promise<EnhancedSource> {
    // Several at once make their own.
    const made = await makeEnhancedSource(path.join(server.folder, `${randomUUID()}.mp4`), codec)
    return trackId === undefined ? made : { ...made, trackId }
  }

  function start(target: string, sources: readonly EnhancedSource[]): Promise<LiveSource> {
    const init = { url: server.rtmp(target), multitrack: true, loopMs: LOOP_MS }
    return LiveSource.start({ ...init, tags: enhancedTags(sources) })
  }

  async function playAv1(): Promise<void> {
    const live = await start('live/av1', await Promise.all([source('av01'), source('Opus')]))
    const page = await open('live/av1')
    await page.playsOn(3, 60)
    const { codecs, parts, latencySeconds, behindSeconds } = await page.until(
      'sound',
      ({ soundBytes }) => soundBytes > 0,
    )
    expect(codecs).to.include('av01').and.match(/opus/iu)
    expect(parts).to.equal(true)
    tell('AV1', { player: latencySeconds, date: behindSeconds })
    live.close()
    await page.close()
  }

  async function playSoundAlone(): Promise<void> {
    const live = await start('live/sound', [await source('mp4a')])
    const playing = ['llhls', 'fmp4', 'ts'].map(async (format) => {
      const page = await open('live/sound', `?format=${format}`)
      const { soundBytes } = await page.playsOn(1)
      await page.until('more sound', (state) => state.soundBytes > soundBytes)
      await page.close()
    })
    await Promise.all(playing)
    live.close()
  }

  async function switchSound(): Promise<void> {
    const live = await start('live/tracks', await Promise.all([source('avc1'), source('mp4a'), source('mp4a', 2)]))
    const page = await open('live/tracks')
    const before = await page.playsOn(1)
    expect(before.audioTracks).to.have.length(2)
    const asked: string[] = []
    page.page.on('response', (response) => void asked.push(`${response.status()} ${response.url()}`))
    await page.run(`hls.audioTrack = ${1 - before.audioTrack}`)
    await waitFor(() => asked.some((answer) => /^200 .*-audio2-.*\.m4s/u.test(answer)), { what: 'the other track' })
    const { timeSeconds, soundBytes } = await page.state()
    const isHeard = (state: HlsPageState) =>
      state.timeSeconds > timeSeconds + 2 && state.soundBytes > soundBytes && state.audioTrack !== before.audioTrack
    await page.until('its sound', isHeard)
    live.close()
    await page.close()
  }

  it('plays AV1 with Opus, sound alone, and one and the other of two audio tracks', () =>
    Promise.all([playAv1(), playSoundAlone(), switchSound()]))

  after(() => expect([server, quick].map((running) => running?.problems)).to.eql([[], []]))
})
