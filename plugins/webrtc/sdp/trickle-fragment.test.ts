import { expect } from 'chai'
import fc from 'fast-check'
import { SluiceError } from 'sluice/sdk'
import {
  FRAGMENT_MAX_LENGTH,
  parseTrickleFragment,
  serializeTrickleFragment,
  type TrickleFragment,
} from './trickle-fragment.ts'

const MEDIA = { kind: 'audio', mid: '0' } as const
const ICE = { usernameFragment: 'EsAw', password: 'P2uYro0UCOQ4zxjKXaWCBui1' }
const CANDIDATES = [
  '1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1',
  '3471623853 1 udp 2122194687 198.51.100.2 61765 typ host generation 0 ufrag EsAw network-id 2',
]

/** As RFC 9725 4.3.2 and 4.3.3 have them. */
const cases: readonly { name: string; text: string; fragment: TrickleFragment }[] = [
  {
    name: 'candidates, the last ones',
    text:
      'a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n' +
      `a=candidate:${CANDIDATES[0]}\r\na=candidate:${CANDIDATES[1]}\r\na=end-of-candidates\r\n`,
    fragment: { ice: ICE, candidates: CANDIDATES, isComplete: true },
  },
  {
    name: 'the start of a restart',
    text: 'a=ice-ufrag:EsAw\r\na=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n',
    fragment: { ice: ICE, candidates: [], isComplete: false },
  },
  {
    name: 'candidates of whoever it is',
    text: `m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\na=candidate:${CANDIDATES[0]}\r\n`,
    fragment: { ice: undefined, candidates: CANDIDATES.slice(0, 1), isComplete: false },
  },
]

describe('fragments of trickled candidates', () => {
  for (const { name, text, fragment } of cases) {
    it(`are read and written: ${name}`, () => {
      expect(parseTrickleFragment(text)).to.deep.equal(fragment)
      expect(serializeTrickleFragment(fragment, MEDIA)).to.equal(text)
    })
  }

  it('are read with credentials in a media, and with a group before them', () => {
    const text = `a=group:BUNDLE 0 1\nm=audio 9 UDP/TLS/RTP/SAVPF 111\na=mid:0\na=ice-ufrag:EsAw\na=ice-pwd:${ICE.password}\na=candidate:${CANDIDATES[0]}\n`
    expect(parseTrickleFragment(text)).to.deep.equal({
      ice: ICE,
      candidates: CANDIDATES.slice(0, 1),
      isComplete: false,
    })
  })

  it('are refused when they are none, or too long', () => {
    const texts = ['', 'hello', 'a=ice-ufrag:x\r\na=ice-pwd:y\r\n', 'a=x\n'.repeat(FRAGMENT_MAX_LENGTH)]
    for (const text of texts) {
      expect(() => parseTrickleFragment(text))
        .to.throw(SluiceError)
        .with.property('statusCode', 400)
    }
  })

  it('never do more harm than to be refused', () => {
    const noise = fc.tuple(fc.constantFrom(...cases), fc.nat(), fc.nat({ max: 20 }), fc.string())
    fc.assert(
      fc.property(noise, ([{ text }, at, length, other]) => {
        const place = at % text.length
        try {
          parseTrickleFragment(text.slice(0, place) + other + text.slice(place + length))
        } catch (error) {
          if (!(error instanceof SluiceError)) throw error
        }
      }),
    )
  })
})
