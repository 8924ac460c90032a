import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import type { LossPolicy } from '../support/rtsp/lossy-flow.ts'
import type { RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { LossyLink } from '../support/webrtc/lossy-link.ts'
import { RtcPage } from '../support/webrtc/rtc-page.ts'
import { medianDelayMs, numbersOf } from '../support/webrtc/shown-pictures.ts'
import { startWebRtcServer, untilPublished } from '../support/webrtc/webrtc-server.ts'

/** At one packet each or more, some of these are lost even at 2 %: the same ones each time. */
const PICTURES = 250
/** Some 30 ms on a quiet machine; this is what a busy one stays below. */
const MAX_MEDIAN_DELAY_MS = 5000
const NETWORKS: readonly { readonly name: string; readonly policy: LossPolicy }[] = [
  { name: '2 % loss', policy: { dropShare: 0.02 } },
  { name: '10 % loss', policy: { dropShare: 0.1 } },
  { name: 'disorder and duplicates', policy: { reorderShare: 0.05, duplicateShare: 0.05 } },
]

describe('WebRTC over a bad network', () => {
  let server: RunningServer
  let page: RtcPage
  before(async function () {
    requirePeer(this, 'chromium')
    server = await startWebRtcServer()
    page = await RtcPage.open()
  })

  const itBeside = sideBySide()

  for (const [index, { name, policy }] of NETWORKS.entries()) {
    itBeside(`publishes and plays on with ${name} both ways`, async () => {
      const publishing = await LossyLink.start({ serverPort: server.httpPort, policies: { toServer: policy } })
      const playing = await LossyLink.start({ serverPort: server.httpPort, policies: { toClient: policy } })
      const publisher = await page.publish(publishing.http(`/webrtc/push/live/loss${index}`), { codec: 'VP8' })
      await untilPublished(server, `live/loss${index}`)
      const player = await page.play(playing.http(`/webrtc/play/live/loss${index}`))
      const played = await player.until(({ pictures }) => pictures.length >= PICTURES, 'the pictures')
      const sent = await publisher.state()

      const recent = played.pictures.slice(-PICTURES / 2)
      expect(numbersOf(recent).at(-1)).to.be.at.least(PICTURES * 0.8)
      expect(medianDelayMs(recent)).to.be.below(MAX_MEDIAN_DELAY_MS)
      expect(played.connection).to.equal('connected')
      if (policy.dropShare === undefined) return
      expect(publishing.total('toServer').dropped).to.be.above(0)
      expect(playing.total('toClient').dropped).to.be.above(0)
      // What the server misses it asks the publisher for, and what the viewer misses it sends again.
      expect(sent.nackCount).to.be.above(0)
      expect(sent.retransmittedPackets).to.be.above(0)
      expect(played.nackCount).to.be.above(0)
      expect(played.retransmittedPackets).to.be.above(0)
    })
  }
})
