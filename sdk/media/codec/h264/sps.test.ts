import { expect } from 'chai'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { parseH264Sps } from './sps.ts'
import type { H264Sps } from './sps.ts'

const SLICES = { log2MaxFrameNum: 4, log2MaxPicOrderCntLsb: 6, frameMbsOnly: true, separatePlanes: false }
const COMMON = {
  constraintFlags: 0,
  id: 0,
  chromaFormatIdc: 1,
  bitDepthLuma: 8,
  bitDepthChroma: 8,
  picOrderCntType: 0,
  ...SLICES,
}
const SMALL = { width: 320, height: 180, fps: 25, maxNumReorderFrames: 2 }

// All from libx264.
const cases: { name: string; hex: string; sps: H264Sps }[] = [
  {
    name: 'Constrained Baseline',
    hex: '6742c00cd901419f9f011000000300100000030320f142a480',
    sps: {
      ...COMMON,
      ...SMALL,
      profileIdc: 66,
      constraintFlags: 0xc0,
      levelIdc: 12,
      picOrderCntType: 2,
      log2MaxPicOrderCntLsb: 0,
      maxNumReorderFrames: 0,
    },
  },
  {
    name: 'High with cropping and 29.97 frames a second',
    hex: '67640028acd940780227e5c04400000fa40003a9803c60c658',
    sps: {
      ...COMMON,
      profileIdc: 100,
      levelIdc: 40,
      width: 1920,
      height: 1080,
      fps: 30_000 / 1001,
      maxNumReorderFrames: 2,
    },
  },
  {
    name: 'High 10',
    hex: '676e000ca6cd941419f9f011000003000100000300320f142996',
    sps: { ...COMMON, ...SMALL, profileIdc: 110, levelIdc: 12, bitDepthLuma: 10, bitDepthChroma: 10 },
  },
  {
    name: 'High 4:2:2',
    hex: '677a000cbcd941419f8dc044000003000400000300c83c50a658',
    sps: { ...COMMON, ...SMALL, profileIdc: 122, levelIdc: 12, chromaFormatIdc: 2 },
  },
  {
    name: 'High 4:4:4',
    hex: '67f4000c919b282833f1b808800000030080000019078a14cb',
    sps: { ...COMMON, ...SMALL, profileIdc: 244, levelIdc: 12, chromaFormatIdc: 3 },
  },
  {
    name: 'High, monochrome and interlaced',
    hex: '67640015f365050cfcf80b64000003000400000300c87c50a658',
    sps: { ...COMMON, ...SMALL, profileIdc: 100, levelIdc: 21, chromaFormatIdc: 0, frameMbsOnly: false },
  },
  {
    name: 'High, interlaced with buffering parameters',
    hex: '67640015acd941433f26022000000300200000064c04003d08000f427261807c50a658',
    sps: { ...COMMON, ...SMALL, profileIdc: 100, levelIdc: 21, frameMbsOnly: false },
  },
]

function fromBits(bits: string): Buffer {
  const writer = new BitWriter()
  for (const bit of bits.replaceAll(' ', '')) writer.writeFlag(bit === '1')
  return writer.toBuffer()
}

const head = (profileIdc: number) => `01100111 ${profileIdc.toString(2).padStart(8, '0')} 00000000 00011110`
const SIZE_64_BY_48 = '00100 011'

// What libx264 never writes.
const handmade: { name: string; bits: string; sps: H264Sps }[] = [
  {
    name: 'order count type 1, no cropping, no VUI',
    // Two offsets of 0, and two in the cycle: 1 and 0.
    bits: `${head(66)} 1 1 010 1 1 1 011 010 1 010 0 ${SIZE_64_BY_48} 1 1 0 0 1`,
    sps: {
      ...COMMON,
      profileIdc: 66,
      levelIdc: 30,
      picOrderCntType: 1,
      log2MaxPicOrderCntLsb: 0,
      width: 64,
      height: 48,
      fps: undefined,
      maxNumReorderFrames: undefined,
    },
  },
  {
    name: 'separate planes, scaling lists, an aspect ratio of its own',
    // The first list ends with its first scale (8 - 8); the seventh, of 8x8, has 64 equal ones.
    bits:
      `${head(244)} 1 00100 1 1 1 0 1 1 000010001 00000 1 ${'1'.repeat(64)} 00000` +
      ` 1 011 010 0 ${SIZE_64_BY_48} 1 1 1 010 1 1 010` +
      ` 1 1 11111111 ${'01'.repeat(16)} 1 1 0 1 1 1 0 0 0 0 0 1`,
    sps: {
      ...COMMON,
      profileIdc: 244,
      levelIdc: 30,
      chromaFormatIdc: 3,
      separatePlanes: true,
      picOrderCntType: 2,
      log2MaxPicOrderCntLsb: 0,
      width: 63,
      height: 47,
      fps: undefined,
      maxNumReorderFrames: undefined,
    },
  },
]

const first = () => Buffer.from(cases[0]!.hex, 'hex')

describe('parseH264Sps', () => {
  for (const { name, hex, sps } of cases) {
    it(`parses ${name}`, () => expect(parseH264Sps(Buffer.from(hex, 'hex'))).to.deep.equal(sps))
  }

  for (const { name, bits, sps } of handmade) {
    it(`parses ${name}`, () => expect(parseH264Sps(fromBits(bits))).to.deep.equal(sps))
  }

  it('refuses other units and what is cut off', () => {
    expect(() => parseH264Sps(Buffer.from('68eb', 'hex'))).to.throw(MalformedError, 'type 8, not SPS')
    expect(() => parseH264Sps(Buffer.alloc(0))).to.throw(MalformedError)
    for (let size = 1; size < first().length - 1; size++) {
      expect(() => parseH264Sps(first().subarray(0, size)), `${size} bytes`).to.throw(MalformedError)
    }
  })

  it('refuses sizes that no level allows', () => {
    const width = `${'0'.repeat(10)}${(1057).toString(2)}` // ue(v) of 1056
    const sps = fromBits(`${head(66)} 1 1 011 010 0 ${width} ${'0'.repeat(32)}`)
    expect(() => parseH264Sps(sps)).to.throw(MalformedError, '1056 at bit 41 is above its limit of 1054')
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => {
        const { width, height } = parseH264Sps(bytes)
        expect(width).to.be.within(1, 16_896)
        expect(height).to.be.within(1, 33_792)
      },
    )
  })
})
