import { isIP } from 'node:net'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { parseGbDescription, serializeGbDescription, type GbDescription } from './session-description.ts'

const PS = { payloadType: 96, encoding: 'PS', clockRate: 90_000 }
const H264 = { payloadType: 98, encoding: 'H264', clockRate: 90_000 }

const LIVE: GbDescription = {
  owner: '34020000001320000001',
  name: 'Play',
  address: '192.0.2.1',
  uri: undefined,
  startSeconds: 0,
  stopSeconds: 0,
  media: { kind: 'video', port: 10_000, isTcp: false, formats: [PS, H264], direction: 'recvonly', setup: undefined },
  streamNumber: undefined,
  downloadSpeed: undefined,
  fileSizeBytes: undefined,
  ssrc: '0200000001',
  codecs: undefined,
}

type Case = {
  readonly name: string
  readonly text: readonly string[]
  readonly description: GbDescription
  readonly written?: false
}

const HEAD = ['v=0', 'o=34020000001320000001 0 0 IN IP4 192.0.2.1']

/** Read and written, but where devices write otherwise than this server. */
const CASES: readonly Case[] = [
  {
    name: 'live by UDP',
    text: [
      ...HEAD,
      's=Play',
      'c=IN IP4 192.0.2.1',
      't=0 0',
      'm=video 10000 RTP/AVP 96 98',
      'a=recvonly',
      'a=rtpmap:96 PS/90000',
      'a=rtpmap:98 H264/90000',
      'y=0200000001',
    ],
    description: LIVE,
  },
  {
    name: 'live by TCP, of the sub stream',
    text: [
      ...HEAD,
      's=Play',
      'c=IN IP4 192.0.2.1',
      't=0 0',
      'm=video 10000 TCP/RTP/AVP 96',
      'a=recvonly',
      'a=rtpmap:96 PS/90000',
      'a=setup:passive',
      'a=connection:new',
      'a=streamnumber:1',
      'y=0200000001',
      'f=v/2/////a/1/8/1',
    ],
    description: {
      ...LIVE,
      media: { ...LIVE.media, isTcp: true, formats: [PS], setup: 'passive' },
      streamNumber: 1,
      codecs: 'v/2/////a/1/8/1',
    },
  },
  {
    name: 'a download by IPv6',
    text: [
      'v=0',
      'o=34020000001320000001 0 0 IN IP6 2001:db8::1',
      's=Download',
      'u=34020000001320000001:0',
      'c=IN IP6 2001:db8::1',
      't=1700000000 1700003600',
      'm=video 10000 RTP/AVP 96',
      'a=recvonly',
      'a=rtpmap:96 PS/90000',
      'a=downloadspeed:4',
      'a=filesize:123456789',
      'y=1200000002',
    ],
    description: {
      ...LIVE,
      name: 'Download',
      address: '2001:db8::1',
      uri: '34020000001320000001:0',
      startSeconds: 1_700_000_000,
      stopSeconds: 1_700_003_600,
      media: { ...LIVE.media, formats: [PS] },
      downloadSpeed: 4,
      fileSizeBytes: 123_456_789,
      ssrc: '1200000002',
    },
  },
  {
    name: 'an answer of a device, with its lines out of order',
    text: [
      ...HEAD,
      's=Embedded Net DVR',
      'y=200000001',
      'm=video 15060 tcp/RTP/AVP 96',
      'c=IN IP4 198.51.100.7',
      't=0 0',
      'a=setup: active',
      'a=rtpmap:96 PS/90000/1',
      'a=sendonly',
      'b=AS:4096',
    ],
    description: {
      ...LIVE,
      name: 'Embedded Net DVR',
      address: '198.51.100.7',
      media: { kind: 'video', port: 15_060, isTcp: true, formats: [PS], direction: 'sendonly', setup: 'active' },
    },
    written: false,
  },
  {
    name: 'port -1, a `y=` that is none, and a format without a map',
    text: [
      ...HEAD,
      's=Play',
      'c=IN IP4 192.0.2.1',
      't=0 0',
      'm=video -1 RTP/AVP 96 34',
      'a=rtpmap:96 PS/90000',
      'y=none',
    ],
    description: {
      ...LIVE,
      media: { ...LIVE.media, port: 0, formats: [PS], direction: undefined },
      ssrc: undefined,
    },
    written: false,
  },
]

describe('descriptions of GB/T 28181', () => {
  for (const { name, text, description, written } of CASES) {
    it(`are read and written: ${name}`, () => {
      expect(parseGbDescription(text.join('\r\n'))).to.eql(description)
      expect(parseGbDescription(`${text.join('\n')}\n`)).to.eql(description)
      if (written !== false) expect(serializeGbDescription(description)).to.equal(`${text.join('\r\n')}\r\n`)
    })
  }

  for (const [name, text] of [
    ['no media', 'v=0\r\nc=IN IP4 192.0.2.1\r\n'],
    ['no address', 'v=0\r\nm=video 1 RTP/AVP 96\r\n'],
    ['an address that is none', 'v=0\r\nc=IN IP4 example.com\r\nm=video 1 RTP/AVP 96\r\n'],
    ['an address of five numbers', 'v=0\r\nc=IN IP4 192.0.2.1.5\r\nm=video 1 RTP/AVP 96\r\n'],
    ['an address beyond its range', 'v=0\r\nc=IN IP4 192.0.2.256\r\nm=video 1 RTP/AVP 96\r\n'],
    ['an address of hex digits', 'v=0\r\nc=IN IP6 abcd\r\nm=video 1 RTP/AVP 96\r\n'],
    ['too many lines', `c=IN IP4 192.0.2.1\r\nm=video 1 RTP/AVP 96\r\n${'a=x\r\n'.repeat(300)}`],
    ['too much text', `c=IN IP4 192.0.2.1\r\nm=video 1 RTP/AVP 96\r\ns=${'x'.repeat(20_000)}\r\n`],
    ['another text', '<?xml version="1.0"?>'],
  ] as const) {
    it(`are refused: ${name}`, () => {
      expect(() => parseGbDescription(text)).to.throw(MalformedError)
    })
  }

  it('are read or refused, whatever the text is', () => {
    const seeds = CASES.map(({ text }) => text.join('\r\n'))
    const edits = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 })
    fc.assert(
      fc.property(fc.constantFrom(...seeds), edits, fc.nat(400), (seed, changes, cut) => {
        const bytes = Buffer.from(seed)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        for (const part of [bytes, bytes.subarray(0, cut % bytes.length)]) {
          try {
            const read = parseGbDescription(part.toString('latin1'))
            expect(read.media.port).to.be.within(0, 65_535)
            expect(isIP(read.address)).to.be.oneOf([4, 6])
          } catch (error) {
            if (!(error instanceof MalformedError)) throw error
          }
        }
      }),
      { numRuns: 1000, seed: 28_181 },
    )
  })
})
