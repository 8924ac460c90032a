import { expect } from 'chai'
import { publish, type PublishInit } from '../peers/ffmpeg.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { numberedPictures, READ_PICTURE_NUMBER } from '../support/picture-clock.ts'
import { inTurn } from '../support/soak.ts'
import { RtcPage, type PagePlayer } from '../support/webrtc/rtc-page.ts'
import { startWebRtcServer, untilPublished } from '../support/webrtc/webrtc-server.ts'

const LONG_SECONDS = 170
const PICTURES = 60
const ADDRESS = '/webrtc/play/live/source'

describe('what WebRTC viewers see of streams that change and differ', () => {
  before(function () {
    requirePeer(this, 'chromium')
  })

  it('shows a source with B-frames in order, without them', async () => {
    const { page, player } = await playNumbered({ video: { bFrames: 2 } })
    const numbers = await page.numbers(0, PICTURES)
    expect(numbers).to.eql(numbers.toSorted((one, other) => one - other))
    const { pliCount, packetsLost, errors } = await player.state()
    expect({ pliCount, packetsLost, errors }).to.eql({ pliCount: 0, packetsLost: 0, errors: [] })
  })

  it('shows who comes late what is live now, however old the last keyframe is', async () => {
    const { page, server } = await playNumbered({ video: { gopFrames: 2500 } })
    const [first] = await page.numbers(0, PICTURES)
    const late = await page.rtc.play(server.http(ADDRESS))
    await late.until(({ framesDecoded }) => framesDecoded > 0, 'the first picture')
    const meets = async () => {
      const [early, other] = [await page.numbers(0, 1), await page.numbers(1, 1)]
      return early.at(-1)! - other[0]! < 10
    }
    await waitFor(meets, { what: 'the second viewer to be where the first is', timeoutMs: 60_000 })
    expect(first).to.be.below(2500)
  })

  for (const codec of inTurn(['VP8', 'H264'] as const, 1)) {
    it(`goes on when pictures of ${codec} become larger`, async () => {
      const server = await startWebRtcServer()
      const page = await RtcPage.open()
      await page.publish(server.http('/webrtc/push/live/size'), { codec })
      await untilPublished(server, 'live/size')
      const player = await page.play(server.http('/webrtc/play/live/size'))
      await player.until(({ pictures }) => pictures.length >= PICTURES, 'pictures')
      await page.page.evaluate('Object.assign(peers[0].context.canvas, { width: 640, height: 480 })')
      const larger = await player.until(({ size }) => size === '640x480', 'larger pictures')
      const after = await player.until(
        ({ framesDecoded }) => framesDecoded >= larger.framesDecoded + PICTURES,
        'pictures to go on',
      )
      expect(after).to.include({ packetsLost: 0, size: '640x480' })
      expect(server.problems).to.eql([])
    })
  }

  it('goes on when another publisher takes over', async () => {
    const server = await startWebRtcServer()
    const page = await RtcPage.open()
    const first = await page.publish(server.http('/webrtc/push/live/again'), { codec: 'VP8' })
    await untilPublished(server, 'live/again')
    const player = await page.play(server.http('/webrtc/play/live/again'))
    const before = await player.until(({ pictures }) => pictures.length >= PICTURES, 'pictures')
    await first.stop()
    await page.publish(server.http('/webrtc/push/live/again'), { codec: 'VP8' })
    const after = await player.until(
      ({ framesDecoded }) => framesDecoded >= before.framesDecoded + PICTURES,
      'the pictures of the second publisher',
    )
    expect(after).to.include({ connection: 'connected', packetsLost: 0 })
  })
})

/** Plays in a browser what ffmpeg publishes by RTMP with numbers in its pictures. */
async function playNumbered(init: Omit<PublishInit, 'url'>) {
  const server = await startWebRtcServer()
  publish({ ...numberedPictures({ durationSeconds: LONG_SECONDS, ...init }), url: server.rtmp('live/source') })
  const rtc = await RtcPage.open()
  const player: PagePlayer = await waitFor(() => rtc.play(server.http(ADDRESS)), { what: 'the stream' })
  await player.until(({ framesDecoded }) => framesDecoded > 0, 'the first picture')
  return { page: { rtc, numbers: (place: number, count: number) => numbersShown(rtc, place, count) }, player, server }
}

/** The numbers of the next pictures that a viewer of the page sees. */
function numbersShown(rtc: RtcPage, place: number, count: number): Promise<number[]> {
  return rtc.page.evaluate<number[]>(`new Promise((resolve) => {
    const { video } = peers[${place}]
    const numbers = []
    const shown = () => {
      numbers.push(${READ_PICTURE_NUMBER})
      if (numbers.length === ${count}) resolve(numbers)
      else video.requestVideoFrameCallback(shown)
    }
    video.requestVideoFrameCallback(shown)
  })`)
}
