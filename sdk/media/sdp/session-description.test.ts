import { expect } from 'chai'
import fc from 'fast-check'
import { fuzz } from '../codec/test/fuzz.ts'
import { MalformedError } from '../errors.ts'
import type { SdpAttribute } from './attribute.ts'
import { sdpAttribute } from './attribute.ts'
import type { SdpConnection } from './connection.ts'
import { cameras } from './fixtures/cameras.ts'
import { captured } from './fixtures/captured.ts'
import { otherDevices } from './fixtures/other-devices.ts'
import type { SdpLine } from './line.ts'
import { SDP_MAX_LINES } from './line.ts'
import type { MediaDescription } from './media-description.ts'
import { SDP_MAX_FORMATS } from './media-description.ts'
import { rtpFormatsOf } from './rtp-media.ts'
import { SDP_MAX_ATTRIBUTES } from './section.ts'
import { parseSdp, SDP_MAX_LENGTH, SDP_MAX_MEDIA, serializeSdp } from './session-description.ts'
import type { SessionDescription } from './session-description.ts'

const NOTHING = { attributes: [], lines: [] }
const UNKNOWN: SessionDescription = {
  origin: { username: '-', sessionId: '0', sessionVersion: '0', addressType: 'IP4', address: '0.0.0.0' },
  name: '-',
  times: [{ startSeconds: 0, stopSeconds: 0 }],
  ...NOTHING,
  media: [],
}
const VIDEO: MediaDescription = { type: 'video', port: 0, protocol: 'RTP/AVP', formats: ['96'], ...NOTHING }
const HEAD = 'v=0\no=- 0 0 IN IP4 0.0.0.0\ns=-\nt=0 0\n'

type Case = { name: string; text: string; description: SessionDescription }

