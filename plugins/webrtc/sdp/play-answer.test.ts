import { expect } from 'chai'
import { SluiceError } from 'sluice/sdk'
import { descriptionText } from './fixtures/descriptions.ts'
import { audioTrack, countedSsrcs, LOCAL, NAMES, videoTrack } from './fixtures/local.ts'
import { serializeAnswer } from './local-description.ts'
import { acceptedCodecs, answerPlay } from './play-answer.ts'
import { parseDescription, withTransportOf } from './remote-description.ts'

const CHROMIUM = parseDescription(descriptionText('chromium-play'))
const FIREFOX = parseDescription(descriptionText('firefox-play'))
const H264 = videoTrack('h264', 'avc1.64001f')
const OPUS = audioTrack('opus', 2)

function parametersFor(codecString: string, offer = CHROMIUM): string {
  const track = videoTrack(
    codecString.startsWith('vp09') ? 'vp9' : codecString.startsWith('av01') ? 'av1' : 'h264',
    codecString,
  )
  const { format } = answerPlay(offer, [track], countedSsrcs())[0]!.formats[0]!
  return `${format.payloadType} ${format.parameters.get('profile-level-id') ?? format.parameters.get('profile-id') ?? ''}`.trim()
}

/** An offer as GStreamer and aiortc make it: sound first, each media with credentials of its own, and no more than it must say. */
function sparseOffer(video = 'a=rtpmap:101 H264/90000'): string {
  const media = (mid: number, name: string, lines: readonly string[]) => [
    `m=${name} 9 UDP/TLS/RTP/SAVPF ${mid === 0 ? 96 : 101}`,
    'c=IN IP4 0.0.0.0',
    'a=recvonly',
    `a=mid:${mid}`,
    'a=rtcp-mux',
    'a=setup:actpass',
    `a=ice-ufrag:${name}`,
    `a=ice-pwd:${String(mid).repeat(24)}`,
    `a=fingerprint:sha-256 ${Array(32).fill('AB').join(':')}`,
    ...lines,
  ]
  const head = ['v=0', 'o=- 1 1 IN IP4 0.0.0.0', 's=-', 't=0 0', 'a=group:BUNDLE 0 1']
  const lines = [...head, ...media(0, 'audio', ['a=rtpmap:96 OPUS/48000']), ...media(1, 'video', [video])]
  return lines.map((line) => `${line}\r\n`).join('')
}

