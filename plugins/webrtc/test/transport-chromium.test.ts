import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { openChromium } from '../../../test/peers/chromium.ts'
import { keep } from '../../../test/peers/lifetime.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { TransportRig } from '../fixtures/transport-rig.ts'
import { srtpCipherLibrary } from '../srtp/create-contexts.ts'
import type { TransportDescription } from '../transport/transport-description.ts'

describe('the transport of Chromium', () => {
  before(function () {
    requirePeer(this, 'chromium')
  })

  // Where there is a connection, Chromium closes it at once, and its word of farewell may never leave.
  const ways = [
    { ports: ['udp:0'], ends: ['the peer closed the connection'] },
    { ports: ['tcp:0'], ends: ['the peer closed the connection', 'the connection was closed'] },
  ]
  for (const { ports, ends } of ways) {
    it(`connects by ${ports.join()}, starts ICE anew, and is told of the end`, async function () {
      this.timeout(60_000)
      const rig = await TransportRig.start(ports)
      keep({ close: () => rig.stop() })
      const { transport, record } = await rig.create()
      const page = await (await openChromium()).newPage()
      const offer = await offerOf(page, false)
      transport.connect(readDescription(offer))
      await answer(page, answerOf(transport.local))
      await waitFor(() => record.isConnected || record.reason !== undefined)
      expect(record.reason?.text).to.equal(undefined)
      expect(transport.status.profile).to.equal(srtpCipherLibrary().profiles[0])
      await waitFor(async () => (await page.evaluate('peer.connectionState')) === 'connected')

      const { pair } = transport.status
      const { ice } = readDescription(await offerOf(page, true))
      transport.restartIce(ice)
      await answer(page, answerOf(transport.local))
      await waitFor(async () => (await selectedFragment(page)) === ice.usernameFragment)
      expect(transport.status.pair?.split(' ')[0]).to.equal(pair?.split(' ')[0])

      await page.evaluate('peer.close()')
      await waitFor(() => record.reason !== undefined)
      expect(record.reason?.code).to.equal('left')
      expect(record.reason?.text).to.be.oneOf(ends)
    })
  }
})

/** Makes an offer of a page that is to play, or another one that starts ICE anew. */
function offerOf(page: Page, isRestart: boolean): Promise<string> {
  return page.evaluate(`(async () => {
    if (window.peer === undefined) {
      window.peer = new RTCPeerConnection()
      peer.addTransceiver('video', { direction: 'recvonly' })
    }
    await peer.setLocalDescription(await peer.createOffer({ iceRestart: ${isRestart} }))
    return peer.localDescription.sdp
  })()`)
}

function answer(page: Page, sdp: string): Promise<void> {
  return page.evaluate(`peer.setRemoteDescription({ type: 'answer', sdp: ${JSON.stringify(sdp)} })`)
}

/** Reads the page's username fragment of the pair of candidates that is in use: a connection stays `connected` while ICE starts anew. */
function selectedFragment(page: Page): Promise<string | undefined> {
  return page.evaluate(`(async () => {
    const stats = await peer.getStats()
    const transport = [...stats.values()].find(({ type }) => type === 'transport')
    const pair = stats.get(transport?.selectedCandidatePairId)
    return stats.get(pair?.localCandidateId)?.usernameFragment
  })()`)
}

function readDescription(sdp: string): TransportDescription {
  const value = (name: string) => new RegExp(`^a=${name}:(.*)$`, 'm').exec(sdp)![1]!.trim()
  const [algorithm, hash] = value('fingerprint').split(' ')
  return {
    ice: { usernameFragment: value('ice-ufrag'), password: value('ice-pwd') },
    setup: 'actpass',
    fingerprints: [{ algorithm: algorithm!, value: hash! }],
    candidates: [],
    isComplete: false,
  }
}

function answerOf({ ice, setup, fingerprints, candidates }: TransportDescription): string {
  const [fingerprint] = fingerprints
  return [
    'v=0',
    'o=- 1 1 IN IP4 0.0.0.0',
    's=-',
    't=0 0',
    'a=group:BUNDLE 0',
    'm=video 9 UDP/TLS/RTP/SAVPF 96',
    'c=IN IP4 0.0.0.0',
    'a=mid:0',
    'a=sendonly',
    'a=rtcp-mux',
    'a=rtpmap:96 VP8/90000',
    `a=ice-ufrag:${ice.usernameFragment}`,
    `a=ice-pwd:${ice.password}`,
    `a=setup:${setup}`,
    `a=fingerprint:${fingerprint!.algorithm} ${fingerprint!.value}`,
    ...candidates.map((line) => `a=candidate:${line}`),
    '',
  ].join('\r\n')
}