/** Texts as they are written here. */
const cases: readonly Case[] = [
  { name: 'the shortest', text: HEAD, description: UNKNOWN },
  {
    name: 'that of RFC 8866 5',
    text:
      'v=0\no=jdoe 3724394400 3724394405 IN IP4 198.51.100.1\ns=Call to John Smith\ni=SDP Offer #1\n' +
      'u=http://www.jdoe.example.com/home.html\ne=Jane Doe <jane@jdoe.example.com>\np=+1 617 555-6011\n' +
      'c=IN IP4 198.51.100.1\nt=0 0\nm=audio 49170 RTP/AVP 0\nm=audio 49180 RTP/AVP 0\n' +
      'm=video 51372 RTP/AVP 99\nc=IN IP6 2001:db8::2\na=rtpmap:99 h263-1998/90000\n',
    description: {
      origin: {
        username: 'jdoe',
        sessionId: '3724394400',
        sessionVersion: '3724394405',
        addressType: 'IP4',
        address: '198.51.100.1',
      },
      name: 'Call to John Smith',
      connection: { addressType: 'IP4', address: '198.51.100.1' },
      times: [{ startSeconds: 0, stopSeconds: 0 }],
      attributes: [],
      lines: [
        { type: 'i', value: 'SDP Offer #1' },
        { type: 'u', value: 'http://www.jdoe.example.com/home.html' },
        { type: 'e', value: 'Jane Doe <jane@jdoe.example.com>' },
        { type: 'p', value: '+1 617 555-6011' },
      ],
      media: [
        { type: 'audio', port: 49_170, protocol: 'RTP/AVP', formats: ['0'], ...NOTHING },
        { type: 'audio', port: 49_180, protocol: 'RTP/AVP', formats: ['0'], ...NOTHING },
        {
          type: 'video',
          port: 51_372,
          protocol: 'RTP/AVP',
          formats: ['99'],
          connection: { addressType: 'IP6', address: '2001:db8::2' },
          attributes: [{ name: 'rtpmap', value: '99 h263-1998/90000' }],
          lines: [],
        },
      ],
    },
  },
  {
    name: 'several ports and addresses of multicast',
    text:
      `${HEAD}m=video 49170/2 RTP/AVP 31\nc=IN IP4 233.252.0.1/127/3\nm=audio 5004 RTP/AVP 0\n` +
      'c=IN IP6 ff00::db8:0:101/3\nm=audio 5004 RTP/AVP 0\nc=IN IP4 233.252.0.1/0\n',
    description: {
      ...UNKNOWN,
      media: [
        {
          ...VIDEO,
          port: 49170,
          portCount: 2,
          formats: ['31'],
          connection: {
            addressType: 'IP4',
            address: '233.252.0.1',
            ttl: 127,
            addressCount: 3,
          },
        },
        {
          ...VIDEO,
          type: 'audio',
          port: 5004,
          formats: ['0'],
          connection: {
            addressType: 'IP6',
            address: 'ff00::db8:0:101',
            addressCount: 3,
          },
        },
        {
          ...VIDEO,
          type: 'audio',
          port: 5004,
          formats: ['0'],
          connection: {
            addressType: 'IP4',
            address: '233.252.0.1',
            ttl: 0,
          },
        },
      ],
    },
  },
  {
    name: 'times with repetitions, a second connection, keys and lines of others',
    text:
      'v=0\no=- 0 0 IN IP4 0.0.0.0\ns=-\nb=CT:128\nt=3724394400 3724398000\nt=3724484400 0\nr=7d 1h 0 25h\nz=0 -1h\n' +
      'k=prompt\na=sendonly\nX=1\nm=video 0 RTP/AVP 96\ni=A\nc=IN IP4 233.252.0.1/1\nc=IN IP4 233.252.0.2/1\nb=AS:1\n' +
      'k=clear:x\na=control:\na=control:*\na=control:*\ny=0100000001\n',
    description: {
      ...UNKNOWN,
      times: [
        { startSeconds: 3_724_394_400, stopSeconds: 3_724_398_000 },
        { startSeconds: 3_724_484_400, stopSeconds: 0 },
      ],
      attributes: [{ name: 'sendonly' }],
      lines: [
        { type: 'b', value: 'CT:128' },
        { type: 'r', value: '7d 1h 0 25h' },
        { type: 'z', value: '0 -1h' },
        { type: 'k', value: 'prompt' },
        { type: 'X', value: '1' },
      ],
      media: [
        {
          ...VIDEO,
          connection: { addressType: 'IP4', address: '233.252.0.1', ttl: 1 },
          attributes: [
            { name: 'control', value: '' },
            { name: 'control', value: '*' },
            { name: 'control', value: '*' },
          ],
          lines: [
            { type: 'i', value: 'A' },
            { type: 'c', value: 'IN IP4 233.252.0.2/1' },
            { type: 'b', value: 'AS:1' },
            { type: 'k', value: 'clear:x' },
            { type: 'y', value: '0100000001' },
          ],
        },
      ],
    },
  },
]

