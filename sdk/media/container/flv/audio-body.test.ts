import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { MalformedError } from '../../errors.ts'
import { parseAudioBody, serializeAudioHeader } from './audio-body.ts'
import type { FlvAudioPacket } from './audio-body.ts'
import { fromHex, mutations, parsesOrRefuses } from './fixtures/bytes.ts'

function packet(fields: Partial<FlvAudioPacket> & Pick<FlvAudioPacket, 'codec'>): FlvAudioPacket {
  return { type: 'codedFrames', trackId: 0, channels: 0, timestampOffsetNs: 0, data: fromHex('aabb'), ...fields }
}

/** Both ways. */
const CASES: readonly {
  name: string
  hex: string
  packet: FlvAudioPacket
  sampleRate?: number
  multitrackId?: number
}[] = [
  {
    name: 'an AAC sequence header',
    hex: 'af 00 aabb',
    packet: packet({ codec: 'aac', type: 'sequenceStart', channels: 2 }),
  },
  { name: 'an AAC frame', hex: 'af 01 aabb', packet: packet({ codec: 'aac', channels: 2 }) },
  { name: 'MP3 at 44.1 kHz', hex: '2f aabb', packet: packet({ codec: 'mp3', channels: 2 }), sampleRate: 44_100 },
  { name: 'MP3 at 48 kHz', hex: '2e aabb', packet: packet({ codec: 'mp3', channels: 1 }), sampleRate: 48_000 },
  { name: 'MP3 at 22.05 kHz', hex: '2a aabb', packet: packet({ codec: 'mp3', channels: 1 }), sampleRate: 22_050 },
  { name: 'MP3 at 11.025 kHz', hex: '26 aabb', packet: packet({ codec: 'mp3', channels: 1 }), sampleRate: 11_025 },
  { name: 'MP3 at 8 kHz', hex: 'e2 aabb', packet: packet({ codec: 'mp3', channels: 1 }), sampleRate: 8000 },
  { name: 'A-law', hex: '72 aabb', packet: packet({ codec: 'pcma', channels: 1 }), sampleRate: 8000 },
  { name: 'µ-law in stereo', hex: '83 aabb', packet: packet({ codec: 'pcmu', channels: 2 }), sampleRate: 8000 },
  { name: 'an Opus sequence start', hex: '90 4f707573 aabb', packet: packet({ codec: 'opus', type: 'sequenceStart' }) },
  { name: 'an Opus frame', hex: '91 4f707573 aabb', packet: packet({ codec: 'opus' }) },
  { name: 'a FLAC frame', hex: '91 664c6143 aabb', packet: packet({ codec: 'flac' }) },
  { name: 'an AC-3 frame', hex: '91 61632d33 aabb', packet: packet({ codec: 'ac3' }) },
  { name: 'an E-AC-3 frame', hex: '91 65632d33 aabb', packet: packet({ codec: 'eac3' }) },
  {
    name: 'a sequence end',
    hex: '92 4f707573',
    packet: packet({ codec: 'opus', type: 'sequenceEnd', data: Buffer.alloc(0) }),
  },
  {
    name: 'the end of AAC, which only enhanced tags can say',
    hex: '92 6d703461',
    packet: packet({ codec: 'aac', type: 'sequenceEnd', data: Buffer.alloc(0) }),
  },
  {
    name: 'one AAC track of several',
    hex: '95 01 6d703461 01 aabb',
    packet: packet({ codec: 'aac', trackId: 1 }),
    multitrackId: 1,
  },
  {
    name: 'one MP3 track of several',
    hex: '95 01 2e6d7033 00 aabb',
    packet: packet({ codec: 'mp3' }),
    multitrackId: 0,
  },
]

const READ_ONLY_CASES: readonly { name: string; hex: string; packets: ReturnType<typeof parseAudioBody> }[] = [
  { name: 'an empty body, which is silence', hex: '', packets: [] },
  { name: 'AAC that says mono', hex: 'ae 01 aabb', packets: [packet({ codec: 'aac', channels: 1 })] },
  { name: 'enhanced AAC', hex: '91 6d703461 aabb', packets: [packet({ codec: 'aac' })] },
  {
    name: 'a channel configuration',
    hex: '94 4f707573 00 02',
    packets: [packet({ codec: 'opus', type: 'multichannelConfig', data: fromHex('0002') })],
  },
  {
    name: 'many tracks of one codec',
    hex: '95 11 4f707573 00 000001 aa 02 000002 bbcc',
    packets: [
      packet({ codec: 'opus', data: fromHex('aa') }),
      packet({ codec: 'opus', trackId: 2, data: fromHex('bbcc') }),
    ],
  },
  {
    name: 'many tracks of many codecs',
    hex: '95 20 6d703461 00 000002 aabb 4f707573 01 000002 aabb',
    packets: [
      packet({ codec: 'aac', type: 'sequenceStart' }),
      packet({ codec: 'opus', type: 'sequenceStart', trackId: 1 }),
    ],
  },
  {
    name: 'a nanosecond offset',
    hex: '97 02 000064 01 4f707573 aabb',
    packets: [packet({ codec: 'opus', timestampOffsetNs: 100 })],
  },
  { name: 'Speex', hex: 'b2 aabb', packets: [{ type: 'unsupported', codecName: 'Speex', trackId: 0 }] },
  {
    name: 'a codec unheard of',
    hex: '91 58585858 aabb',
    packets: [{ type: 'unsupported', codecName: 'XXXX', trackId: 0 }],
  },
]

const MALFORMED_CASES: readonly (readonly [name: string, hex: string])[] = [
  ['AAC without a packet type', 'af'],
  ['an AAC packet type that is none', 'af 02'],
  ['a cut off FourCC', '91 4f7075'],
  ['a packet type that is none', '93 4f707573'],
  ['multitrack in multitrack', '95 05 4f707573 00'],
  ['a cut off modifier', '97 02 0000'],
]

describe('FLV audio body', () => {
  for (const { name, hex, packet } of CASES) {
    it(`reads ${name}`, () => expect(parseAudioBody(fromHex(hex))).to.deep.equal([packet]))
  }

  for (const { name, hex, packets } of READ_ONLY_CASES) {
    it(`reads ${name}`, () => expect(parseAudioBody(fromHex(hex))).to.deep.equal(packets))
  }

  for (const { name, hex, packet, sampleRate = 48_000, multitrackId } of CASES) {
    it(`writes ${name}`, () => {
      const { type, codec, channels, data } = packet
      if (type === 'multichannelConfig') throw new Error('not written')
      const header = serializeAudioHeader(type, codec, { sampleRate, channels }, multitrackId)
      expect(Buffer.concat([header, data]).toString('hex')).to.equal(fromHex(hex).toString('hex'))
    })
  }

  for (const [name, hex] of MALFORMED_CASES) {
    it(`refuses ${name}`, () => expect(() => parseAudioBody(fromHex(hex))).to.throw(MalformedError))
  }

  it('refuses to write G.711 as one track of several', () => {
    const format = { sampleRate: 8000, channels: 1 }
    expect(() => serializeAudioHeader('codedFrames', 'pcma', format, 0)).to.throw(RangeError)
  })

  it('parses any bytes or refuses them', () => {
    const seeds = [...CASES, ...READ_ONLY_CASES].map(({ hex }) => fromHex(hex))
    fc.assert(
      fc.property(mutations(seeds), (body) => parsesOrRefuses(() => parseAudioBody(body))),
      { numRuns: rounds(2000) },
    )
  })
})
