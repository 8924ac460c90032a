import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import type { Browser, Page } from 'playwright-core'
import type { FlvTag } from 'sluice/sdk/media'
import { openChromium } from '../peers/chromium.ts'
import { publish, type PublishInit } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource } from '../support/enhanced-source.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const DOCUMENT = new URL('../../docs/live-mp4.md', import.meta.url)

/** What the page shows: the element's clock, its buffer, what pictures there were, and what went wrong. */
type Playback = {
  readonly timeSeconds: number
  readonly ranges: readonly (readonly [startSeconds: number, endSeconds: number])[]
  readonly frames: number
  /** The time of the last picture that was presented. */
  readonly pictureSeconds: number
  readonly error: string
}

const PROGRESSIVE = `video.src = url`

function pageOf(script: string): string {
  return `<!doctype html>
<video id="video" width="320" height="240" muted autoplay></video>
<script>
  const video = document.getElementById('video')
  window.errors = []
  window.onerror = (text) => void window.errors.push(text)
  window.onunhandledrejection = ({ reason }) => void window.errors.push(String(reason))
  window.pictureSeconds = -1
  const onPicture = (_, { mediaTime }) => {
    window.pictureSeconds = mediaTime
    video.requestVideoFrameCallback(onPicture)
  }
  video.requestVideoFrameCallback(onPicture)
  video.onerror = () => window.errors.push(video.error.message)
  const url = new URLSearchParams(location.search).get('url')
  ${script}
</script>`
}