/** Texts that are not as they should be, and one that means the same. */
const odd: readonly { name: string; text: string; same: string }[] = [
  { name: 'nothing before the media', text: 'm=video 0 RTP/AVP 96', same: `${HEAD}m=video 0 RTP/AVP 96\n` },
  { name: 'no media and no times', text: 's=\no=\nv=0', same: HEAD },
  {
    name: 'lines of the session behind the media, and second ones',
    text: 'm=video 0 RTP/AVP 96\nu=a\ne=a\np=1\nt=1 2\nr=1 1\nz=0 1\ns=A\ns=B\no=b 1 2 IN IP4 b\no=c 1 2 IN IP4 c\nv=0\nv=1\na=x\n',
    same: 'v=0\no=b 1 2 IN IP4 b\ns=A\nu=a\ne=a\np=1\nt=1 2\nr=1 1\nz=0 1\nm=video 0 RTP/AVP 96\na=x\n',
  },
  {
    name: 'blanks in the middle and around',
    text: `${HEAD}  a= tool : \tx  y \n\tm=  video\t 0  RTP/AVP  96  97 \n c= in  ip4  a \n a=\n a= :x\n`,
    same: `${HEAD}a=tool:x  y\nm=video 0 RTP/AVP 96 97\nc=IN IP4 a\n`,
  },
  { name: 'lines that are none', text: `RTSP/1.0\n${HEAD}abc\n=x\n1=2\na x\nab=c\n<p>\n§=1\n`, same: HEAD },
  { name: 'half an origin', text: 'o=x 1\n', same: 'v=0\no=x 1 0 IN IP4 0.0.0.0\ns=-\nt=0 0\n' },
  { name: 'an origin of words', text: 'o=IN b -1 net IP6 ::1\n', same: 'v=0\no=IN 0 0 IN IP6 ::1\ns=-\nt=0 0\n' },
  { name: 'an origin without a version', text: 'o=- 7 IN IP6 ::1\n', same: 'v=0\no=- 7 0 IN IP6 ::1\ns=-\nt=0 0\n' },
  {
    name: 'times that are none',
    text: 't=now\nt=5\nt=-1 99999999999999999999',
    same: HEAD.replace('t=0 0', 't=0 0\nt=5 0\nt=0 0'),
  },
  {
    name: 'ports that are none',
    text: `${HEAD}m=video x RTP/AVP 96\nm=video 65536/70000 RTP/AVP\nm=video -1/x RTP/AVP 96\n`,
    same: `${HEAD}m=video 0 RTP/AVP 96\nm=video 0 RTP/AVP\nm=video 0 RTP/AVP 96\n`,
  },
  {
    name: 'connections that are none, before one and behind',
    text: `${HEAD}m=video 0 RTP/AVP 96\nc=IN IP4\nc=\nc=IN IP4 a/256/2\nc=IN ATM x\n`,
    same: `${HEAD}m=video 0 RTP/AVP 96\nc=IN IP4 a\nc=IN IP4\nc=\nc=IN ATM x\n`,
  },
]

describe('session description', () => {
  for (const { name, text, description } of cases) {
    it(`parses ${name}`, () => expect(parseSdp(text)).to.deep.equal(description))
    it(`serializes ${name}`, () => expect(serializeSdp(description)).to.equal(text.replaceAll('\n', '\r\n')))
  }

  for (const { name, text, same } of odd) {
    it(`takes ${name}`, () => {
      expect(serializeSdp(parseSdp(text))).to.equal(same.replaceAll('\n', '\r\n'))
      expect(parseSdp(text)).to.deep.equal(parseSdp(same))
    })
  }

  it('finds attributes by name', () => {
    const attributes = [{ name: 'x' }, { name: 'control', value: '*' }, { name: 'control', value: 'b' }]
    expect(sdpAttribute(attributes, 'control')).to.deep.equal({ name: 'control', value: '*' })
    expect(sdpAttribute(attributes, 'x')).to.deep.equal({ name: 'x' })
    expect(sdpAttribute(attributes, 'Control')).to.equal(undefined)
  })

  it('refuses what is no SDP', () => {
    for (const text of ['', '\r\n \0', '<html>\n<a href="x=y">\n', '\uFEFF']) {
      expect(() => parseSdp(text), JSON.stringify(text)).to.throw(MalformedError, 'no SDP')
    }
  })

  it('refuses media without their parts', () => {
    for (const text of ['m=', 'm=video', 'm=video 0', 'v=0\nm= 0 \t']) {
      expect(() => parseSdp(text), JSON.stringify(text)).to.throw(MalformedError, 'm= line')
    }
    const long = () => parseSdp(`m=${'x'.repeat(100_000)}`)
    expect(long).to.throw(MalformedError, /^.{1,200}$/u)
  })

  it('never writes a value that would be another line or another word', () => {
    for (const end of ['\n', '\r', '\0']) {
      const value = `x${end}m=audio 0 RTP/AVP 0`
      const broken: SessionDescription[] = [
        { ...UNKNOWN, name: value },
        { ...UNKNOWN, attributes: [{ name: 'tool', value }] },
        { ...UNKNOWN, attributes: [{ name: value }] },
        { ...UNKNOWN, lines: [{ type: 'i', value }] },
        { ...UNKNOWN, media: [{ ...VIDEO, formats: [value] }] },
      ]
      for (const description of broken) expect(() => serializeSdp(description)).to.throw(MalformedError)
    }
    const words: SessionDescription[] = [
      { ...UNKNOWN, origin: { ...UNKNOWN.origin, username: 'a b' } },
      { ...UNKNOWN, origin: { ...UNKNOWN.origin, address: '' } },
      { ...UNKNOWN, connection: { addressType: 'IP4', address: 'a b' } },
      { ...UNKNOWN, media: [{ ...VIDEO, type: '' }] },
      { ...UNKNOWN, media: [{ ...VIDEO, protocol: 'RTP /AVP' }] },
    ]
    for (const description of words) expect(() => serializeSdp(description)).to.throw(MalformedError, 'no word of SDP')
  })
})

