import { expect } from 'chai'
import { fuzz } from '../codec/test/fuzz.ts'
import { fromHex } from '../container/flv/fixtures/bytes.ts'
import { MalformedError } from '../errors.ts'
import {
  parseRtpExtensionElements,
  RTP_MAX_EXTENSION_ELEMENTS,
  serializeRtpExtensionElements,
} from './header-extension.ts'
import type { RtpExtensionElement } from './header-extension.ts'

type Element = readonly [id: number, data: string]

const elementsOf = (elements: readonly Element[]): RtpExtensionElement[] =>
  elements.map(([id, data]) => ({ id, data: fromHex(data) }))

const CASES: readonly [name: string, profile: number, data: string, elements: readonly Element[]][] = [
  ['nothing', 0xbede, '', []],
  ['one byte', 0xbede, '10aa 0000', [[1, 'aa']]],
  [
    'two elements, filled up',
    0xbede,
    '10aa e1bbcc 000000',
    [
      [1, 'aa'],
      [14, 'bbcc'],
    ],
  ],
  ['16 bytes', 0xbede, '2f 000102030405060708090a0b0c0d0e0f 000000', [[2, '000102030405060708090a0b0c0d0e0f']]],
  ['an element of no bytes', 0x1000, '0100 0000', [[1, '']]],
  [
    'an identifier above 14 among others',
    0x1000,
    '0101aa 0f02bbcc 00',
    [
      [1, 'aa'],
      [15, 'bbcc'],
    ],
  ],
  ['an identifier above 14 (GStreamer)', 0x1000, '11080000000000000000 0000', [[17, '0000000000000000']]],
  ['255 bytes', 0x1000, `ffff ${'5a'.repeat(255)} 000000`, [[255, '5a'.repeat(255)]]],
]

/** What is written in another way here. */
const PARSED: readonly [name: string, profile: number, data: string, elements: readonly Element[]][] = [
  [
    'padding between elements (the example of RFC 8285 4.2)',
    0xbede,
    '10aa 21bbcc 0000 33d0d1d2d3 00',
    [
      [1, 'aa'],
      [2, 'bbcc'],
      [3, 'd0d1d2d3'],
    ],
  ],
  ['nothing after identifier 15', 0xbede, '10aa f0bb 10cc', [[1, 'aa']]],
  ['nothing after identifier 0 of a size', 0xbede, '10aa 01bbcc 10dd', [[1, 'aa']]],
  [
    'padding between elements of two-byte headers (the example of RFC 8285 4.3)',
    0x1000,
    '0100 0201bb 00 0304d0d1d2d3',
    [
      [1, ''],
      [2, 'bb'],
      [3, 'd0d1d2d3'],
    ],
  ],
  ['elements beside bits of the application', 0x100f, '0101aa00', [[1, 'aa']]],
  ['nothing of another profile', 0x1234, '0101aa00', []],
]

const MALFORMED: readonly [name: string, profile: number, data: string][] = [
  ['ends early', 0xbede, '10aa 3200'],
  ['ends early with a two-byte header', 0x1000, '0102aa'],
  ['ends within its two-byte header', 0x1000, '0101aa 02'],
  ['is one too many', 0x1000, '0100'.repeat(RTP_MAX_EXTENSION_ELEMENTS + 1)],
]

describe('RTP extension elements', () => {
  for (const [name, profile, data, elements] of CASES) {
    it(`are parsed and serialized: ${name}`, () => {
      expect(parseRtpExtensionElements({ profile, data: fromHex(data) })).to.deep.equal(elementsOf(elements))
      const extension = serializeRtpExtensionElements(elementsOf(elements))
      expect([extension.profile, extension.data.toString('hex')]).to.deep.equal([profile, data.replaceAll(' ', '')])
    })
  }

  for (const [name, profile, data, elements] of PARSED) {
    it(`are parsed: ${name}`, () => {
      expect(parseRtpExtensionElements({ profile, data: fromHex(data) })).to.deep.equal(elementsOf(elements))
    })
  }

  for (const [name, profile, data] of MALFORMED) {
    it(`are refused when one ${name}`, () => {
      expect(() => parseRtpExtensionElements({ profile, data: fromHex(data) })).to.throw(MalformedError, 'element')
    })
  }

  it('are not serialized when one breaks a rule', () => {
    for (const [id, sizeBytes] of [
      [0, 1],
      [256, 1],
      [1, 256],
    ] as const) {
      const element = { id, data: Buffer.alloc(sizeBytes) }
      expect(() => serializeRtpExtensionElements([element])).to.throw(MalformedError, `element ${id} of ${sizeBytes}`)
    }
  })

  it('are parsed from any bytes, or refused', () => {
    for (const profile of [0xbede, 0x1000]) {
      fuzz(
        CASES.map(([, , data]) => fromHex(data)),
        (data) => {
          const elements = parseRtpExtensionElements({ profile, data })
          expect(parseRtpExtensionElements(serializeRtpExtensionElements(elements))).to.deep.equal(elements)
        },
      )
    }
  })
})
