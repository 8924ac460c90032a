import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { openChromium } from '../../../test/peers/chromium.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { acceptAnswer, offerReceiving, offerSending } from '../sdp/client-offer.ts'
import { audioTrack, countedSsrcs, LOCAL, NAMES, videoTrack } from '../sdp/fixtures/local.ts'
import { serializeAnswer, serializeOffer } from '../sdp/local-description.ts'
import type { NegotiatedMedia } from '../sdp/negotiated-media.ts'
import { answerPlay } from '../sdp/play-answer.ts'
import { answerPublish } from '../sdp/publish-answer.ts'
import { parseDescription, type RemoteDescription } from '../sdp/remote-description.ts'

/** What a browser makes of an answer. */
type Outcome = { readonly directions: readonly (string | null)[]; readonly rids: readonly string[] }

const PAGE = fileURLToPath(new URL('../fixtures/page-connection.js', import.meta.url))

describe('descriptions and Chromium', () => {
  let page: Page
  before(async function () {
    requirePeer(this, 'chromium')
    page = await (await openChromium()).newPage()
    await page.addScriptTag({ path: PAGE })
  })

  /** Calls a function of the page. */
  function call<Result>(name: string, text: string): Promise<Result> {
    return page.evaluate<Result>(`${name}(${JSON.stringify(text)})`)
  }

  /** Has the page offer something, and take the answer to it. */
  async function negotiate(
    offering: 'publish' | 'simulcast' | 'play',
    answerTo: (offer: RemoteDescription) => readonly NegotiatedMedia[],
  ): Promise<Outcome> {
    const offer = parseDescription(await call<string>('offerOf', offering))
    const answer = serializeAnswer(offer, answerTo(offer), LOCAL, NAMES)
    return call<Outcome>('outcomeOf', answer)
  }

  it('publishes by the answer that it gets', async () => {
    const outcome = await negotiate('publish', answerPublish)
    expect(outcome.directions).to.eql(['sendonly', 'sendonly'])
  })

  it('publishes all layers', async () => {
    expect(await negotiate('simulcast', answerPublish)).to.eql({ directions: ['sendonly'], rids: ['h', 'l'] })
  })

  for (const [codec, codecString] of [
    ['h264', 'avc1.64001f'],
    ['h264', 'avc1.42e01f'],
    ['vp8', 'vp8'],
    ['vp9', 'vp09.00.10.08'],
    ['av1', 'av01.0.04M.08'],
  ] as const) {
    it(`plays ${codecString} by the answer that it gets`, async () => {
      const tracks = [videoTrack(codec, codecString), audioTrack('opus', 2)]
      const outcome = await negotiate('play', (offer) => answerPlay(offer, tracks, countedSsrcs()))
      expect(outcome.directions).to.eql(['recvonly', 'recvonly'])
    })
  }

  it('plays what has no sound', async () => {
    const tracks = [videoTrack('vp8', 'vp8')]
    const outcome = await negotiate('play', (offer) => answerPlay(offer, tracks, countedSsrcs()))
    expect(outcome.directions).to.be.an('array').with.property('0', 'recvonly')
  })

  it('answers the offers of clients', async () => {
    const tracks = [videoTrack('h264', 'avc1.42e01f'), audioTrack('opus', 2)]
    for (const [offered, names] of [
      [offerSending(tracks, countedSsrcs()), ['H264', 'OPUS']],
      [offerReceiving(), ['H264', 'OPUS']],
    ] as const) {
      const answer = await call<string>('answerOf', serializeOffer(offered, LOCAL, NAMES))
      const accepted = acceptAnswer(offered, parseDescription(answer))
      expect(accepted.map(({ formats }) => formats[0]?.format.encodingName)).to.eql(names)
    }
  })
})
