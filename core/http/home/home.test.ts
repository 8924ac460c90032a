import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from '../../../test/peers/chromium.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { startServer, type RunningServer } from '../../../test/support/server.ts'

const EVIL_PATH = `live/<img id=evil src=x onerror="document.title='evil'">`
const TRACKS = { videoTrack: { codec: 'h265', width: 1280, height: 720 }, audioTrack: { codec: 'opus' } }

/** What the page shows. */
type Shown = {
  readonly frames: number
  readonly timeSeconds: number
  readonly heading: string
  readonly status: string
  readonly list: string
  readonly title: string
  readonly evil: boolean
}

describe('home page in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startServer({ env: { SLUICE_DEMO_ENABLE: 'true' } })
    browser = await openChromium()
  })

  // The script is text, for it runs in the page, whose types are not those of this project.
  const look = (page: Page) =>
    page.evaluate<Shown>(`({
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      timeSeconds: video.currentTime,
      heading: document.getElementById('playing').textContent,
      status: document.getElementById('status').textContent,
      list: document.getElementById('streams').innerText + document.getElementById('list-status').innerText,
      title: document.title,
      evil: document.getElementById('evil') !== null,
    })`)

  async function shows(page: Page, what: string, condition: (shown: Shown) => boolean): Promise<Shown> {
    const options = { timeoutMs: 30_000, what }
    return waitFor(async () => {
      const shown = await look(page)
      return condition(shown) ? shown : null
    }, options)
  }

  it('plays the demo stream, lists it, and tells where to publish', async () => {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    page.on('console', (line) => line.type() === 'error' && problems.push(line.text()))
    await page.goto(server.http('/'))
    const started = await shows(page, 'the first pictures', ({ frames }) => frames > 5)
    const before = await page.locator('video').screenshot()
    await shows(page, 'the picture to move', ({ frames }) => frames > started.frames + 10)
    expect((await page.locator('video').screenshot()).equals(before)).to.equal(false)
    const shown = await shows(page, 'the viewer in the list', ({ list }) => list.includes('1 viewer'))
    expect(shown).to.include({ heading: 'live/demo', status: '' })
    expect(shown.list).to.include('live/demo').and.include('h264 640×360 · aac')
    expect(await page.locator('#ffmpeg').textContent()).to.match(/-f flv rtmp:\/\/127\.0\.0\.1(:\d+)?\/live\/test$/u)
    expect(await page.locator('[aria-current=true]').count()).to.equal(1)
    expect(problems).to.eql([])
    await page.close()
    await waitFor(() => server.server.streams.subscribers().length === 0, { what: 'the viewer to leave' })
  })

  it('fits a phone', async () => {
    const page = await browser.newPage({ viewport: { width: 320, height: 640 } })
    await page.goto(server.http('/'))
    await shows(page, 'the list', ({ list }) => list.includes('live/demo'))
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(320)
    await page.close()
  })

  it('shows names as text, and plays what is clicked', async () => {
    const page = await browser.newPage()
    const streams = [EVIL_PATH, 'live/other'].map((path) => ({ path, subscribers: 3, ...TRACKS }))
    await page.route('**/api/stream/list', (route) => route.fulfill({ json: { code: 0, data: streams } }))
    await page.goto(server.http('/'))
    const shown = await shows(page, 'the list', ({ list }) => list.includes(EVIL_PATH))
    expect(shown.list).to.include('h265 1280×720 · opus · 3 viewers')
    expect(shown).to.include({ heading: EVIL_PATH, title: 'Sluice', evil: false })
    const asked = page.waitForEvent('websocket', (socket) => socket.url() === server.ws('/flv/live/other.flv'))
    await page.getByRole('button', { name: 'live/other' }).click()
    await asked
    await shows(page, 'what was clicked', ({ heading }) => heading === 'live/other')
    expect(page.url()).to.equal(server.http('/#live/other'))
    await page.close()
  })

  it('plays the demo stream where the list is not told', async () => {
    const page = await browser.newPage()
    await page.route('**/api/**', (route) => route.fulfill({ status: 401, json: { code: 16, message: 'no' } }))
    await page.goto(server.http('/'))
    const shown = await shows(page, 'pictures', ({ frames }) => frames > 5)
    expect(shown.list).to.equal('Only shown on the server’s own machine.')
    expect(await page.locator('#play-rtmp').textContent()).to.equal('rtmp://127.0.0.1/live/demo')
    await page.close()
  })

  it('comes back when the stream does', async () => {
    const page = await browser.newPage()
    await page.goto(server.http('/#live/demo'))
    await shows(page, 'pictures', ({ frames }) => frames > 5)
    for (const subscriber of server.server.streams.subscribers()) subscriber.close('stop by user')
    await shows(page, 'the end', ({ status }) => status !== '')
    await shows(page, 'pictures again', ({ status, frames }) => status === '' && frames > 5)
    await page.close()
  })
})
