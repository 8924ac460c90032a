import { expect } from 'chai'
import { SluiceError } from 'sluice/sdk'
import { h265ConfigFromParameterSets } from 'sluice/sdk/media'
import { acceptAnswer, offerReceiving, offerSending } from './client-offer.ts'
import { audioTrack, countedSsrcs, LOCAL, NAMES, videoTrack } from './fixtures/local.ts'
import { serializeAnswer, serializeOffer } from './local-description.ts'
import type { NegotiatedMedia } from './negotiated-media.ts'
import { answerPlay } from './play-answer.ts'
import { answerPublish } from './publish-answer.ts'
import { parseDescription } from './remote-description.ts'

/** What x265 made. */
const H265_SETS = [
  'QAEMAf//AWAAAAMAkAAAAwAAAwA8lZgJ',
  'QgEBAWAAAAMAkAAAAwAAAwA8oAoIDxZZWaSTK8BaAgAAAwACAAADADIQ',
  'RAHBcrRiQA==',
].map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer, Buffer]
const H264 = videoTrack('h264', 'avc1.64001f')

function namesOf(medias: readonly NegotiatedMedia[]) {
  return medias.map(({ formats }) => formats.map(({ format }) => format.encodingName).join(' '))
}

/** What both ends have agreed on, when this server answers itself. */
function talk(
  offered: readonly NegotiatedMedia[],
  answerTo: (offer: ReturnType<typeof parseDescription>) => readonly NegotiatedMedia[],
) {
  const offer = parseDescription(serializeOffer(offered, LOCAL, NAMES))
  const answered = answerTo(offer)
  const answer = parseDescription(serializeAnswer(offer, answered, LOCAL, NAMES))
  return { answered, accepted: acceptAnswer(offered, answer) }
}

describe('offers of clients', () => {
  it('that pull take all codecs, and what the server sends of them', () => {
    expect(namesOf(offerReceiving())).to.deep.equal(['H264 H264 H264 H265 VP8 VP9 VP9 AV1', 'OPUS G722 PCMU PCMA'])
    const { answered, accepted } = talk(offerReceiving(), (offer) =>
      answerPlay(offer, [H264, audioTrack('pcma')], countedSsrcs()),
    )
    expect(namesOf(accepted)).to.deep.equal(['H264', 'PCMA'])
    expect(accepted.map(({ sources }) => sources)).to.deep.equal(answered.map(({ sources }) => sources))
    expect(accepted[0]?.formats[0]?.rtxPayloadType).to.equal(answered[0]?.formats[0]?.rtxPayloadType)
    expect(accepted[0]?.formats[0]?.format.parameters.get('profile-level-id')).to.equal('64001f')
    expect([...accepted[0]!.formats[0]!.feedback]).to.have.members(['nack', 'nack pli', 'ccm fir', 'goog-remb'])
    expect(accepted.map(({ direction }) => direction)).to.deep.equal(['receive', 'receive'])
  })

  it('that push have the tracks of the stream that WebRTC carries', () => {
    const offered = offerSending([H264, audioTrack('aac', 2), audioTrack('opus', 2)], countedSsrcs())
    const { answered, accepted } = talk(offered, answerPublish)
    expect(namesOf(accepted)).to.deep.equal(['H264', 'OPUS'])
    expect(accepted.map(({ sources }) => sources)).to.deep.equal(offered.map(({ sources }) => sources))
    expect(answered.map(({ sources }) => sources)).to.deep.equal(offered.map(({ sources }) => sources))
    expect([...accepted[0]!.formats[0]!.feedback]).to.have.members(['nack', 'nack pli', 'ccm fir', 'goog-remb'])
    // Nothing is promised that is not sent: packets have no numbers of the transport's.
    expect([...accepted[0]!.extensions]).to.deep.equal([
      ['mid', 1],
      ['absoluteSendTime', 2],
    ])
  })

  it('that push say of H.265 what decodes it, and of which kind the stream is', () => {
    const config = h265ConfigFromParameterSets(...H265_SETS)
    const [media] = offerSending([{ id: 0, kind: 'video', codec: 'h265', timescale: 90_000, config }], countedSsrcs())
    expect(Object.fromEntries(media!.formats[0]!.format.parameters)).to.deep.equal({
      'tx-mode': 'SRST',
      'profile-id': '1',
      'tier-flag': '0',
      'level-id': '60',
    })
  })

  it('take single NAL units of a server, and give it none', () => {
    const pushed = offerSending([H264], countedSsrcs())
    const modeOf = (offered: readonly NegotiatedMedia[], mode: string) => {
      const answer = serializeOffer(offered, LOCAL, NAMES).replaceAll(/a=(recv|send)only/gu, (_, way) =>
        way === 'recv' ? 'a=sendonly' : 'a=recvonly',
      )
      return () => acceptAnswer(offered, parseDescription(answer.replaceAll('packetization-mode=1', mode)))
    }
    expect(namesOf(modeOf(offerReceiving(), 'packetization-mode=0')())[0]).to.match(/^H264/u)
    expect(namesOf(modeOf(pushed, 'x=1')())).to.deep.equal(['H264'])
    expect(modeOf(pushed, 'packetization-mode=0')).to.throw(SluiceError, /taken nothing/u)
  })

  it('go on with what is left when a media is refused', () => {
    const offered = offerSending([H264, audioTrack('opus')], countedSsrcs())
    const { accepted } = talk(offered, (offer) => answerPublish(offer).filter(({ kind }) => kind === 'audio'))
    expect(accepted.map(({ kind, index }) => `${kind} ${index}`)).to.deep.equal(['audio 1'])
  })

  it('are nothing where the server takes nothing, or WebRTC carries nothing', () => {
    const offered = offerSending([H264], countedSsrcs())
    const answer = parseDescription(serializeOffer(offered, LOCAL, NAMES))
    expect(() => acceptAnswer(offered, answer)).to.throw(SluiceError, /taken nothing/u)
    expect(() => offerSending([videoTrack('mjpeg', 'mjpeg'), audioTrack('mp3')], countedSsrcs())).to.throw(
      SluiceError,
      /MJPEG and MP3/u,
    )
  })
})
