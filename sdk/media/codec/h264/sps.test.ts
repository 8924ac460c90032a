import { expect } from 'chai'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { parseH264Sps } from './sps.ts'
import type { H264Sps } from './sps.ts'

const COMMON = { constraintFlags: 0, id: 0, chromaFormatIdc: 1, bitDepthLuma: 8, bitDepthChroma: 8, picOrderCntType: 0 }
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
    name: 'High 4:2:2 with scaling lists',
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
    sps: { ...COMMON, ...SMALL, profileIdc: 100, levelIdc: 21, chromaFormatIdc: 0 },
  },
  {
    name: 'High, interlaced with buffering parameters',
    hex: '67640015acd941433f26022000000300200000064c04003d08000f427261807c50a658',
    sps: { ...COMMON, ...SMALL, profileIdc: 100, levelIdc: 21 },
  },
]

// What libx264 never writes: order count type 1, no cropping, no VUI.
function writeOddSps(): Buffer {
  const bits = new BitWriter()
  bits.writeBits(0x67_42_00_1e, 32)
  bits.writeBits(0b1_1_010_1, 6) // id 0, log2_max_frame_num 4, type 1, delta_pic_order_always_zero_flag
  bits.writeBits(0b1_1_011_010_1, 9) // two offsets of 0, two in the cycle: 1 and 0
  bits.writeBits(0b010_0, 4) // one reference frame, no gaps
  bits.writeBits(0b00100_011, 8) // 4 by 3 macroblocks
  bits.writeBits(0b1_1_0_0_1, 5) // frames only, direct_8x8, no cropping, no VUI, stop bit
  return bits.toBuffer()
}

const first = () => Buffer.from(cases[0]!.hex, 'hex')

describe('parseH264Sps', () => {
  for (const { name, hex, sps } of cases) {
    it(`parses ${name}`, () => expect(parseH264Sps(Buffer.from(hex, 'hex'))).to.deep.equal(sps))
  }

  it('parses one without cropping and VUI', () => {
    expect(parseH264Sps(writeOddSps())).to.include({
      width: 64,
      height: 48,
      picOrderCntType: 1,
      fps: undefined,
      maxNumReorderFrames: undefined,
    })
  })

  it('refuses other units and what is cut off', () => {
    expect(() => parseH264Sps(Buffer.from('68eb', 'hex'))).to.throw(MalformedError, 'type 8, not SPS')
    expect(() => parseH264Sps(Buffer.alloc(0))).to.throw(MalformedError)
    for (let size = 1; size < first().length - 1; size++) {
      expect(() => parseH264Sps(first().subarray(0, size)), `${size} bytes`).to.throw(MalformedError)
    }
  })

  it('refuses sizes that no level allows', () => {
    const bits = new BitWriter()
    bits.writeBits(0x67_42_00_1e, 32)
    bits.writeBits(0b1_1_011_010_0, 9)
    bits.writeBits(0, 10)
    bits.writeBits(1057, 11) // ue(v) of 1056
    bits.writeBits(0, 32)
    expect(() => parseH264Sps(bits.toBuffer())).to.throw(MalformedError, '1056 at bit 41 is above its limit of 1055')
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
