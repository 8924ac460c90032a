import path from 'node:path'
import { openChromium } from '../peers/chromium.ts'
import { makeTestFile, publishFile } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { HlsPages, type HlsPage } from '../support/hls-page.ts'
import { finishedFiles } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'

const SECONDS = 26
/** Recordings are dated by the times of their media. */
const SPEED = 8
const RULES = `
mp4: { onpub: { record: { 'live/.*': { fragment: 8s } } } }
hls: { onpub: { record: { 'live/.*': {} } } }
`

describe('hls.js in Chromium, with recordings', function () {
  this.timeout(360_000)
  let server: RunningServer
  let pages: HlsPages

  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'chromium')
    server = await startServer({ config: RULES })
    const video = { bFrames: 2, gopFrames: 50 }
    const file = path.join(server.folder, 'source.mp4')
    await makeTestFile({ url: file, durationSeconds: SECONDS, video })
    await publishFile(file, server.rtmp('live/cam'), SPEED).succeed()
    for (const type of ['mp4', 'hls']) await finishedFiles(server, type)
    pages = await HlsPages.start(await openChromium())
  })

  const itBeside = sideBySide()

  /** Plays, leads over the border of a file, and back. */
  async function steer(page: HlsPage): Promise<void> {
    await page.playsOn(2, 30)
    for (const seconds of [15, 7, 22]) {
      await page.run(`video.currentTime = ${seconds}`)
      await page.until(`${seconds} s`, ({ timeSeconds }) => timeSeconds > seconds + 1.5 && timeSeconds < seconds + 4)
    }
    await page.until('the end', ({ timeSeconds }) => timeSeconds > SECONDS - 1.5)
    await page.close()
  }

  for (const type of ['mp4', 'hls']) {
    itBeside(`plays and seeks in segments of MPEG-TS that were ${type} files`, async () => {
      await steer(await pages.open(server.http(`/hls/live/cam.m3u8?start=1500000000&type=${type}`)))
    })
  }

  itBeside('plays and seeks in fragmented MP4 files, one after the other', async () => {
    await steer(await pages.open(server.http('/hls/vod/fmp4.m3u8?streamPath=live/cam&start=1500000000')))
  })
})
