import { expect } from 'chai'
import { SluiceError } from 'sluice/sdk'
import { codecOfFormat } from './codec-names.ts'
import { descriptionText, type DescriptionName } from './fixtures/descriptions.ts'
import { LOCAL, NAMES } from './fixtures/local.ts'
import { serializeAnswer } from './local-description.ts'
import { answerPublish, MAX_PUBLISHED_MEDIAS } from './publish-answer.ts'
import { parseDescription } from './remote-description.ts'

function answerTo(text: string) {
  const offer = parseDescription(text)
  const medias = answerPublish(offer)
  return { medias, text: serializeAnswer(offer, medias, LOCAL, NAMES) }
}

function formatsOf(name: DescriptionName): string[] {
  return answerTo(descriptionText(name)).medias.map(({ mid, formats }) => {
    const list = formats.map(({ format, rtxPayloadType }) => {
      const rtx = rtxPayloadType === undefined ? '' : `+${rtxPayloadType}`
      return `${codecOfFormat(format)}:${format.payloadType}${rtx}`
    })
    return `${mid} ${list.join(' ')}`
  })
}

const OBS_ANSWER = `v=0
o=- 4711 1 IN IP4 0.0.0.0
s=-
t=0 0
a=group:BUNDLE 0 1
a=msid-semantic:WMS *
a=ice-options:trickle
m=audio 9 UDP/TLS/RTP/SAVPF 111
c=IN IP4 0.0.0.0
a=mid:0
a=recvonly
a=rtcp-mux
a=rtcp-rsize
a=ice-ufrag:sluice01
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=fingerprint:sha-256 ${LOCAL.fingerprints[0]!.value}
a=setup:passive
a=rtpmap:111 opus/48000/2
a=fmtp:111 minptime=10;maxaveragebitrate=96000;stereo=1;sprop-stereo=1;useinbandfec=1
a=candidate:1 1 udp 2130706431 192.0.2.1 9000 typ host
a=candidate:2 1 tcp 1671430143 192.0.2.1 9000 typ host tcptype passive
a=end-of-candidates
m=video 9 UDP/TLS/RTP/SAVPF 96
c=IN IP4 0.0.0.0
a=mid:1
a=recvonly
a=rtcp-mux
a=rtcp-rsize
a=ice-ufrag:sluice01
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=fingerprint:sha-256 ${LOCAL.fingerprints[0]!.value}
a=setup:passive
a=rtpmap:96 H264/90000
a=fmtp:96 profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1
a=rtcp-fb:96 nack
a=rtcp-fb:96 nack pli
a=rtcp-fb:96 goog-remb
`

describe('answers to publishers', () => {
  it('are what an encoder understands', () => {
    expect(answerTo(descriptionText('obs-publish')).text).to.equal(OBS_ANSWER.replaceAll('\n', '\r\n'))
  })

  it('take all that can be read, as the offer prefers it', () => {
    expect(formatsOf('chromium-publish')).to.deep.equal([
      '0 opus:111 g722:9 pcmu:0 pcma:8',
      '1 vp8:96+97 h264:102+103 h264:108+109 h264:116+117 av1:45+46 vp9:98+99 vp9:100+101',
    ])
    expect(formatsOf('gstreamer-publish')).to.deep.equal(['video0 h264:96+97', 'audio1 opus:98'])
  })

  it('take H.264 in single NAL units where there is no other, and say so', () => {
    const offer = descriptionText('obs-publish')
    const mode0 = answerTo(offer.replace('packetization-mode=1', 'packetization-mode=0'))
    expect(mode0.text)
      .to.match(/^a=fmtp:96 .*packetization-mode=0/mu)
      .and.include('m=video 9 ')
    const unsaid = answerTo(offer.replace('packetization-mode=1;', ''))
    expect(unsaid.medias.map(({ kind }) => kind)).to.deep.equal(['audio', 'video'])
    const interleaved = answerTo(offer.replace('packetization-mode=1', 'packetization-mode=2'))
    expect(interleaved.text).to.include('m=video 0 ')
  })

  it('begin the handshake only when the publisher does not', () => {
    const passive = descriptionText('obs-publish').replace('a=setup:actpass', 'a=setup:passive')
    expect(answerTo(passive).text).to.include('a=setup:active')
  })

  it('ask for numbered packets, and for an estimate of those who have none', () => {
    const feedbackOf = (name: DescriptionName) =>
      answerTo(descriptionText(name)).medias.map(({ formats }) => [...formats[0]!.feedback].toSorted())
    expect(feedbackOf('chromium-publish')).to.deep.equal([
      ['transport-cc'],
      ['ccm fir', 'nack', 'nack pli', 'transport-cc'],
    ])
    expect(feedbackOf('obs-publish')).to.deep.equal([[], ['goog-remb', 'nack', 'nack pli']])
  })

  it('take all layers', () => {
    const { medias, text } = answerTo(descriptionText('chromium-simulcast'))
    expect(medias[0]?.rids).to.deep.equal(['h', 'l'])
    expect([...medias[0]!.extensions.keys()]).to.include.members(['mid', 'rid', 'repairedRid'])
    expect(text).to.include('a=rid:h recv\r\na=rid:l recv\r\na=simulcast:recv h;l\r\n')
  })

  it('refuse what is no media, and more medias than there can be', () => {
    const text = descriptionText('chromium-simulcast').replaceAll('\r\n', '\n')
    const start = text.indexOf('m=video')
    const video = text.slice(start)
    const further = Array.from({ length: 5 }, (_, index) => video.replace('a=mid:0', `a=mid:v${index}`)).join('')
    const data = 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel\na=mid:data\n'
    const group = 'a=group:BUNDLE 0 v0 v1 v2 v3 v4 data'
    const answer = answerTo(`${text.slice(0, start).replace(/a=group.*/u, group)}${video}${further}${data}`)
    expect(answer.medias.length).to.equal(MAX_PUBLISHED_MEDIAS)
    expect(answer.text.match(/^m=\w+ \d+/gmu)).to.deep.equal([
      ...Array.from({ length: MAX_PUBLISHED_MEDIAS }, () => 'm=video 9'),
      'm=video 0',
      'm=video 0',
      'm=application 0',
    ])
    expect(answer.text).to.include('a=group:BUNDLE 0 v0 v1 v2\r\n')
  })

  it('say what can be taken, when nothing of an offer can be', () => {
    const offers = {
      'H.264 (packetization-mode=2) and opus': descriptionText('obs-publish')
        .replace('packetization-mode=1', 'packetization-mode=2')
        .replace('opus/48000/2', 'multiopus/48000/6'),
      'sendonly or sendrecv': descriptionText('chromium-play'),
    }
    expect(() => answerTo(offers['H.264 (packetization-mode=2) and opus']))
      .to.throw(SluiceError, /nothing of MULTIOPUS and H\.264 \(packetization-mode=2\) can be taken: send H\.264/u)
      .with.property('statusCode', 406)
    expect(() => answerTo(offers['sendonly or sendrecv'])).to.throw(
      SluiceError,
      /no audio and no video that is sendonly/u,
    )
  })
})
