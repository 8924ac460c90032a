import path from 'node:path'
import { expect } from 'chai'
import type { FlvTag } from 'sluice/sdk/media'
import { openChromium } from '../peers/chromium.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource, type EnhancedSource } from '../support/enhanced-source.ts'
import type { EnhancedCodec } from '../support/enhanced-tags.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { HlsPages, type HlsPage, type HlsPageState } from '../support/hls-page.ts'
import { LiveSource } from '../support/live-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { inTurn } from '../support/soak.ts'

const CONFIG = 'hls: { fragment: 1s, idletimeout: 500ms }\n'
const FORMATS = ['llhls', 'fmp4', 'ts'] as const
/** Chromium plays up to four at once in each. */
const LANES = 2
/** Of the sources that go round. */
const LOOP_MS = 2000
const CODECS: readonly EnhancedCodec[] = ['avc1', 'mp4a', 'av01', 'Opus']

/** A player's clock may leap before it has shown anything: pictures are waited for as well. */
function isPast(mark: Pick<HlsPageState, 'timeSeconds' | 'frames'>): (state: HlsPageState) => boolean {
  return ({ timeSeconds, frames }) => timeSeconds > mark.timeSeconds && frames > mark.frames
}

/** What is shown came to the server after a time: how far behind a player stays is up to the player. */
function isMadeSince(timeMs: number): (state: HlsPageState) => boolean {
  return ({ behindSeconds }) => Date.now() - behindSeconds * 1000 > timeMs
}