describe('limits of a session description', () => {
  const limits: readonly { name: string; limit: number; textOf: (count: number) => string }[] = [
    { name: 'length', limit: SDP_MAX_LENGTH, textOf: (count) => 'v=0'.padEnd(count, '\n') },
    { name: 'lines', limit: SDP_MAX_LINES, textOf: (count) => 'v=0\n\n'.repeat(count) },
    { name: 'lines that are none', limit: SDP_MAX_LINES, textOf: (count) => `v=0${'\nx'.repeat(count - 1)}` },
    { name: 'media', limit: SDP_MAX_MEDIA, textOf: (count) => 'm=video 0 RTP/AVP 96\n'.repeat(count) },
    { name: 'formats', limit: SDP_MAX_FORMATS, textOf: (count) => `m=video 0 RTP/AVP${' 96'.repeat(count)}` },
    { name: 'attributes', limit: SDP_MAX_ATTRIBUTES, textOf: (count) => 'a=x\n'.repeat(count) },
    {
      name: 'attributes of a medium',
      limit: SDP_MAX_ATTRIBUTES,
      textOf: (count) => `${'a=x\n'.repeat(SDP_MAX_ATTRIBUTES)}m=video 0 RTP/AVP 96\n${'a=x\n'.repeat(count)}`,
    },
  ]

  for (const { name, limit, textOf } of limits) {
    it(`bound ${name}`, () => {
      parseSdp(textOf(limit))
      expect(() => parseSdp(textOf(limit + 1))).to.throw(MalformedError, /more than|SDP of \d+ characters/u)
    })
  }
})

