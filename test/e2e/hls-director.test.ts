import path from 'node:path'
import { expect } from 'chai'
import { openChromium } from '../peers/chromium.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile } from '../support/flv-file.ts'
import { HlsPages, type HlsPage } from '../support/hls-page.ts'
import { LiveSource } from '../support/live-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'

/** How many times each is switched to and fro. */
const ROUNDS = { llhls: 3, fmp4: 1, ts: 1 } as const
const LOOP_MS = 4000
const CAMERAS = {
  red: { video: { size: '320x240', fps: '25', bFrames: 2 }, output: ['-vf', 'drawbox=color=red:t=fill'] },
  blue: { video: { size: '480x272', fps: '30', gopFrames: 30 }, output: ['-vf', 'drawbox=color=blue:t=fill'] },
} as const
type Colour = keyof typeof CAMERAS

// Notes each step back of the player's clock, whose microseconds Chromium rounds.
const WATCH_TIME = `
  window.stepsBack = []
  let last = 0
  setInterval(() => {
    if (video.currentTime < last - 0.001) stepsBack.push([last, video.currentTime])
    last = video.currentTime
  }, 20)`
const COLOUR = `(() => {
  const canvas = document.createElement('canvas')
  canvas.width = canvas.height = 1
  const context = canvas.getContext('2d')
  context.drawImage(video, 0, 0, 1, 1)
  const [red, , blue] = context.getImageData(0, 0, 1, 1).data
  return red > 128 && blue < 128 ? 'red' : blue > 128 && red < 128 ? 'blue' : 'none'
})()`

describe('the director switch, as hls.js in Chromium shows it', function () {
  this.timeout(480_000)
  let server: RunningServer
  let pages: HlsPages
  beforeEach(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'chromium')
    server = await startServer({ config: 'hls: { fragment: 1s }\n' })
    const started = Object.entries(CAMERAS).map(async ([name, camera]) => {
      const init = { ...camera, durationSeconds: LOOP_MS / 1000 }
      const { tags } = await makeFlvFile(path.join(server.folder, `${name}.flv`), init)
      return LiveSource.start({ url: server.rtmp(`live/${name}`), tags, loopMs: LOOP_MS })
    })
    const [browser] = await Promise.all([openChromium(), ...started])
    pages = await HlsPages.start(browser)
  })

  const viewers = () => server.server.streams.subscribers().filter(({ request }) => request.type === 'server')

  /** Opens a page that shows the red camera, and gives it with the id of its subscriber. */
  async function open(format: string) {
    const known = new Set(viewers().map(({ id }) => id))
    // It is to show a switch soon: not three segments later, and catching up where a busy machine has held it up.
    const url = server.http(`/hls/live/red/index.m3u8?format=${format}`)
    const page = await pages.open(url, { liveSyncDurationCount: 1, maxLiveSyncPlaybackRate: 2 })
    const id = await waitFor(() => viewers().find((viewer) => !known.has(viewer.id))?.id)
    await page.run(WATCH_TIME)
    return { page, id }
  }

  async function change(id: number, colour: Colour): Promise<void> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const { body } = await server.api(`/api/subscribe/change/${id}/live/${colour}`, init)
    expect(body).to.include({ code: 0 })
  }

  async function shows(page: HlsPage, colour: Colour): Promise<void> {
    await waitFor(async () => (await page.run(COLOUR)) === colour, { what: colour }).catch(async (cause: unknown) => {
      throw new Error(`no ${colour}: ${JSON.stringify(await page.state())}`, { cause })
    })
  }

  it('changes the pictures of one viewer, to and fro, while its clock goes on and the others stay', async () => {
    const witness = await open('llhls')
    const switched = []
    for (const [format, rounds] of Object.entries(ROUNDS)) switched.push({ ...(await open(format)), rounds })
    await Promise.all([witness, ...switched].map(({ page }) => shows(page, 'red')))
    await Promise.all(
      switched.map(async ({ page, id, rounds }) => {
        for (let round = 0; round < rounds; round++) {
          for (const colour of ['blue', 'red'] as const) {
            await change(id, colour)
            await shows(page, colour)
            expect(await witness.page.run(COLOUR)).to.equal('red')
          }
        }
      }),
    )
    for (const { page } of [witness, ...switched]) {
      await page.playsOn(1)
      expect(await page.run('stepsBack')).to.eql([])
    }
    expect(viewers().map(({ id }) => id)).to.have.members([witness, ...switched].map(({ id }) => id))
    expect(server.problems).to.eql([])
  })
})