describe('live fMP4 in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  let pages: Server
  let scripts: Record<'ws' | 'http' | 'progressive', string>
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'chromium')
    const text = await readFile(DOCUMENT, 'utf8')
    const [ws = '', http = ''] = [...text.matchAll(/```js\n(.*?)```/gsu)].map(([, script = '']) => script)
    scripts = { ws, http, progressive: PROGRESSIVE }
    pages = createServer(({ url = '' }, response) => {
      const way = new URLSearchParams(url.slice(url.indexOf('?'))).get('way') as keyof typeof scripts
      response.setHeader('content-type', 'text/html').end(pageOf(scripts[way]))
    }).listen(0, '127.0.0.1')
    await once(pages, 'listening')
    server = await startServer()
    browser = await openChromium()
  })

  async function open(way: keyof typeof scripts, target: string): Promise<Page> {
    const page = await browser.newPage()
    const { port } = pages.address() as AddressInfo
    const url = way === 'ws' ? server.ws(`/mp4/${target}.mp4`) : server.http(`/mp4/${target}.mp4`)
    await page.goto(`http://127.0.0.1:${port}/?way=${way}&url=${encodeURIComponent(url)}`)
    return page
  }

  // The script is text, for it runs in the page, whose types are not those of this project.
  async function playback(page: Page): Promise<Playback> {
    return page.evaluate<Playback>(`({
      timeSeconds: video.currentTime,
      ranges: Array.from(video.buffered, (_, index) => [video.buffered.start(index), video.buffered.end(index)]),
      frames: video.getVideoPlaybackQuality().totalVideoFrames,
      pictureSeconds: window.pictureSeconds,
      error: window.errors.join(', '),
    })`)
  }

  /** Waits until the page has played for a while and has shown so many pictures, or tells what went wrong. */
  async function playsOn(page: Page, seconds: number, pictures = 0): Promise<Playback> {
    const isOn = ({ timeSeconds, frames, ranges: [range] }: Playback) =>
      range !== undefined && timeSeconds > range[0] + seconds && frames >= pictures
    return waitFor(() => stateWhen(page, isOn), { what: `${seconds} s of ${pictures} pictures` })
  }

  async function stateWhen(page: Page, done: (state: Playback) => boolean): Promise<Playback | null> {
    const state = await playback(page)
    expect(state.error).to.equal('')
    return done(state) ? state : null
  }

  for (const way of ['ws', 'http', 'progressive'] as const) {
    it(`plays H.264 and AAC by ${way}`, async () => {
      const target = `live/${way}`
      const source = publish({ url: server.rtmp(target), durationSeconds: 600, video: { bFrames: 2 } })
      await waitFor(() => server.server.streams.get(target))
      const page = await open(way, target)
      const { ranges } = await playsOn(page, 2, 40)
      expect(ranges).to.have.length(1)
      await page.close()
      await waitFor(() => server.server.streams.subscribers(target).length === 0, { what: 'the viewer to leave' })
      await source.close()
    })
  }

  it('plays AV1 and Opus', async () => {
    const files = (['av01', 'Opus'] as const).map((codec) =>
      makeEnhancedSource(path.join(server.folder, `${codec}.mp4`), codec),
    )
    const tags = enhancedTags(await Promise.all(files))
    for (const way of ['ws', 'http'] as const) {
      const page = await open(way, 'live/av1')
      await waitFor(() => server.server.streams.subscribers('live/av1').length === 1)
      const publisher = await RtmpClient.publish({ url: server.rtmp('live/av1') })
      for (const tag of tags) publisher.send(tag)
      const { ranges } = await playsOn(page, 0.7, 15)
      expect(ranges).to.have.length(1)
      publisher.close()
      await page.close()
    }
  })

  it('goes on by ws when pictures come in another codec', async () => {
    const made = (['avc1', 'av01', 'mp4a'] as const).map((codec) =>
      makeEnhancedSource(path.join(server.folder, `${codec}.mp4`), codec),
    )
    const [h264, av1, aac] = await Promise.all(made)
    const page = await open('ws', 'live/change')
    await waitFor(() => server.server.streams.subscribers('live/change').length === 1)
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/change') })
    const before = enhancedTags([h264!, aac!])
    const after = enhancedTags([av1!, aac!]).map((tag) => ({ ...tag, timestampMs: tag.timestampMs + 2000 }))
    for (const tag of before) publisher.send(tag)
    await playsOn(page, 0.2, 5)
    for (const tag of after) publisher.send(tag)
    // From 2 s on there is AV1 only; a page that a busy machine has held up goes on where 1 s of it is left.
    const isShown = ({ pictureSeconds }: Playback) => pictureSeconds > 3.2
    const { ranges } = await waitFor(() => stateWhen(page, isShown), { what: 'pictures after the change' })
    expect(ranges).to.have.length(1)
    publisher.close()
    await page.close()
  })

  it('plays a stream that has run for long from where it is', async () => {
    const file = path.join(server.folder, 'long.flv')
    const { tags } = await makeFlvFile(file)
    const publisher = await RtmpClient.publish({ url: server.rtmp('live/long') })
    for (let startMs = 0; startMs < 20_000; startMs += 2000) {
      for (const tag of tags) publisher.send({ ...tag, timestampMs: tag.timestampMs + startMs })
    }
    await waitFor(() => (server.server.streams.get('live/long')?.publisher?.timeline.lastMs ?? 0) > 19_900)
    for (const way of ['ws', 'http'] as const) {
      const page = await open(way, 'live/long')
      // The newest second is what there is.
      const state = await waitFor(() => stateWhen(page, ({ frames }) => frames >= 20), { what: `pictures by ${way}` })
      expect(state.timeSeconds).to.be.within(18.9, 20.1)
      await page.close()
    }
    publisher.close()
  })

  it('shows every picture of a source whose pace changes', async () => {
    // Every tenth picture comes half a second late.
    await playsWhole({ durationSeconds: 1.2, audio: false }, 1, (tag) => {
      return { ...tag, timestampMs: tag.timestampMs + Math.floor(tag.timestampMs / 400) * 500 }
    })
  })

  it('goes on showing pictures where the sound has gaps', async () => {
    // Beside a clock of sound not every picture is shown; without what fills gaps, a tenth of them is.
    await playsWhole({ durationSeconds: 1.5 }, 0.5, (tag) => {
      const { type, timestampMs } = tag
      const isLost = (timestampMs > 300 && timestampMs < 340) || (timestampMs > 600 && timestampMs < 900)
      return type === 8 && isLost ? undefined : tag
    })
  })

  /** Plays a source of a single keyframe, changed on its way, in one piece. */
  async function playsWhole(
    init: Omit<PublishInit, 'url'>,
    shownShare: number,
    change: (tag: FlvTag) => FlvTag | undefined,
  ): Promise<void> {
    const source = await makeFlvFile(path.join(server.folder, 'source.flv'), { ...init, video: { gopFrames: 1000 } })
    const target = `live/whole${init.durationSeconds}`
    const page = await open('ws', target)
    await waitFor(() => server.server.streams.subscribers(target).length === 1)
    const publisher = await RtmpClient.publish({ url: server.rtmp(target) })
    for (const tag of source.tags.map(change)) if (tag) publisher.send(tag)
    const sent = source.frames.filter(({ kind }) => kind === 'video').length
    const isWhole = ({ frames, timeSeconds, ranges }: Playback) =>
      frames >= sent * shownShare && timeSeconds > (ranges[0]?.[1] ?? Infinity) - 0.1
    const { ranges } = await waitFor(() => stateWhen(page, isWhole), { what: `${sent} pictures` }).catch(
      async (cause: unknown) => {
        throw new Error(`shows ${JSON.stringify(await playback(page))}`, { cause })
      },
    )
    expect(ranges).to.have.length(1)
    publisher.close()
    await page.close()
  }

  after(() => {
    pages?.close()
    expect(server?.problems).to.eql([])
  })
})
