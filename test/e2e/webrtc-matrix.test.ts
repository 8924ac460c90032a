import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import type { RunningServer } from '../support/server.ts'
import { RtcPage } from '../support/webrtc/rtc-page.ts'
import { lostPictures, medianDelayMs, numbersOf, sentOf } from '../support/webrtc/shown-pictures.ts'
import { TakenPictures } from '../support/webrtc/taken-pictures.ts'
import { startWebRtcServer, untilPublished } from '../support/webrtc/webrtc-server.ts'

/** Enough that a keyframe that was asked for is not all that came. */
const PICTURES = 100
/** Some 20 ms on a quiet machine: what waits for keyframes or fills buffers takes longer than this on a busy one. */
const MAX_MEDIAN_DELAY_MS = 2000

describe('WebRTC in Chromium, by codec', () => {
  let server: RunningServer
  let page: RtcPage
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startWebRtcServer()
    page = await RtcPage.open()
  })

  for (const codec of ['VP8', 'VP9', 'H264', 'AV1'] as const) {
    it(`publishes ${codec} with Opus and plays it, whole and soon`, async () => {
      const streamPath = `live/${codec}`
      const publisher = await page.publish(server.http(`/webrtc/push/${streamPath}`), { codec })
      await untilPublished(server, streamPath)
      const taken = new TakenPictures(server.http(`/flv/${streamPath}.flv`))
      const player = await page.play(server.http(`/webrtc/play/${streamPath}`))
      const isThere = ({ pictures, soundEnergy }: { pictures: readonly unknown[]; soundEnergy: number }) =>
        pictures.length >= PICTURES && soundEnergy > 0
      const played = await player.until(isThere, 'pictures and sound')
      expect(played).to.include({ videoCodec: `video/${codec}`, audioCodec: 'audio/opus', size: '320x240' })
      expect(played).to.include({ connection: 'connected', transport: 'udp', packetsLost: 0 })
      expect(played.errors).to.eql([])
      await waitFor(() => taken.names.includes(played.received.at(-1) ?? ''), { what: 'the server to have taken them' })
      const names = [...taken.names]
      const { sent, nackCount, pliCount, keyFramesEncoded } = await publisher.state()
      const { framesReceived, framesDropped } = played
      const asked = { nackCount, pliCount, keyFramesEncoded, byPlayer: [played.nackCount, played.pliCount] }
      const counts = JSON.stringify({ sent: sent.length, framesReceived, framesDropped, ...asked })
      expect(lostPictures(names, played.received), counts).to.equal(0)
      expect(lostPictures(sentOf(sent, names), names), counts).to.equal(0)
      expect(medianDelayMs(played.pictures)).to.be.below(MAX_MEDIAN_DELAY_MS)

      await player.stop()
      await publisher.stop()
      expect(server.problems).to.eql([])
    })
  }

  it('lets a viewer in late, with a keyframe of its own', async () => {
    const publisher = await page.publish(server.http('/webrtc/push/live/late'), { codec: 'VP8' })
    await untilPublished(server, 'live/late')
    const early = await page.play(server.http('/webrtc/play/live/late'))
    await early.until(({ pictures }) => pictures.length >= PICTURES, 'the first viewer to see it')
    const late = await page.play(server.http('/webrtc/play/live/late'))
    const { pictures } = await late.until(({ pictures }) => pictures.length >= 10, 'the second viewer to see it')
    expect(numbersOf(pictures)[0]).to.be.above(PICTURES / 2)
    const seen = numbersOf((await early.state()).pictures)
    expect(seen).to.eql(seen.toSorted((one, other) => one - other))
    expect((await publisher.state()).errors).to.eql([])
  })
})
