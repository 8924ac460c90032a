import { expect } from 'chai'
import fc from 'fast-check'
import { SluiceError } from 'sluice/sdk'
import { rounds } from '../../../test/support/soak.ts'
import { answerPlay } from './play-answer.ts'
import { answerPublish } from './publish-answer.ts'
import { descriptionText, type DescriptionName } from './fixtures/descriptions.ts'
import { audioTrack, countedSsrcs, LOCAL, NAMES, videoTrack } from './fixtures/local.ts'
import { serializeAnswer } from './local-description.ts'
import { DESCRIPTION_MAX_LENGTH, DESCRIPTION_MAX_MEDIAS, parseDescription } from './remote-description.ts'
import { MAX_RIDS, MAX_SOURCES } from './remote-media.ts'
import { MAX_CANDIDATES } from './transport-attributes.ts'

const ALL: readonly DescriptionName[] = [
  'chromium-publish',
  'chromium-simulcast',
  'chromium-play',
  'firefox-play',
  'obs-publish',
  'gstreamer-publish',
]
const OBS = descriptionText('obs-publish')
const RUNS = rounds(400)

/** What is wrong with OBS's offer, by what is replaced in it. */
const broken: readonly { name: string; from: RegExp; to: string; message: RegExp }[] = [
  { name: 'no bundle', from: /a=group:BUNDLE.*\n/u, to: '', message: /BUNDLE is required.*max-bundle/u },
  { name: 'no multiplexed RTCP', from: /a=rtcp-mux\n/gu, to: '', message: /rtcp-mux is required/u },
  { name: 'no ICE', from: /a=ice-ufrag.*\n/u, to: '', message: /ICE is required/u },
  { name: 'a password that is too short', from: /a=ice-pwd:.*/u, to: 'a=ice-pwd:short', message: /a=ice-pwd has/u },
  {
    name: 'a name of characters that ICE has not',
    from: /a=ice-ufrag:.*/u,
    to: 'a=ice-ufrag:a:bcd',
    message: /ufrag has/u,
  },
  { name: 'no fingerprint', from: /a=fingerprint.*\n/u, to: '', message: /DTLS is required/u },
  { name: 'a fingerprint of SHA-1', from: /sha-256/u, to: 'sha-1', message: /DTLS is required/u },
  { name: 'a fingerprint that is cut', from: /:22:91/u, to: ':22', message: /DTLS is required/u },
  { name: 'media in the clear', from: /UDP\/TLS\/RTP\/SAVPF/gu, to: 'RTP/AVP', message: /no audio and no video/u },
  { name: 'two medias of one name', from: /a=mid:1/u, to: 'a=mid:0', message: /two medias/u },
  { name: 'a name that is none', from: /a=mid:1/u, to: 'a=mid:a b', message: /a=mid has/u },
  { name: 'all medias refused', from: /^(m=\w+) 64386/gmu, to: '$1 0', message: /no audio and no video/u },
]

function problemOf(text: string): unknown {
  try {
    parseDescription(text)
  } catch (error) {
    return error
  }
  return undefined
}