describe('hls.js in Chromium goes on', function () {
  this.timeout(360_000)
  let server: RunningServer
  let pages: HlsPages
  let large: readonly FlvTag[]
  let small: readonly FlvTag[]
  let coded: readonly EnhancedSource[]
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'chromium')
    server = await startServer({ config: CONFIG })
    const file = (name: string) => path.join(server.folder, name)
    const made = ['320x240', '160x120'].map((size) => makeFlvFile(file(`${size}.flv`), { video: { size, bFrames: 2 } }))
    const encoded = CODECS.map((codec) => makeEnhancedSource(file(`${codec}.mp4`), codec))
    const [files, sources, browser] = await Promise.all([Promise.all(made), Promise.all(encoded), openChromium()])
    ;[large = [], small = []] = files.map(({ tags }) => tags)
    coded = sources
    pages = await HlsPages.start(browser)
  })

  function start(target: string, tags: readonly FlvTag[]): Promise<LiveSource> {
    return LiveSource.start({ url: server.rtmp(target), tags, loopMs: LOOP_MS })
  }

  /** Opens a page for each form of a stream, and has them played for a while. */
  async function watch(target: string, formats: readonly string[] = FORMATS): Promise<HlsPage[]> {
    const viewers = await Promise.all(
      formats.map((format) => pages.open(server.http(`/hls/${target}/index.m3u8?format=${format}`))),
    )
    await Promise.all(viewers.map((page) => page.playsOn(2)))
    return viewers
  }

  async function each(viewers: readonly HlsPage[], check: (page: HlsPage) => Promise<void>): Promise<void> {
    await Promise.all(viewers.map(check))
    await Promise.all(viewers.map((page) => page.close()))
  }

  /** Waits until a page has nothing more to show; hls.js goes back a little then, and shows the end again. */
  async function untilStalled(page: HlsPage): Promise<void> {
    const isStalled = () => page.run<boolean>('video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA')
    await waitFor(isStalled, { what: 'the player to stall', timeoutMs: 120_000, intervalMs: 100 })
  }

  const itBeside = sideBySide(LANES)

  itBeside('when the publisher comes back with pictures of another size', async () => {
    const target = 'live/again'
    const first = await start(target, large)
    const viewers = await watch(target, inTurn(FORMATS, 0))
    first.close()
    await waitFor(() => server.server.streams.get(target)?.publisher === undefined)
    // It is gone for longer than any of them has something to show.
    await Promise.all(viewers.map(untilStalled))
    const second = await start(target, small)
    await each(viewers, async (page) => {
      const { timeSeconds, frames } = await page.until('small pictures', ({ size }) => size === '160x120')
      await page.until('more of them', isPast({ timeSeconds: timeSeconds + 2, frames: frames + 20 }))
    })
    second.close()
  })

  itBeside('when the publisher changes its codecs', async () => {
    const target = 'live/codec'
    const live = await start(target, enhancedTags(coded.slice(0, 2)))
    const viewers = await watch(target, inTurn(['llhls', 'fmp4'], 1))
    live.change(enhancedTags(coded.slice(2)))
    await each(viewers, async (page) => {
      const { frames, soundBytes } = await page.until('AV1', (state) => state.codecs.includes('av01'))
      // More than what there was of the others.
      const isShown = (state: HlsPageState) =>
        state.frames > frames + 100 && state.soundBytes > soundBytes && /opus/iu.test(state.codecs)
      await page.until('AV1 shown, and Opus heard', isShown)
    })
    live.close()
  })

  itBeside('where it is told to seek back to', async () => {
    const target = 'live/seek'
    const live = await start(target, large)
    const viewers = await watch(target, inTurn(FORMATS, 2))
    await each(viewers, async (page) => {
      let from = await page.until('a window of 4 s', ({ windowSeconds }) => windowSeconds > 4)
      await page.run('video.currentTime -= 3')
      // One that a busy machine holds up may leap ahead before it has shown anything, and is told again.
      const showsEarlier = async () => {
        const state = await page.state()
        if (state.timeSeconds < from.timeSeconds) return state.frames > from.frames + 20 && state
        from = state
        await page.run('video.currentTime -= 3')
        return false
      }
      const options = { what: 'earlier pictures', timeoutMs: 120_000, intervalMs: 100 }
      const { timeSeconds, frames, behindSeconds } = await waitFor(showsEarlier, options)
      const after = await page.until('more pictures', isPast({ timeSeconds: timeSeconds + 2, frames: frames + 20 }))
      expect(after.behindSeconds).to.be.above(behindSeconds - 1.5)
    })
    live.close()
  })

  itBeside('after a pause that its session does not outlast, nor all that was made for it', async () => {
    const target = 'live/pause'
    const live = await start(target, large)
    const [viewers, [other]] = await Promise.all([watch(target), watch(target, ['llhls'])])
    await Promise.all(viewers.map((page) => page.run('video.pause(), hls.stopLoad()')))
    const types = () => server.server.streams.subscribers(target).map(({ request }) => request.type)
    // One viewer, and what feeds it: of llhls something is left, of the others nothing.
    await waitFor(() => types().toSorted().join() === 'server,transform', { what: 'the viewers to have left' })
    const isNew = isMadeSince(Date.now())
    await Promise.all(viewers.map((page) => page.run('hls.startLoad(), video.play()')))
    await waitFor(() => types().filter((type) => type === 'server').length === 4, { what: 'new sessions' })
    await each(viewers, async (page) => {
      const { timeSeconds, frames } = await page.state()
      const isOn = isPast({ timeSeconds, frames: frames + 20 })
      await page.until('what was made since', (state) => isOn(state) && isNew(state))
    })
    await other?.close()
    live.close()
  })

  it('when the plugin is replaced', async () => {
    const target = 'live/renewed'
    const live = await start(target, large)
    const viewers = await watch(target, inTurn(FORMATS, 0))
    const played = () => server.records.filter(({ plugin, msg }) => plugin === 'hls' && msg === 'play').length
    const before = played()
    await server.writeConfig(CONFIG.replace('fragment', 'window: 9, fragment'))
    const isReplaced = ({ plugin, generation }: { plugin?: unknown; generation?: unknown }) =>
      plugin === 'hls' && generation === 2
    await waitFor(() => server.records.some(isReplaced), { what: 'a new generation' })
    const isNew = isMadeSince(Date.now())
    await each(viewers, async (page) => {
      const { timeSeconds, frames } = await page.state()
      const isOn = isPast({ timeSeconds, frames: frames + 20 })
      await page.until('what was made since', (state) => isOn(state) && isNew(state))
    })
    expect(played()).to.equal(before)
    live.close()
  })

  after(() => expect(server?.problems).to.eql([]))
})
