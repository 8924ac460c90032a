import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import type { RunningServer } from '../support/server.ts'
import { LossyLink } from '../support/webrtc/lossy-link.ts'
import { RtcPage } from '../support/webrtc/rtc-page.ts'
import { startWebRtcServer, untilPublished } from '../support/webrtc/webrtc-server.ts'

const PUSH = '/webrtc/push/live/layers'
const PLAY = '/webrtc/play/live/layers'
/** Chromium leaves out the largest of three layers of smaller pictures. */
const SIZES = { q: '240x135', h: '480x270', f: '960x540' }
const TIMEOUT_MS = 120_000
/** What is lost where it is: a packet of so many. */
const LOST_OF = 4

describe('simulcast of Chromium', () => {
  let server: RunningServer
  let page: RtcPage
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startWebRtcServer()
    page = await RtcPage.open()
    const init = { codec: 'VP8', rids: Object.keys(SIZES), width: 960, height: 540, fps: 12 } as const
    await page.publish(server.http(PUSH), init)
    await untilPublished(server, 'live/layers')
  })

  it('has layers that viewers choose, and the largest for those who do not', async () => {
    const playsLayer = async ([rid, size]: readonly [rid: string, size: string]) => {
      const play = () => page.play(server.http(`${PLAY}?layer=${rid}`))
      const player = await waitFor(play, { what: `layer ${rid}`, timeoutMs: TIMEOUT_MS })
      const played = await player.until((state) => state.size === size && state.framesDecoded > 20, `layer ${rid}`)
      expect(played).to.include({ videoCodec: 'video/VP8', packetsLost: 0 })
      await player.stop()
    }
    await Promise.all(Object.entries(SIZES).map(playsLayer))
    const player = await page.play(server.http(PLAY))
    await player.until(({ size, framesDecoded }) => size === SIZES.f && framesDecoded > 20, 'the largest layer')
    await player.stop()
    await expectRefused(page, server.http(`${PLAY}?layer=none`))
    expect(server.problems).to.eql([])
  })

  it('gives a viewer that loses much a smaller layer, and the largest again when it loses nothing', async () => {
    let isBad = false
    let count = 0
    const policy = { isDropped: ({ rtcp }: { readonly rtcp: boolean }) => isBad && !rtcp && count++ % LOST_OF === 0 }
    const link = await LossyLink.start({ serverPort: server.httpPort, policies: { toClient: policy } })
    const player = await page.play(link.http(PLAY))
    await player.until(({ size }) => size === SIZES.f, 'the largest layer')
    isBad = true
    await player.until(({ size }) => size === SIZES.h || size === SIZES.q, 'a smaller layer')
    isBad = false
    const { framesDecoded } = await player.until(({ size }) => size === SIZES.f, 'the largest layer again')
    await player.until((state) => state.framesDecoded > framesDecoded + 20, 'pictures to go on')
  })
})

async function expectRefused(page: RtcPage, url: string): Promise<void> {
  const refusal = await page.play(url).then(
    () => 'it was let in',
    ({ message }: Error) => message,
  )
  expect(refusal).to.contain('404')
}
