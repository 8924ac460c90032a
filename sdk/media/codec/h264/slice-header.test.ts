import { expect } from 'chai'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { parseH264SliceHeader, type H264SliceHeader } from './slice-header.ts'
import { parseH264Sps, type H264Sps } from './sps.ts'

// By libx264: 4 bits of frame number, 6 of the order count.
const FRAMES = parseH264Sps(Buffer.from('67640028acd940780227e5c04400000fa40003a9803c60c658', 'hex'))
const FIELDS: H264Sps = { ...FRAMES, frameMbsOnly: false }
const PLANES: H264Sps = { ...FRAMES, separatePlanes: true }
const UNCOUNTED: H264Sps = { ...FRAMES, picOrderCntType: 2, log2MaxPicOrderCntLsb: 0 }

const HEADER = { idr: false, reference: true, frameNum: 5, field: false, picOrderCntLsb: 12 }

// The header byte; first_mb_in_slice 0, slice_type, pps 0; then what depends on the SPS.
const CASES: readonly [what: string, sps: H264Sps, bits: string, header: H264SliceHeader][] = [
  ['a P slice', FRAMES, '01000001 1 00110 1 0101 001100', HEADER],
  ['a B slice that nothing refers to', FRAMES, '00000001 1 00111 1 0101 001100', { ...HEADER, reference: false }],
  [
    'an IDR slice',
    FRAMES,
    '01100101 1 0001000 1 0000 010 000000',
    { ...HEADER, idr: true, frameNum: 0, picOrderCntLsb: 0 },
  ],
  ['a field', FIELDS, '01000001 1 00110 1 0101 1 1 001100', { ...HEADER, field: true }],
  ['a frame of a stream with fields', FIELDS, '01000001 1 00110 1 0101 0 001100', HEADER],
  ['a plane', PLANES, '01000001 1 00110 1 10 0101 001100', HEADER],
  ['a slice without order count', UNCOUNTED, '01000001 1 00110 1 0101', { ...HEADER, picOrderCntLsb: 0 }],
]

function fromBits(bits: string): Buffer {
  const writer = new BitWriter()
  for (const bit of bits.replaceAll(' ', '')) writer.writeFlag(bit === '1')
  return writer.toBuffer()
}

describe('parseH264SliceHeader', () => {
  for (const [what, sps, bits, header] of CASES) {
    it(`parses ${what}`, () => expect(parseH264SliceHeader(fromBits(bits), sps)).to.eql(header))
  }

  it('refuses other units and what is cut off', () => {
    expect(() => parseH264SliceHeader(Buffer.from('67640028', 'hex'), FRAMES)).to.throw(MalformedError, 'type 7')
    for (const bytes of ['', '41', '419a']) {
      expect(() => parseH264SliceHeader(Buffer.from(bytes, 'hex'), FRAMES)).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    const seeds = CASES.map(([, , bits]) => fromBits(bits))
    fuzz(seeds, (bytes) => expect(parseH264SliceHeader(bytes, FRAMES).picOrderCntLsb).to.be.within(0, 63))
  })
})