describe('answers to viewers', () => {
  it('begin with what the offer begins with, whose transport all take', () => {
    const offer = parseDescription(sparseOffer())
    const both = answerPlay(offer, [H264, OPUS], countedSsrcs())
    expect(both.map(({ kind }) => kind)).to.eql(['audio', 'video'])
    const bundled = withTransportOf(offer, both[0]!.index)
    expect(bundled.transport.ice.usernameFragment).to.equal('audio')
    const text = serializeAnswer(bundled, both, LOCAL, NAMES)
    expect(text).to.include('a=group:BUNDLE 0 1\r\n')
    expect(text.indexOf('a=candidate')).to.be.within(text.indexOf('m=audio'), text.indexOf('m=video'))
    const [silent] = answerPlay(offer, [H264], countedSsrcs())
    const { ice } = withTransportOf(offer, silent!.index).transport
    expect(ice).to.eql({ usernameFragment: 'video', password: '1'.repeat(24) })
  })

  it('have room for sound that has yet to begin, as it is or made anew, and for none that was not declared', () => {
    const codecsFor = (...silent: ReturnType<typeof audioTrack>[]) =>
      answerPlay(CHROMIUM, [H264], countedSsrcs(), silent).map(({ formats }) => formats[0]!.format.encodingName)
    expect(codecsFor(OPUS)).to.have.members(['H264', 'OPUS'])
    expect(codecsFor(audioTrack('pcma'))).to.have.members(['H264', 'PCMA'])
    expect(codecsFor(audioTrack('aac', 2))).to.have.members(['H264', 'OPUS'])
    expect(codecsFor()).to.eql(['H264'])
    const medias = answerPlay(CHROMIUM, [H264], countedSsrcs(), [audioTrack('aac', 6)])
    const made = medias.find(({ kind }) => kind === 'audio')
    expect(made?.formats[0]?.format.parameters.get('stereo')).to.equal('1')
  })

  it('take H.264 that says nothing of its mode where there is no other, and Opus that says nothing of its channels', () => {
    const offer = parseDescription(sparseOffer())
    expect(acceptedCodecs(offer)).to.eql({ video: ['h264'], audio: ['opus'] })
    const mode0 = parseDescription(sparseOffer('a=rtpmap:101 H264/90000\r\na=fmtp:101 packetization-mode=0'))
    expect(acceptedCodecs(mode0)).to.eql({ video: [], audio: ['opus'] })
  })

  it('refuse H.264 in single NAL units alone, and say what would work', () => {
    const mode0 = parseDescription(sparseOffer('a=rtpmap:101 H264/90000\r\na=fmtp:101 packetization-mode=0'))
    expect(() => answerPlay(mode0, [H264, OPUS], countedSsrcs())).to.throw(
      SluiceError,
      'this stream is H.264 and Opus; the player offers Opus and H.264 (packetization-mode=0): ' +
        'offer H.264 with packetization-mode=1, or play it by HLS',
    )
    expect(() => answerPlay(mode0, [videoTrack('h265', 'hvc1.1.6.L93.B0')], countedSsrcs())).to.throw(
      SluiceError,
      'this stream is H.265; the player offers Opus: play it by HLS',
    )
  })

  it('have what the stream has, each by one format', () => {
    const medias = answerPlay(CHROMIUM, [H264, OPUS], countedSsrcs())
    const shown = medias.map(({ kind, index, direction, formats, sources }) => {
      const names = formats.map(({ format, rtxPayloadType }) => [
        format.encodingName,
        format.payloadType,
        rtxPayloadType,
      ])
      return { kind, index, direction, names, sources }
    })
    expect(shown).to.deep.equal([
      { kind: 'video', index: 0, direction: 'send', names: [['H264', 41, 42]], sources: [{ ssrc: 2, rtxSsrc: 1 }] },
      {
        kind: 'audio',
        index: 1,
        direction: 'send',
        names: [['OPUS', 111, undefined]],
        sources: [{ ssrc: 3, rtxSsrc: undefined }],
      },
    ])
  })

  it('name the sources, and refuse what is no media', () => {
    const medias = answerPlay(CHROMIUM, [H264, OPUS], countedSsrcs())
    const text = serializeAnswer(CHROMIUM, medias, LOCAL, NAMES)
    for (const line of [
      'a=group:BUNDLE 0 1',
      'a=ssrc-group:FID 2 1',
      'a=ssrc:2 cname:sluiceTest',
      'a=ssrc:1 cname:sluiceTest',
      'a=msid:sluice video',
      'a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1',
      'a=fmtp:42 apt=41',
      'm=application 0 UDP/DTLS/SCTP webrtc-datachannel',
    ]) {
      expect(text.split('\r\n')).to.include(line)
    }
    expect(text.match(/a=sendonly/gu)?.length).to.equal(2)
    expect(text.match(/a=candidate/gu)?.length).to.equal(LOCAL.candidates.length)
  })

  it('have the profile of the stream, or the nearest that decodes it', () => {
    expect(parametersFor('avc1.42e01f')).to.equal('108 42e01f')
    expect(parametersFor('avc1.42001f')).to.equal('102 42001f')
    expect(parametersFor('avc1.4d401f')).to.equal('116 4d001f')
    // High: this Chromium offers only that of 4:4:4 above main, which decodes it.
    expect(parametersFor('avc1.640028')).to.equal('41 f4001f')
    expect(parametersFor('avc1.640028', FIREFOX)).to.equal('105 42001f')
    expect(parametersFor('vp09.00.10.08')).to.equal('98 0')
    expect(parametersFor('vp09.02.10.10')).to.equal('100 2')
    expect(parametersFor('av01.1.04M.08')).to.equal('47')
  })

  it('ask for an estimate where the viewer makes one, and for nothing of sound', () => {
    const medias = answerPlay(CHROMIUM, [H264, OPUS], countedSsrcs())
    const feedback = medias.map(({ formats }) => [...formats[0]!.feedback].toSorted())
    expect(feedback).to.deep.equal([['ccm fir', 'goog-remb', 'nack', 'nack pli'], []])
    expect(medias.map(({ extensions }) => [...extensions.keys()])).to.deep.equal([
      ['absoluteSendTime', 'mid'],
      ['absoluteSendTime', 'mid'],
    ])
    const counting = parseDescription(descriptionText('chromium-play').replaceAll(/a=rtcp-fb:\d+ goog-remb\r\n/gu, ''))
    const counted = answerPlay(counting, [H264, OPUS], countedSsrcs())
    // Nothing is promised that is not sent: packets have no numbers of the transport's.
    expect(counted.map(({ formats }) => formats[0]!.feedback.has('transport-cc'))).to.deep.equal([false, false])
    expect(counted.map(({ extensions }) => extensions.has('transportSequence'))).to.deep.equal([false, false])
  })

  it('can be of the codecs that are offered, so that the stream may be fitted to them', () => {
    expect(acceptedCodecs(CHROMIUM)).to.deep.equal({
      video: ['vp8', 'vp9', 'h264', 'av1'],
      audio: ['opus', 'g722', 'pcmu', 'pcma'],
    })
  })

  it('have what there is of what the viewer wants', () => {
    const silent = answerPlay(CHROMIUM, [H264], countedSsrcs())
    expect(silent.map(({ kind }) => kind)).to.deep.equal(['video'])
    const text = serializeAnswer(CHROMIUM, silent, LOCAL, NAMES)
    expect(text).to.include('m=audio 0 ').and.include('a=group:BUNDLE 0\r\n')
    for (const codec of ['pcma', 'pcmu', 'g722'] as const) {
      const [media] = answerPlay(CHROMIUM, [audioTrack(codec)], countedSsrcs())
      expect(media?.formats[0]?.format.encodingName).to.equal(codec.toUpperCase())
    }
  })

  const refusals = [
    {
      tracks: [videoTrack('h265', 'hvc1.1.6.L93.B0'), audioTrack('aac')],
      message:
        'this stream is H.265 and AAC; the player offers VP8, VP9, H.264, AV1, Opus, G.722, PCMU and PCMA: ' +
        'publish in VP8, VP9, H.264, AV1, Opus, G.722, PCMU or PCMA, or play it by HLS',
    },
    {
      tracks: [H264, audioTrack('mp3')],
      message:
        'this stream is H.264 and MP3; the player offers VP8, VP9, H.264, AV1, Opus, G.722, PCMU and PCMA: ' +
        'publish in Opus, G.722, PCMU or PCMA, or play it by HLS',
    },
    {
      tracks: [H264, audioTrack('pcma', 1, 16_000)],
      message: 'this stream is H.264 and PCMA (16000 Hz, channels: 1); the player offers VP8,',
    },
    { tracks: [H264, audioTrack('opus', 6)], message: 'this stream is H.264 and Opus (48000 Hz, channels: 6);' },
    { tracks: [], message: 'this stream has neither pictures nor sound' },
  ]
  for (const { tracks, message } of refusals) {
    it(`say what would work: ${message}`, () => {
      expect(() => answerPlay(CHROMIUM, tracks, countedSsrcs()))
        .to.throw(SluiceError, message)
        .with.property('statusCode', 406)
    })
  }

  it('refuse an offer that wants nothing', () => {
    const offer = parseDescription(descriptionText('obs-publish'))
    expect(() => answerPlay(offer, [H264], countedSsrcs())).to.throw(SluiceError, /recvonly or sendrecv/u)
  })
})
