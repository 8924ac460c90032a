import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { NetworkNamespace } from '../support/webrtc/network-namespace.ts'
import { lostPictures } from '../support/webrtc/shown-pictures.ts'
import { RtcPage } from '../support/webrtc/rtc-page.ts'
import { startWebRtcServer, untilPublished } from '../support/webrtc/webrtc-server.ts'

const PICTURES = 60

describe('WebRTC in a network without UDP', () => {
  it('is published and played by TCP', async function () {
    requirePeer(this, 'chromium')
    const network = NetworkNamespace.openWithoutUdp(this)
    const server = await startWebRtcServer()
    const at = (path: string) => `http://${network.hostAddress}:${server.httpPort}${path}`
    const page = await RtcPage.open(network)
    const publisher = await page.publish(at('/webrtc/push/live/tcp'), { codec: 'VP8' })
    await untilPublished(server, 'live/tcp')
    const player = await page.play(at('/webrtc/play/live/tcp'))
    const played = await player.until(({ pictures }) => pictures.length >= PICTURES, 'pictures')
    expect(played).to.include({ transport: 'tcp', packetsLost: 0 })
    expect(lostPictures((await publisher.state()).sent, played.received)).to.equal(0)
    expect(server.problems).to.eql([])
  })
})
