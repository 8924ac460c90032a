import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { HlsConfig } from 'hls.js'
import type { Browser, Page } from 'playwright-core'
import { keep } from '../peers/lifetime.ts'
import { waitFor } from '../peers/wait-for.ts'

const PAGE = `<!doctype html>
<video id="video" width="320" height="240" muted></video>
<script src="/hls.js"></script>
<script>
  const { url, config } = JSON.parse(decodeURIComponent(location.hash.slice(1)))
  const video = document.getElementById('video')
  const codecs = new Set()
  const errors = []
  window.onerror = (text) => void errors.push('fatal ' + text)
  video.onerror = () => errors.push('fatal ' + video.error.message)
  const hls = new Hls(config)
  hls.on(Hls.Events.ERROR, (_, { details, fatal, reason, response }) => {
    errors.push([fatal ? 'fatal' : 'passing', details, reason, response?.code].filter(Boolean).join(' '))
  })
  hls.on(Hls.Events.BUFFER_CODECS, (_, tracks) => {
    for (const { codec } of Object.values(tracks)) codecs.add(codec)
  })
  hls.on(Hls.Events.MANIFEST_PARSED, () => video.play())
  hls.attachMedia(video)
  hls.loadSource(url)
</script>`

/** A bound of what hangs: a busy machine may need a while to decode several streams. */
const TIMEOUT_MS = 120_000
/** Between two looks at a page: more of them would take from the players what they decode with. */
const INTERVAL_MS = 100

// Scripts are text, for they run in the page, whose types are not those of this project.
const STATE = `({
  timeSeconds: video.currentTime,
  windowSeconds: video.seekable.length > 0 ? video.currentTime - video.seekable.start(0) : 0,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
  dropped: video.getVideoPlaybackQuality().droppedVideoFrames,
  soundBytes: video.webkitAudioDecodedByteCount,
  size: video.videoWidth + 'x' + video.videoHeight,
  codecs: [...codecs].join(),
  latencySeconds: hls.latency,
  behindSeconds: hls.playingDate ? (Date.now() - hls.playingDate) / 1000 : Infinity,
  parts: hls.lowLatencyMode && hls.latestLevelDetails?.partTarget > 0,
  audioTracks: hls.audioTracks.map(({ name }) => name),
  audioTrack: hls.audioTrack,
  errors,
})`

/** What a page shows. */
export type HlsPageState = {
  readonly timeSeconds: number
  /** How far it may seek back. */
  readonly windowSeconds: number
  /** Decoded so far. */
  readonly frames: number
  readonly dropped: number
  readonly soundBytes: number
  readonly size: string
  /** All that there were. */
  readonly codecs: string
  /** How far it is behind the newest media, as the player reckons. */
  readonly latencySeconds: number
  /** How long ago what is shown came to the server, by the playlist's dates. */
  readonly behindSeconds: number
  /** It takes parts. */
  readonly parts: boolean
  readonly audioTracks: readonly string[]
  readonly audioTrack: number
  /** `passing` or `fatal`, and what. */
  readonly errors: readonly string[]
}

/** A page with hls.js in it that plays an address. */
export class HlsPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  state(): Promise<HlsPageState> {
    return this.run<HlsPageState>(STATE)
  }

  /** Runs a script that knows `hls` and `video`. */
  run<Result = unknown>(script: string): Promise<Result> {
    return this.page.evaluate<Result>(script)
  }

  /**
   * Waits until the page shows something.
   * @throws {Error} when it does not, or the player gives up before
   */
  async until(what: string, done: (state: HlsPageState) => boolean): Promise<HlsPageState> {
    let last: HlsPageState | undefined
    const condition = async () => {
      last = await this.state()
      return (done(last) || failures(last).length > 0) && last
    }
    const state = await waitFor(condition, { what, timeoutMs: TIMEOUT_MS, intervalMs: INTERVAL_MS }).catch(
      (cause: unknown) => {
        throw new Error(`waited for ${what}, and the page shows ${JSON.stringify(last)}`, { cause })
      },
    )
    expect(failures(state), what).to.eql([])
    return state
  }

  /** Waits until it has played on for a while, and more pictures than so many were shown: a player may skip some. */
  async playsOn(seconds: number, pictures = -1): Promise<HlsPageState> {
    const start = await this.until('the start', ({ timeSeconds }) => timeSeconds > 0)
    const isOn = ({ timeSeconds, frames }: HlsPageState) =>
      timeSeconds > start.timeSeconds + seconds && frames > pictures
    return this.until(`${seconds} s more`, isOn)
  }

  close(): Promise<void> {
    return this.page.close()
  }
}

/** Serves pages with hls.js in them, from an origin of its own. It goes with the test that started it at the latest. */
export class HlsPages {
  readonly #server: Server
  readonly #browser: Browser

  private constructor(server: Server, browser: Browser) {
    this.#server = server
    this.#browser = browser
    keep({ close: () => void server.close() })
  }

  static async start(browser: Browser): Promise<HlsPages> {
    const script = await readFile(createRequire(import.meta.url).resolve('hls.js/dist/hls.js'))
    const server = createServer(({ url }, response) => {
      if (url === '/hls.js') response.setHeader('content-type', 'text/javascript').end(script)
      else response.setHeader('content-type', 'text/html').end(PAGE)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new HlsPages(server, browser)
  }

  /** Opens a page that plays an address; no certificate is asked for. */
  async open(url: string, config: Partial<HlsConfig> = {}): Promise<HlsPage> {
    const page = await this.prepare()
    await this.play(page, url, config)
    return page
  }

  /** A page that shows nothing yet. */
  async prepare(): Promise<HlsPage> {
    return new HlsPage(await this.#browser.newPage({ ignoreHTTPSErrors: true }))
  }

  async play({ page }: HlsPage, url: string, config: Partial<HlsConfig> = {}): Promise<void> {
    const { port } = this.#server.address() as AddressInfo
    const hash = encodeURIComponent(JSON.stringify({ url, config }))
    await page.goto(`http://127.0.0.1:${port}/#${hash}`)
  }
}

function failures({ errors }: HlsPageState): string[] {
  return errors.filter((error) => error.startsWith('fatal'))
}
