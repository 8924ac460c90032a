import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { signatureQuery } from '../gates/signing.ts'
import { openChromium } from '../peers/chromium.ts'
import { framemd5, publish } from '../peers/ffmpeg.ts'
import { ffprobeStreams } from '../peers/ffprobe.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { HlsPages } from '../support/hls-page.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const KEY = 's3cret'
/** The window is long enough for a player to which a busy machine gives little time. */
const CONFIG = `
hls:
  fragment: 1s
  window: 60
  enableauth: true
  subscribe: { key: ${KEY} }
`
const TARGET = 'live/guarded'
const FORMATS = ['llhls', 'fmp4', 'ts'] as const
/** Two seconds of pictures: more than a segment. */
const PICTURES = 50
/** Of one picture, as I420. */
const PICTURE_SIZE_BYTES = (320 * 240 * 3) / 2

/** An answer as Chromium's network saw it. */
type SeenAnswer = { readonly url: string; readonly status: number; readonly protocol: string }

async function watchNetwork(page: Page): Promise<readonly SeenAnswer[]> {
  const seen: SeenAnswer[] = []
  const session = await page.context().newCDPSession(page)
  session.on('Network.responseReceived', ({ response }) => {
    const { url, status, protocol = '' } = response
    if (new URL(url).pathname.startsWith('/hls/')) seen.push({ url, status, protocol })
  })
  await session.send('Network.enable')
  return seen
}

describe('HLS behind a signature', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG, env: { SLUICE_GLOBAL_HTTP_LISTENADDRTLS: '127.0.0.1:0' } })
    publish({ url: server.rtmp(TARGET), durationSeconds: 600, video: { bFrames: 2 } })
    await waitFor(() => server.server.streams.get(TARGET))
  })

  function http(format: string, query = signatureQuery(KEY, TARGET)): string {
    return server.http(`/hls/${TARGET}/index.m3u8?format=${format}&${query}`)
  }

  function https(format: string): string {
    const url = new URL(http(format))
    url.protocol = 'https:'
    url.port = String(server.httpsPort)
    return url.href
  }

  describe('in Chromium', () => {
    let pages: HlsPages
    before(async function () {
      requirePeer(this, 'chromium')
      pages = await HlsPages.start(await openChromium())
    })

    /** Plays it, and looks at each request. */
    async function play(format: string, address: string, protocol: string): Promise<void> {
      const page = await pages.prepare()
      const seen = await watchNetwork(page.page)
      await pages.play(page, address)
      const { parts } = await page.playsOn(3, 60)
      expect(parts).to.equal(format === 'llhls')
      await waitFor(() => seen.length > 4, { what: 'requests' })
      await page.close()
      for (const answer of seen) {
        expect(answer).to.include({ status: 200, protocol })
        expect(answer.url).to.match(/[?&]secret=[0-9a-f]{32}&expire=[0-9a-f]+/u)
      }
    }

    it('is played by HTTP/1.1 and HTTP/2, and all requests carry the query', async () => {
      const plain = FORMATS.map((format) => play(format, http(format), 'http/1.1'))
      const secure = FORMATS.map((format) => play(format, https(format), 'h2'))
      await Promise.all([...plain, ...secure])
    })

    it('is not shown without the query, or with that of another path', async () => {
      for (const query of ['', signatureQuery(KEY, 'live/other')]) {
        const page = await pages.prepare()
        const seen = await watchNetwork(page.page)
        await pages.play(page, http('llhls', query))
        const { frames, errors } = await waitFor(async () => {
          const state = await page.state()
          return state.errors.length > 0 && seen.length > 0 && state
        })
        expect(frames).to.equal(0)
        expect(errors[0]).to.match(/manifestLoadError.* 401$/u)
        expect(seen.map(({ status }) => status)).to.eql([401])
        await page.close()
      }
    })
  })

  it('is read by ffmpeg and ffprobe over https', async () => {
    const reading = FORMATS.map(async (format) => {
      const [streams, pictures] = await Promise.all([
        ffprobeStreams(https(format)),
        framemd5(https(format), { videoFrames: PICTURES }),
      ])
      expect(streams.map(({ codec }) => codec).toSorted()).to.eql(['aac', 'h264'])
      expect(pictures.filter(({ sizeBytes }) => sizeBytes === PICTURE_SIZE_BYTES)).to.have.length(PICTURES)
    })
    await Promise.all(reading)
  })

  it('is played by GStreamer, the older and the newer way', async function () {
    requirePeer(this, 'gstreamer')
    const playing = ['fmp4', 'ts'].flatMap((format) => [
      decode(['souphttpsrc', `location=${http(format)}`, '!', 'hlsdemux', '!', 'decodebin']),
      decode(['uridecodebin3', `uri=${http(format)}`]),
    ])
    await Promise.all(playing)
  })

  /** Has GStreamer decode the pictures of a source until there are enough, without a complaint. */
  async function decode(source: readonly string[]): Promise<void> {
    const sink = ['!', 'video/x-raw,format=I420', '!', 'queue', '!', 'fdsink', 'fd=1', 'sync=false']
    const player = new PeerProcess('gst-launch-1.0', ['-q', ...source, ...sink])
    await waitFor(() => player.stdout.length >= PICTURES * PICTURE_SIZE_BYTES || player.exited !== undefined, {
      what: `pictures of ${source.join(' ')}`,
    })
    expect(player.exited, player.stderr).to.equal(undefined)
    expect(player.stderr).to.equal('')
    await player.close()
  }

  after(() => expect(server?.problems).to.eql([]))
})
