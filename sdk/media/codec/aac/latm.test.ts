import { expect } from 'chai'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { parseAudioMuxElement } from './audio-mux-element.ts'
import { parseStreamMuxConfig } from './stream-mux-config.ts'
import type { StreamMuxConfig } from './stream-mux-config.ts'

const fromHex = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

/** Bits as text, spaces are for the reader; filled up with zeros. */
function fromBits(text: string): Buffer {
  const writer = new BitWriter()
  for (const bit of text.replaceAll(' ', '')) writer.writeFlag(bit === '1')
  return writer.toBuffer()
}

const LC = '0001001000010000'
const HEAD = '0 1 000000 0000 000'

type MuxCase = readonly [
  name: string,
  bytes: Buffer,
  asc: string,
  further: Omit<StreamMuxConfig, 'audioSpecificConfig'>,
]

const PLAIN = { subframeCount: 1, frameSizeBytes: undefined, otherDataBits: 0 }

const MUX_CASES: readonly MuxCase[] = [
  ['ffmpeg', fromHex('400024203fc0'), '1210', PLAIN],
  ['GStreamer, which ends early', fromHex('40002420'), '1210', PLAIN],
  ['LC of 24 kHz in RFC 6416', fromHex('400026203fc0'), '1310', PLAIN],
  ['HE-AAC of RFC 6416, signalled before the core', fromHex('40005623101fe0'), '2b118800', PLAIN],
  ['four frames', fromBits(`0 1 000011 0000 000 ${LC} 000 11111111 0 0`), '1210', { ...PLAIN, subframeCount: 4 }],
  ['frames of a fixed size', fromBits(`${HEAD} ${LC} 001 000000101 0 0`), '1210', { ...PLAIN, frameSizeBytes: 25 }],
  [
    'other data and a checksum',
    fromBits(`${HEAD} ${LC} 000 11111111 1 1 00000001 0 00000010 1 10101010`),
    '1210',
    { ...PLAIN, otherDataBits: 258 },
  ],
  [
    'version 1',
    fromBits(`1 0 00 11111111 1 000000 0000 000 00 00010000 ${LC} 000 11111111 1 01 0000000100000010 0`),
    '1210',
    { ...PLAIN, otherDataBits: 258 },
  ],
  [
    'version 1 with a configuration of 14 bits',
    fromBits(`1 0 00 11111111 1 000000 0000 000 00 00001110 00010010000100 000 11111111 0 0`),
    '1210',
    PLAIN,
  ],
]

describe('StreamMuxConfig', () => {
  for (const [name, bytes, asc, further] of MUX_CASES) {
    it(`parses ${name}`, () => {
      expect(parseStreamMuxConfig(bytes)).to.deep.equal({ audioSpecificConfig: fromHex(asc), ...further })
    })
  }

  const BROKEN: readonly (readonly [bits: string, message: string])[] = [
    ['', 'same time framing'],
    ['1 1', 'audioMuxVersionA 1'],
    ['0 0 000000 0000 000', 'same time framing'],
    [`0 1 000000 0001 000 ${LC}`, '2 programs and 1 layers'],
    [`0 1 000000 0000 010 ${LC}`, '1 programs and 3 layers'],
    [`1 0 00 11111111 1 000000 0000 000 11 1${'0'.repeat(31)}`, '2147483648 bits needed'],
    [`${HEAD} ${LC} 011 000000 0 0`, 'frameLengthType 3'],
    [`${HEAD} 10111 0100 0010 000 000 11111111 0 0`, 'audio object type 23'],
    [`${HEAD} ${LC} 000 11111111 1 1 11111111 1 11111111 1 11111111 1 11111111`, 'bits of other data'],
  ]
  for (const [bits, message] of BROKEN) {
    it(`refuses ${bits || 'nothing'}`, () => {
      expect(() => parseStreamMuxConfig(fromBits(bits))).to.throw(MalformedError, message)
    })
  }

  it('takes any bytes', () => {
    fuzz(
      MUX_CASES.map(([, bytes]) => bytes),
      (bytes) => expect(parseStreamMuxConfig(bytes).subframeCount).to.be.within(1, 64),
    )
  })
})

describe('AudioMuxElement', () => {
  const mux = { audioSpecificConfig: fromHex('1210'), ...PLAIN }
  const frame = '10101011 11001101'

  it('has a size before each frame', () => {
    expect(parseAudioMuxElement(fromHex('02 abcd'), mux, false)).to.deep.equal({ mux, frames: [fromHex('abcd')] })
    const long = Buffer.concat([fromHex('ff02'), Buffer.alloc(257, 7), fromHex('00')])
    expect(parseAudioMuxElement(long, mux, false)?.frames).to.deep.equal([Buffer.alloc(257, 7)])
    const full = Buffer.concat([fromHex('ff00'), Buffer.alloc(255, 7)])
    expect(parseAudioMuxElement(full, mux, false)?.frames).to.deep.equal([Buffer.alloc(255, 7)])
  })

  it('has several frames, or frames of one size', () => {
    const three = { ...mux, subframeCount: 3 }
    expect(parseAudioMuxElement(fromHex('01 aa 00 02 bbcc'), three, false)?.frames).to.deep.equal([
      fromHex('aa'),
      fromHex(''),
      fromHex('bbcc'),
    ])
    const fixed = { ...mux, subframeCount: 2, frameSizeBytes: 2 }
    expect(parseAudioMuxElement(fromHex('aabb ccdd'), fixed, false)?.frames).to.deep.equal([
      fromHex('aabb'),
      fromHex('ccdd'),
    ])
  })

  it('has a configuration of its own, or the one before', () => {
    const own = fromBits(`0 ${HEAD} ${LC} 000 11111111 0 0 00000010 ${frame}`)
    const found = parseAudioMuxElement(own, undefined, true)
    expect(found).to.deep.equal({ mux, frames: [fromHex('abcd')] })
    const same = fromBits(`1 00000010 ${frame}`)
    expect(parseAudioMuxElement(same, found?.mux, true)).to.deep.equal({ mux, frames: [fromHex('abcd')] })
    expect(parseAudioMuxElement(same, undefined, true)).to.equal(undefined)
  })

  it('is refused when it is cut off', () => {
    for (const hex of ['', '02', '02aa', 'ff', 'ffff', 'ff02aabb']) {
      expect(() => parseAudioMuxElement(fromHex(hex), mux, false), hex).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    const seeds = [fromHex('02abcd'), fromBits(`0 ${HEAD} ${LC} 000 11111111 0 0 00000010 ${frame}`)]
    fuzz(seeds, (bytes) => {
      const frames = parseAudioMuxElement(bytes, mux, bytes.length % 2 === 0)?.frames ?? []
      expect(Buffer.concat([...frames]).length).to.be.at.most(bytes.length)
    })
  })
})
