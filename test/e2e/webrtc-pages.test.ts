import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from '../peers/chromium.ts'
import { publish } from '../peers/ffmpeg.ts'
import { keep } from '../peers/lifetime.ts'
import { Nginx } from '../peers/nginx.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { HomePage } from '../support/home-page.ts'
import { startWebRtcServer } from '../support/webrtc/webrtc-server.ts'

const LONG_SECONDS = 170
/** More than a keyframe that waited, by far. */
const PICTURES = 40
const TIMEOUT_MS = 120_000
/** RFC 8489 5. */
const BINDING_REQUEST = 1

describe('pages that play WebRTC, in Chromium', () => {
  let browser: Browser
  before(async function () {
    requirePeer(this, 'chromium')
    requirePeer(this, 'nginx')
    browser = await openChromium()
  })

  it('the home page plays with less delay', async () => {
    const server = await startWebRtcServer()
    publish({ url: server.rtmp('live/home'), durationSeconds: LONG_SECONDS })
    const home = await HomePage.open(browser, server.http('/home/'))
    await home.until('the stream in the list', ({ list }) => list.includes('live/home'))
    await home.choose('live/home')
    await home.plays()
    await home.page.getByLabel('Less delay (WebRTC)').check()
    const sessions = async () => (await fetch(server.http('/webrtc/api/sessions'))).json() as Promise<{ total: number }>
    await waitFor(async () => (await sessions()).total === 1, { what: 'the session', timeoutMs: TIMEOUT_MS })
    await home.plays()
    expect(await home.page.evaluate('video.srcObject !== null')).to.equal(true)
    expect(home.problems).to.eql([])
    await home.close()
    await waitFor(async () => (await sessions()).total === 0, { what: 'the session to end', timeoutMs: TIMEOUT_MS })
  })

  it('the test page publishes what it draws, plays it, and ends both', async () => {
    const server = await startWebRtcServer()
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    await page.goto(server.http('/webrtc/test'))
    const [publishing, playing] = [page.locator('#publish'), page.locator('#subscribe')]
    await publishing.getByRole('button', { name: 'Start' }).click()
    await statusOf(page, '#publish', /connected.*video\/\w+/u)
    await playing.getByRole('button', { name: 'Start' }).click()
    await statusOf(page, '#subscribe', /connected.*video\/\w+/u)
    const pictures = () =>
      page.evaluate<number>(`document.querySelector('#subscribe video').getVideoPlaybackQuality().totalVideoFrames`)
    await waitFor(async () => (await pictures()) >= PICTURES, { what: 'the pictures', timeoutMs: TIMEOUT_MS })
    expect(server.server.streams.get('live/test')).not.to.equal(undefined)

    for (const half of [playing, publishing]) await half.getByRole('button', { name: 'Stop' }).click()
    await waitFor(() => server.server.streams.get('live/test') === undefined, { what: 'the publisher to leave' })
    expect(problems).to.eql([])
    expect(server.problems).to.eql([])
    await page.close()
  })

  it('the test page reaches its session through a proxy that has the server below a path', async () => {
    const server = await startWebRtcServer()
    const nginx = await Nginx.start(
      (port) => `server {
  listen 127.0.0.1:${port};
  location /tv/ {
    proxy_pass http://127.0.0.1:${server.httpPort}/;
  }
}`,
    )
    const page = await browser.newPage()
    const answers: string[] = []
    page.on('response', (answer) => {
      if (answer.url().includes('/session/')) answers.push(`${answer.request().method()} ${answer.status()}`)
    })
    await page.goto(nginx.http('/tv/webrtc/test'))
    await page.locator('#publish').getByRole('button').click()
    await statusOf(page, '#publish', /connected.*video\/\w+/u)
    await waitFor(() => answers.length > 0, { what: 'the candidates to be told', timeoutMs: TIMEOUT_MS })
    expect(answers).to.eql(['PATCH 204'])
    await page.close()
  })

  it('the test page asks the STUN servers that it is told of', async () => {
    const stun = createSocket('udp4')
    keep({ close: () => void stun.close() })
    stun.bind(0)
    await once(stun, 'listening')
    const server = await startWebRtcServer(`  iceservers: [{ urls: ['stun:127.0.0.1:${stun.address().port}'] }]\n`)
    const page = await browser.newPage()
    await page.goto(server.http('/webrtc/test'))
    const asked = once(stun, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    await page.locator('#publish').getByRole('button').click()
    const [request] = (await asked) as [Buffer]
    expect(request.readUInt16BE(0)).to.equal(BINDING_REQUEST)
    await statusOf(page, '#publish', /connected.*video\/\w+/u)
    await page.close()
  })
})

/** Waits until the page says of one of its halves that it is well. */
async function statusOf(page: Page, half: string, expected: RegExp): Promise<void> {
  const text = () => page.locator(`${half} [role=status]`).innerText()
  const says = async () => expected.test(await text())
  await waitFor(says, { what: `${half} to be connected`, timeoutMs: TIMEOUT_MS }).catch(async (cause: unknown) => {
    throw new Error(`the page says ${await text()}`, { cause })
  })
}
