import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from '../peers/chromium.ts'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const PAGE = `<!doctype html>
<video id="video" width="320" height="240" muted></video>
<script src="/mpegts.js"></script>
<script>
  const url = new URLSearchParams(location.search).get('url')
  const player = mpegts.createPlayer({ type: 'flv', isLive: true, url }, { enableWorker: false })
  window.errors = []
  player.on(mpegts.Events.ERROR, (...what) => window.errors.push(what.map(String).join(' ')))
  player.attachMediaElement(document.getElementById('video'))
  player.load()
  player.play()
</script>`

/** What the page shows: the element's clock, how many pictures were decoded, and what the player complained of. */
type Playback = { readonly timeSeconds: number; readonly frames: number; readonly errors: readonly string[] }

describe('mpegts.js in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  let pages: Server
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'chromium')
    const script = await readFile(createRequire(import.meta.url).resolve('mpegts.js/dist/mpegts.js'))
    pages = createServer(({ url }, response) => {
      if (url === '/mpegts.js') response.setHeader('content-type', 'text/javascript').end(script)
      else response.setHeader('content-type', 'text/html').end(PAGE)
    }).listen(0, '127.0.0.1')
    await once(pages, 'listening')
    server = await startServer()
    browser = await openChromium()
    publish({ url: server.rtmp('live/picture'), durationSeconds: 600 })
    await waitFor(() => server.server.streams.get('live/picture'))
  })

  async function open(url: string): Promise<Page> {
    const page = await browser.newPage()
    const { port } = pages.address() as AddressInfo
    await page.goto(`http://127.0.0.1:${port}/?url=${encodeURIComponent(url)}`)
    return page
  }

  // The script is text, for it runs in the page, whose types are not those of this project.
  async function playback(page: Page): Promise<Playback> {
    return page.evaluate<Playback>(`({
      timeSeconds: video.currentTime,
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      errors: window.errors,
    })`)
  }

  for (const way of ['http', 'ws'] as const) {
    it(`plays ${way.toUpperCase()}-FLV, and the picture moves`, async () => {
      const page = await open(server[way]('/flv/live/picture.flv'))
      const started = await waitFor(
        async () => {
          const now = await playback(page)
          return (now.frames > 0 && now.timeSeconds > 0) || now.errors.length > 0 ? now : null
        },
        { what: 'the first picture' },
      )
      expect(started.errors).to.eql([])
      const before = await page.locator('video').screenshot()
      const later = await waitFor(async () => {
        const now = await playback(page)
        return now.frames >= started.frames + 10 && now.timeSeconds > started.timeSeconds + 0.2 ? now : null
      })
      const after = await page.locator('video').screenshot()
      expect(after.equals(before)).to.equal(false)
      expect(later.errors).to.eql([])
      await page.close()
      await waitFor(() => server.server.streams.subscribers().length === 0, { what: 'the viewer to leave' })
    })
  }

  after(() => {
    pages?.close()
    expect(server?.problems).to.eql([])
  })
})
