import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../errors.ts'
import type { RtpFormat } from '../rtp/format.ts'
import { staticEncoding } from '../rtp/static-payload-type.ts'
import { FMTP_MAX_PARAMETERS } from './fmtp.ts'
import { rtpFormatAttributes, rtpFormatsOf } from './rtp-media.ts'
import { parseSdp } from './session-description.ts'

function formatsOf(text: string): RtpFormat[] {
  return parseSdp(text).media.flatMap(rtpFormatsOf)
}

const NONE = new Map<string, string>()
const H264: RtpFormat = { payloadType: 96, encodingName: 'H264', clockRate: 90_000, channels: 1, parameters: NONE }
const VIDEO = 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000\n'

/** Attributes as they are written, and their format. */
const written: readonly { name: string; lines: readonly string[]; format: RtpFormat }[] = [
  { name: 'no parameters', lines: ['rtpmap:96 H264/90000'], format: H264 },
  {
    name: 'parameters with equals signs, empty ones, and names alone',
    lines: ['rtpmap:96 H264/90000', 'fmtp:96 packetization-mode=1;sprop-parameter-sets=Z0I=,aM4=;0-15;x'],
    format: {
      ...H264,
      parameters: new Map([
        ['packetization-mode', '1'],
        ['sprop-parameter-sets', 'Z0I=,aM4='],
        ['0-15', ''],
        ['x', ''],
      ]),
    },
  },
  {
    name: 'channels',
    lines: ['rtpmap:127 L16/44100/2'],
    format: { payloadType: 127, encodingName: 'L16', clockRate: 44_100, channels: 2, parameters: NONE },
  },
  {
    name: 'one channel',
    lines: ['rtpmap:0 PCMU/8000'],
    format: { payloadType: 0, encodingName: 'PCMU', clockRate: 8000, channels: 1, parameters: NONE },
  },
]

describe('rtpFormatAttributes', () => {
  for (const { name, lines, format } of written) {
    it(`writes ${name}`, () => {
      const attributes = rtpFormatAttributes(format)
      expect(attributes.map(({ name, value }) => `${name}:${value}`)).to.deep.equal(lines)
    })

    it(`writes what is read: ${name}`, () => {
      const text = `m=audio 0 RTP/AVP ${format.payloadType}\n${lines.map((line) => `a=${line}\n`).join('')}`
      expect(formatsOf(text)).to.deep.equal([format])
    })
  }

  it('writes what is read, whatever it is', () => {
    const name = fc.stringMatching(/^[A-Z0-9.-]{1,12}$/u)
    const value = fc.stringMatching(/^[!-:<-~]{0,20}$/u)
    const format = fc.record({
      payloadType: fc.nat({ max: 127 }),
      encodingName: name,
      clockRate: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
      channels: fc.integer({ min: 1, max: 255 }),
      parameters: fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key.toLowerCase() }),
    })
    fc.assert(
      fc.property(format, (given) => {
        const parameters = new Map(given.parameters.map(([key, value]) => [key.toLowerCase(), value]))
        const expected = { ...given, parameters }
        const attributes = rtpFormatAttributes(expected)
        const formats = [String(given.payloadType)]
        const media = { type: 'audio', port: 0, protocol: 'RTP/AVP', formats, attributes, lines: [] }
        expect(rtpFormatsOf(media)).to.deep.equal([expected])
      }),
    )
  })
})