describe('descriptions of peers', () => {
  it('tell who they are, and how they are reached', () => {
    const { transport } = parseDescription(OBS)
    expect(transport.ice).to.deep.equal({ usernameFragment: 'jBUY', password: 'Vkk0zFlZYTIEEN8Ncyxvcb' })
    expect(transport.setup).to.equal('actpass')
    expect(transport.fingerprints.map(({ algorithm }) => algorithm)).to.deep.equal(['sha-256'])
    expect(transport.candidates).to.deep.equal([
      '1 1 UDP 2122317823 192.0.2.12 64386 typ host',
      '2 1 UDP 2122317823 2001:db8::12 64386 typ host',
    ])
    expect(transport.isComplete).to.equal(true)
    expect(parseDescription(descriptionText('chromium-publish')).transport.isComplete).to.equal(false)
  })

  it('tell their medias', () => {
    const shown = ALL.map((name) =>
      parseDescription(descriptionText(name)).medias.map(
        ({ kind, mid, direction, isRejected }) => `${kind} ${mid} ${direction} ${isRejected}`,
      ),
    )
    expect(shown).to.deep.equal([
      ['audio 0 sendonly false', 'video 1 sendonly false'],
      ['video 0 sendonly false'],
      ['video 0 recvonly false', 'audio 1 recvonly false', 'undefined 2 sendrecv false'],
      ['video 0 recvonly false', 'audio 1 recvonly false'],
      ['audio 0 sendonly false', 'video 1 sendonly false'],
      ['video video0 sendonly false', 'audio audio1 sendonly false'],
    ])
  })

  it('tell their sources, with those of retransmissions', () => {
    const [, video] = parseDescription(descriptionText('chromium-publish')).medias
    expect(video?.sources).to.deep.equal([{ ssrc: 425_452_751, rtxSsrc: 867_032_479 }])
    const [audio] = parseDescription(OBS).medias
    expect(audio?.sources).to.deep.equal([{ ssrc: 1_353_541_379, rtxSsrc: undefined }])
  })

  it('tell the layers that they send', () => {
    const text = descriptionText('chromium-simulcast')
    const layersOf = (other: string) => parseDescription(text.replace(/a=simulcast:.*/u, other)).medias[0]?.rids
    expect(layersOf('a=simulcast:send h;l')).to.deep.equal(['h', 'l'])
    expect(layersOf('a=simulcast:recv x send l,h;~h')).to.deep.equal(['l', 'h'])
    expect(layersOf('a=simulcast:send rid=l;h')).to.deep.equal(['l', 'h'])
    expect(layersOf('a=simulcast:send h;unknown')).to.deep.equal(['h'])
    expect(layersOf('a=simulcast:recv h')).to.deep.equal([])
  })

  it('may leave out the bundle where there is one media', () => {
    const text = descriptionText('chromium-simulcast').replace(/a=group:.*\r?\n/u, '')
    expect(parseDescription(text).medias[0]?.isRejected).to.equal(false)
  })

  it('have feedback for all payload types at once', () => {
    const { medias } = parseDescription(OBS.replace('a=rtcp-fb:96 nack\n', 'a=rtcp-fb:* ccm fir\n'))
    expect([...medias[1]!.feedback.get(96)!]).to.have.members(['ccm fir', 'nack pli', 'goog-remb'])
  })

  for (const { name, from, to, message } of broken) {
    it(`are refused with what is wrong: ${name}`, () => {
      const text = OBS.replace(from, to)
      expect(text).to.not.equal(OBS)
      const problem = problemOf(text)
      expect(problem).to.be.instanceOf(SluiceError).with.property('statusCode', 400)
      expect((problem as Error).message)
        .to.match(message)
        .and.not.include('Vkk0zFlZYTIEEN8Ncyxvcb')
    })
  }

  it('are bounded', () => {
    for (const text of [
      '',
      'hello',
      OBS + 'a=x\n'.repeat(DESCRIPTION_MAX_LENGTH / 4),
      OBS + 'm=audio 9 UDP/TLS/RTP/SAVPF 0\n'.repeat(DESCRIPTION_MAX_MEDIAS),
    ]) {
      expect(problemOf(text)).to.be.instanceOf(SluiceError).with.property('statusCode', 400)
    }
    const numbers = Array.from({ length: 200 }, (_, index) => index + 1)
    const sources = numbers.map((ssrc) => `a=ssrc:${ssrc} cname:x\n`).join('')
    const rids = numbers.map((rid) => `a=rid:${rid} send\n`).join('')
    const candidates = 'a=candidate:1 1 udp 1 192.0.2.1 1 typ host\n'.repeat(200)
    const text = `${OBS}${sources}${rids}a=simulcast:send ${numbers.join(';')}\n${candidates}`
    const { medias, transport } = parseDescription(text)
    expect(medias[1]?.sources.length).to.equal(MAX_SOURCES)
    expect(medias[1]?.rids.length).to.equal(MAX_RIDS)
    expect(transport.candidates.length).to.be.at.most(MAX_CANDIDATES)
  })

  it('never do more harm than to be refused', () => {
    const texts = ALL.map(descriptionText)
    const lines = texts.flatMap((text) => text.split(/\r?\n/u))
    const changes = fc.array(
      fc.tuple(fc.nat(), fc.constantFrom('drop', 'double', 'other', 'cut', 'noise'), fc.nat(), fc.string()),
      { maxLength: 6 },
    )
    const tracks = [videoTrack('h264', 'avc1.64001f'), audioTrack('aac', 2)]
    fc.assert(
      fc.property(fc.constantFrom(...texts), changes, (text, list) => {
        const mutated = text.split(/\r?\n/u)
        for (const [at, change, other, noise] of list) {
          const place = at % mutated.length
          const line = mutated[place] ?? ''
          if (change === 'drop') mutated.splice(place, 1)
          else if (change === 'double') mutated.splice(place, 0, line)
          else if (change === 'other') mutated.splice(place, 0, lines[other % lines.length] ?? '')
          else if (change === 'cut') mutated[place] = line.slice(0, other % (line.length + 1))
          else mutated[place] = line.slice(0, other % (line.length + 1)) + noise
        }
        for (const answer of [
          () => answerPublish(parseDescription(mutated.join('\n'))),
          () => answerPlay(parseDescription(mutated.join('\n')), tracks, countedSsrcs()),
        ]) {
          try {
            const medias = answer()
            parseDescription(serializeAnswer(parseDescription(mutated.join('\n')), medias, LOCAL, NAMES))
          } catch (error) {
            if (!(error instanceof SluiceError)) throw error
          }
        }
      }),
      { numRuns: RUNS },
    )
  })
})
