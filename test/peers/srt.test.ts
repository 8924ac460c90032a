import { expect } from 'chai'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { knownSource, type KnownSource } from '../support/known-source.ts'
import { freeUdpPort } from './free-port.ts'
import { requirePeer } from './require-peer.ts'
import type { PeerFrame } from './rtsp.ts'
import { SrtLiveTransmit } from './srt-live-transmit.ts'
import { playSrt, publishSrt, SRT_PROGRAMS, type SrtProgram } from './srt-programs.ts'
import type { SrtAddress } from './srt.ts'
import { isUdpPortBound } from './udp-sockets.ts'
import { waitFor } from './wait-for.ts'

/** The other programs end the connection at once, and libsrt's players throw away what is not due by then. */
const MISSING_AT_END_MS: Readonly<Record<SrtProgram, number>> = { ffmpeg: 0, GStreamer: 300, 'srt-live-transmit': 300 }

type SrtTerms = Partial<SrtAddress>

describe('peers: SRT', () => {
  let source: KnownSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'srt')
    source = await knownSource({ videoCodec: 'h264', audioCodec: 'aac' })
  })

  /** @param terms of the publisher; both have the others */
  async function send(publisher: SrtProgram, player: SrtProgram, both: SrtTerms, terms: SrtTerms) {
    const address = { ...both, port: await freeUdpPort() }
    const missingAtEndMs = MISSING_AT_END_MS[publisher]
    const playing = playSrt(player, { ...address, mode: 'listener' }, { lossy: missingAtEndMs > 0 })
    playing.catch(() => undefined)
    await waitFor(() => isUdpPortBound(address.port), { what: `${player} to listen` })
    await publishSrt(publisher, source.file, { ...address, ...terms, streamId: '#!::r=live/a&b,m=publish' })
    compare(await playing, { player, missingAtEndMs })
  }

  /** Of a file that begins with sound, GStreamer leaves out the first packet. */
  function compare(frames: readonly PeerFrame[], { player = '', missingAtEndMs = 0 }): void {
    const late = player === 'GStreamer'
    const cutAtEnd = missingAtEndMs > 0
    const { video, audio } = compareFrames(source, frames, { late, missingAtEndMs, cutAtEnd, audioShiftMs: 1 })
    expect(video.missing.before).to.equal(0)
    expect(audio.missing.before).to.be.at.most(1)
  }

  const passphrase = 'a-long-passphrase'
  const pairs: readonly (readonly [publisher: SrtProgram, player: SrtProgram, both: SrtTerms, terms?: SrtTerms])[] = [
    ['ffmpeg', 'ffmpeg', { passphrase, keyBytes: 32, latencyMs: 200 }, { keyRefreshPackets: 100 }],
    ['ffmpeg', 'srt-live-transmit', { host: '::1' }],
    ['GStreamer', 'ffmpeg', { passphrase, keyBytes: 24 }],
    ['srt-live-transmit', 'GStreamer', { passphrase, keyBytes: 16 }],
  ]
  for (const [publisher, player, both, terms = {}] of pairs) {
    const name = `${publisher} sends to ${player}: ${JSON.stringify({ ...both, ...terms })}`
    it(name, () => send(publisher, player, both, terms))
  }

  it('srt-live-transmit meets GStreamer in a rendezvous', async () => {
    const [port, localPort] = [await freeUdpPort(), await freeUdpPort()]
    const playing = playSrt('GStreamer', { port, localPort, mode: 'rendezvous' })
    playing.catch(() => undefined)
    await publishSrt('srt-live-transmit', source.file, { port: localPort, localPort: port, mode: 'rendezvous' })
    compare(await playing, { player: 'GStreamer', missingAtEndMs: 300 })
  })

  for (const name of SRT_PROGRAMS) {
    it(`${name} says why it is refused`, async () => {
      const address = { port: await freeUdpPort(), passphrase }
      const listener = new SrtLiveTransmit({ ...address, mode: 'listener' }, 'console')
      await waitFor(() => isUdpPortBound(address.port), { what: 'srt-live-transmit to listen' })
      const error = await playSrt(name, { ...address, passphrase: 'a-wrong-passphrase' }).catch((cause: Error) => cause)
      expect(error).to.be.an('error').with.property('message').that.includes('Incorrect passphrase')
      await listener.process.close()
    })
  }
})