describe('rtpFormatsOf', () => {
  it('has the order of the medium, and each format once', () => {
    const formats = formatsOf('m=video 0 RTP/AVP 98 96 98\na=rtpmap:96 H264/90000\na=rtpmap:98 H265/90000\n')
    expect(formats.map(({ encodingName }) => encodingName)).to.deep.equal(['H265', 'H264'])
  })

  it('knows the payload types of RFC 3551', () => {
    const all = Array.from({ length: 128 }, (_, type) => type)
    const known = formatsOf(`m=audio 0 RTP/AVP ${all.join(' ')}`)
    // Tables 4 and 5.
    expect(
      known.map(({ payloadType, encodingName, clockRate }) => `${payloadType} ${encodingName}/${clockRate}`),
    ).to.eql([
      '0 PCMU/8000',
      '3 GSM/8000',
      '4 G723/8000',
      '5 DVI4/8000',
      '6 DVI4/16000',
      '7 LPC/8000',
      '8 PCMA/8000',
      '9 G722/8000',
      '10 L16/44100',
      '11 L16/44100',
      '12 QCELP/8000',
      '13 CN/8000',
      '14 MPA/90000',
      '15 G728/8000',
      '16 DVI4/11025',
      '17 DVI4/22050',
      '18 G729/8000',
      '25 CELB/90000',
      '26 JPEG/90000',
      '28 NV/90000',
      '31 H261/90000',
      '32 MPV/90000',
      '33 MP2T/90000',
      '34 H263/90000',
    ])
    expect(known.filter(({ channels }) => channels !== 1).map(({ payloadType }) => payloadType)).to.eql([10])
    expect(staticEncoding(96)).to.equal(undefined)
  })

  const odd: readonly { name: string; text: string; formats: readonly RtpFormat[] }[] = [
    {
      name: 'an rtpmap of a static payload type that says something else',
      text: 'm=audio 0 RTP/AVP 8\na=rtpmap:8 PCMU/16000/2\n',
      formats: [{ payloadType: 8, encodingName: 'PCMU', clockRate: 16_000, channels: 2, parameters: NONE }],
    },
    {
      name: 'a broken rtpmap of a static payload type',
      text: 'm=audio 0 RTP/AVP 8\na=rtpmap:8\na=rtpmap:8 /8000\na=rtpmap\n',
      formats: [{ payloadType: 8, encodingName: 'PCMA', clockRate: 8000, channels: 1, parameters: NONE }],
    },
    { name: 'a payload type that nothing describes', text: 'm=video 0 RTP/AVP 96\na=fmtp:96 x=1\n', formats: [] },
    { name: 'formats that are no payload types', text: 'm=video 0 RTP/AVP 128 -1 x 9.5 0x8 *\n', formats: [] },
    { name: 'another transport', text: 'm=video 1234 udp 33\nm=application 9 UDP/DTLS/SCTP 96\n', formats: [] },
    { name: 'a transport in small letters', text: VIDEO.replace('RTP/AVP', 'rtp/avp'), formats: [H264] },
    { name: 'video without a clock rate', text: 'm=video 0 RTP/AVP 96\na=rtpmap:96 h264\n', formats: [H264] },
    { name: 'video with a clock rate of 0', text: 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/0/0\n', formats: [H264] },
    {
      name: 'sound without a clock rate, which its name tells',
      text: 'm=audio 0 RTP/AVP 96 97\na=rtpmap:96 PCMA\na=rtpmap:97 MPEG4-GENERIC\n',
      formats: [{ payloadType: 96, encodingName: 'PCMA', clockRate: 8000, channels: 1, parameters: NONE }],
    },
    {
      name: 'channels that are none',
      text: 'm=video 0 RTP/AVP 96\na=rtpmap:96 H264/90000/256/1\n',
      formats: [H264],
    },
    { name: 'a second rtpmap', text: `${VIDEO}a=rtpmap:96 H265/90000\n`, formats: [H264] },
    {
      name: 'fmtp of nothing',
      text: `${VIDEO}a=fmtp:96\na=fmtp:x=1\na=fmtp\na=fmtp:\na=fmtp:97 y=1\n`,
      formats: [H264],
    },
    {
      name: 'fmtp in pieces, with blanks, capitals, and too many semicolons',
      text: `${VIDEO}a=fmtp:96   Profile-Level-ID = 42e01f ;sprop-parameter-sets=Z0I=,aM4=\t;; =x; A=;\na=fmtp:96 b;a=2;B=\n`,
      formats: [
        {
          ...H264,
          parameters: new Map([
            ['profile-level-id', '42e01f'],
            ['sprop-parameter-sets', 'Z0I=,aM4='],
            ['a', '2'],
            ['b', ''],
          ]),
        },
      ],
    },
  ]
  for (const { name, text, formats } of odd) {
    it(`takes ${name}`, () => expect(formatsOf(text)).to.deep.equal(formats))
  }

  it('bounds parameters, in one line and in several', () => {
    const parameters = (count: number) => Array.from({ length: count }, (_, index) => `x${index}=`)
    const inOne = (count: number) => `${VIDEO}a=fmtp:96 ${parameters(count).join(';')}\n`
    const inMany = (count: number) =>
      VIDEO +
      parameters(count)
        .map((parameter) => `a=fmtp:96 ${parameter}\n`)
        .join('')
    for (const textOf of [inOne, inMany]) {
      expect(formatsOf(textOf(FMTP_MAX_PARAMETERS))[0]?.parameters.size).to.equal(FMTP_MAX_PARAMETERS)
      expect(() => formatsOf(textOf(FMTP_MAX_PARAMETERS + 1))).to.throw(MalformedError, 'parameters')
    }
  })
})