describe('any session description', () => {
  const line = fc.string({ maxLength: 20 }).filter((text) => text === text.trim() && !/[\r\n\0]/u.test(text))
  const word = fc.stringMatching(/^[!-.0-~]{1,12}$/u)
  const port = fc.nat({ max: 65_535 })
  const digits = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String)
  const attribute: fc.Arbitrary<SdpAttribute> = fc.record(
    { name: line.filter((name) => name !== '' && !name.includes(':')), value: line },
    { requiredKeys: ['name'] },
  )
  const otherLine: fc.Arbitrary<SdpLine> = fc.record({ type: fc.constantFrom('i', 'b', 'k', 'y', 'f'), value: line })
  const connection: fc.Arbitrary<SdpConnection> = fc.oneof(
    fc.record({ addressType: fc.constantFrom('IP4' as const, 'IP6' as const), address: word }),
    fc.record({ addressType: fc.constant('IP4' as const), address: word, ttl: fc.nat({ max: 255 }) }),
    fc.record({
      addressType: fc.constant('IP4' as const),
      address: word,
      ttl: fc.nat({ max: 255 }),
      addressCount: port,
    }),
    fc.record({ addressType: fc.constant('IP6' as const), address: word, addressCount: port }),
  )
  const parts = { connection, attributes: fc.array(attribute), lines: fc.array(otherLine) }
  const requiredParts = ['attributes', 'lines'] as const
  const media: fc.Arbitrary<MediaDescription> = fc.record(
    { type: word, port, portCount: port, protocol: word, formats: fc.array(word), ...parts },
    { requiredKeys: ['type', 'port', 'protocol', 'formats', ...requiredParts] },
  )
  const seconds = fc.maxSafeNat()
  const description: fc.Arbitrary<SessionDescription> = fc.record(
    {
      origin: fc.record({
        username: word,
        sessionId: digits,
        sessionVersion: digits,
        addressType: word,
        address: word,
      }),
      name: line.filter((name) => name !== ''),
      times: fc.array(fc.record({ startSeconds: seconds, stopSeconds: seconds }), { minLength: 1 }),
      media: fc.array(media),
      ...parts,
    },
    { requiredKeys: ['origin', 'name', 'times', 'media', ...requiredParts] },
  )
  const byType = (lines: readonly SdpLine[]) =>
    ['i', 'b', 'k', 'y|f'].flatMap((types) => lines.filter(({ type }) => types.includes(type)))
  const inOrder = <Section extends { lines: readonly SdpLine[] }>(section: Section): Section => ({
    ...section,
    lines: byType(section.lines),
  })

  it('is the same when it was written and parsed', () => {
    fc.assert(
      fc.property(description, (given) => {
        const expected = { ...inOrder(given), media: given.media.map(inOrder) }
        expect(parseSdp(serializeSdp(given))).to.deep.equal(expected)
      }),
    )
  })

  it('is taken or refused, and can be written when it is taken', () => {
    const seeds = [...captured, ...cameras, ...otherDevices, ...cases, ...odd].map(({ text }) => Buffer.from(text))
    fuzz(seeds, (bytes) => {
      const parsed = parseSdp(bytes.toString('latin1'))
      const text = serializeSdp(parsed)
      expect(serializeSdp(parseSdp(text))).to.equal(text)
      expect(parsed.media.flatMap(rtpFormatsOf).length).to.be.at.most(128 * parsed.media.length)
    })
  })
})

describe('work of parsing', () => {
  const hostile: readonly [name: string, start: string, piece: string, end: string][] = [
    ['blank lines', 'v=0', '\n', ''],
    ['blanks before an attribute', 'a=', ' ', 'x'],
    ['blanks in an attribute', 'a=x', ' ', ':y'],
    ['blanks in a medium', 'm=video', ' ', '0 RTP/AVP 96'],
    ['formats', 'm=video 0 RTP/AVP', ' 9', ''],
    ['words of an origin', 'o=-', ' IN', ''],
    ['digits of an origin', 'o=- ', '1', ' IN IP4 a'],
    ['parts of a connection', 'c=IN IP4 a', '/', '1'],
    ['no line at all', 'x', 'x', ''],
    ['lines', '', 'i=1\n', ''],
    ['parts of an rtpmap', 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264', '/', '90000'],
    ['empty parameters', 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\na=fmtp:96 ', '; ', 'x=1'],
    ['parameters', 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\na=fmtp:96 ', 'x=1;', ''],
    ['equals signs', 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\na=fmtp:96 x', '=', ''],
    ['media', '', 'm=a 0 RTP/AVP 96\na=rtpmap:96 x/1\na=fmtp:96 x\n', ''],
  ]

  for (const [name, start, piece, end] of hostile) {
    // Where it grows with the square of the text, this takes minutes, which is longer than a test may take.
    it(`grows no faster than the text: ${name}`, () => {
      const count = Math.floor((SDP_MAX_LENGTH - start.length - end.length) / piece.length)
      try {
        const description = parseSdp(start + piece.repeat(count) + end)
        description.media.forEach(rtpFormatsOf)
        serializeSdp(description)
      } catch (error) {
        if (!(error instanceof MalformedError)) throw error
      }
    })
  }
})
