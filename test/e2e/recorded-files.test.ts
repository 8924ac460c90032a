import path from 'node:path'
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { openChromium } from '../peers/chromium.ts'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource } from '../support/enhanced-source.ts'
import type { EnhancedCodec } from '../support/enhanced-tags.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { listedFiles, type ListedFile } from '../support/recordings.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const SECONDS = 2
const PICTURES = SECONDS * 25
const RULES = `mp4: { onpub: { record: { ^live/: {} } } }`

// Scripts are text, for they run in the page, whose types are not those of this project.
const STATE = `(() => {
  const video = document.querySelector('video')
  const { totalVideoFrames: pictures } = video.getVideoPlaybackQuality()
  const soundBytes = video.webkitAudioDecodedByteCount
  return { ended: video.ended, duration: video.duration, pictures, soundBytes, error: video.error?.message ?? '' }
})()`

type PageState = {
  readonly ended: boolean
  readonly duration: number
  /** Decoded so far. */
  readonly pictures: number
  readonly soundBytes: number
  readonly error: string
}

describe('recorded files in Chromium', () => {
  let server: RunningServer
  let browser: Browser
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'chromium')
    server = await startServer({ config: RULES })
    browser = await openChromium()
  })
  after(() => expect(server?.problems).to.eql([]))

  async function publishEnhanced(streamPath: string, codecs: readonly EnhancedCodec[]): Promise<void> {
    const sources = await Promise.all(
      codecs.map((codec) => makeEnhancedSource(path.join(server.folder, `${codecs.join('-')}-${codec}.mp4`), codec)),
    )
    const viewer = new FlvViewer(server.http(`/flv/${streamPath}.flv`))
    const publisher = await RtmpClient.publish({ url: server.rtmp(streamPath) })
    for (const tag of enhancedTags(sources)) publisher.send(tag)
    await viewer.received.wait(sources.flatMap(({ stream }) => stream.packets).length)
    publisher.close()
  }

  /** Plays an address to its end. */
  async function play(url: string): Promise<PageState> {
    const page = await browser.newPage()
    await page.setContent(`<video src="${url}" muted autoplay></video>`)
    const state = await waitFor(async () => {
      const now = await page.evaluate<PageState>(STATE)
      return (now.ended || now.error !== '') && now
    })
    await page.close()
    return state
  }

  const streams: readonly (readonly [name: string, publish: (streamPath: string) => Promise<unknown>])[] = [
    [
      'H.264 with B-frames, and AAC',
      (streamPath) =>
        publish({ url: server.rtmp(streamPath), durationSeconds: SECONDS, video: { bFrames: 2 } }).succeed(),
    ],
    ['AV1 and Opus', (streamPath) => publishEnhanced(streamPath, ['av01', 'Opus'])],
    ['VP9 and Opus', (streamPath) => publishEnhanced(streamPath, ['vp09', 'Opus'])],
  ]
  for (const [index, [name, publishTo]] of streams.entries()) {
    it(`play to their end, with all pictures and sound: ${name}`, async () => {
      const streamPath = `live/${index}`
      await publishTo(streamPath)
      const { id } = await waitFor(async (): Promise<ListedFile | false> => {
        const [file] = await listedFiles(server, 'mp4', streamPath)
        return file?.isActive === false && file
      })
      for (const ending of ['mp4', 'fmp4']) {
        const state = await play(server.http(`/mp4/download/${streamPath}.${ending}?id=${id}`))
        expect(state, ending).to.include({ error: '', pictures: PICTURES })
        expect(state.duration, ending).to.be.within(SECONDS - 0.1, SECONDS + 0.2)
        expect(state.soundBytes, ending).to.be.above(0)
      }
    })
  }
})
