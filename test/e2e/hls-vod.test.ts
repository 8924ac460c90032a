import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { openChromium } from '../peers/chromium.ts'
import { keep } from '../peers/lifetime.ts'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { HlsPages, type HlsPage } from '../support/hls-page.ts'
import { finishedFiles, placeOf } from '../support/recordings.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const SECONDS = 26
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
    await publish({ url: server.rtmp('live/cam'), durationSeconds: SECONDS, video }).succeed()
    for (const type of ['mp4', 'hls']) await finishedFiles(server, type)
    pages = await HlsPages.start(await openChromium())
  })

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
    it(`plays and seeks in segments of MPEG-TS that were ${type} files`, async () => {
      await steer(await pages.open(server.http(`/hls/live/cam.m3u8?start=1500000000&type=${type}`)))
    })
  }

  it('plays and seeks in fragmented MP4 files, one after the other', async () => {
    const files = await finishedFiles(server, 'mp4')
    const playlist = server.http('/hls/vod/fmp4.m3u8?streamPath=live/cam&start=1500000000')
    // Stands for the server, and gives its files in parts.
    const front = createServer((request, response) => {
      response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', 'range')
      const id = /\/mp4\/download\/live\/cam\.fmp4\?id=(\d+)/u.exec(request.url ?? '')?.[1]
      const file = files.find((one) => one.id === Number(id))
      const [, first, last] = /^bytes=(\d+)-(\d+)$/u.exec(request.headers.range ?? '') ?? []
      if (request.method === 'OPTIONS') response.end()
      else if (file === undefined) void fetch(playlist).then(async (answer) => response.end(await answer.text()))
      else
        createReadStream(placeOf(server, file), { start: Number(first), end: Number(last) }).pipe(
          response.writeHead(206),
        )
    }).listen(0, '127.0.0.1')
    await once(front, 'listening')
    keep({ close: () => void front.close() })
    const { port } = front.address() as AddressInfo
    await steer(await pages.open(`http://127.0.0.1:${port}/hls/vod/fmp4.m3u8`))
  })
})
