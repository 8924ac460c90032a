import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { addressesIn, ask, watch, type HlsViewer } from '../support/hls-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const RELOADS = 20
/** The reload after which another viewer comes. */
const MIDDLE = 8

const configOf = (reload: number) => `hls: { fragment: 500ms, window: ${7 + (reload % 2)}, idletimeout: 500ms }\n`

describe('HLS over twenty reloads', () => {
  let running: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    running = await startServer({ config: configOf(0) })
  })

  const hasEnded = (generation: number) =>
    running.records.some(({ msg }) => msg.startsWith(`generation ${generation} has ended`))
  const hasBegun = (generation: number) =>
    running.records.some((record) => record.plugin === 'hls' && record['generation'] === generation)

  /** Replaces the plugin, under viewers that go on. */
  async function reload(count: number, viewers: readonly HlsViewer[]): Promise<void> {
    await running.writeConfig(configOf(count))
    const what = `generation ${count + 1}`
    await waitFor(
      async () => {
        for (const { mediaUrl } of viewers) expect((await ask(mediaUrl)).status).to.equal(200)
        return hasBegun(count + 1)
      },
      { what },
    )
  }

  /** Asks for the playlist and all that it lists, as it was first given; gives the number of the newest segment. */
  async function play({ mediaUrl }: HlsViewer): Promise<number> {
    const playlist = await ask(mediaUrl)
    expect(playlist.status, mediaUrl).to.equal(200)
    const files = addressesIn(playlist, /\.(?:m4s|mp4)/u)
    expect(files).not.to.eql([])
    const statuses = await Promise.all(files.map(async (file) => (await ask(file)).status))
    expect([...new Set(statuses)]).to.eql([200])
    return Math.max(...[...playlist.text.matchAll(/-(\d+)\.m4s/gu)].map(([, msn]) => Number(msn)))
  }

  it('goes on for the viewers of each generation, and keeps none without viewers', async () => {
    const publisher = publish({ url: running.rtmp('live/a'), video: { gopFrames: 12 }, durationSeconds: 600 })
    const url = running.http('/hls/live/a/index.m3u8?format=fmp4')
    const viewers = [await watch(url)]
    const start = await play(viewers[0]!)
    for (let count = 1; count <= RELOADS; count++) {
      await reload(count, viewers)
      for (const viewer of viewers) await play(viewer)
      if (count === MIDDLE) viewers.push(await watch(url))
    }
    const between = Array.from({ length: RELOADS - 1 }, (_, index) => index + 2)
    await waitFor(async () => {
      for (const viewer of viewers) await play(viewer)
      return between.every((generation) => generation === MIDDLE + 1 || hasEnded(generation))
    })
    expect([1, MIDDLE + 1].map(hasEnded)).to.eql([false, false])
    expect(await play(viewers[0]!)).to.be.greaterThan(start)

    await waitFor(() => [1, MIDDLE + 1].every(hasEnded), { what: 'the end of those whose viewers have left' })
    const [again] = await Promise.all(viewers.map(({ mediaUrl }) => ask(mediaUrl)))
    expect(again?.status).to.equal(302)
    await publisher.close()
    expect(running.problems).to.eql([])
  })
})
