import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { parseH265Sps } from './sps.ts'
import type { H265Sps } from './sps.ts'

const MAIN: H265Sps = {
  profileTierLevel: {
    profileSpace: 0,
    tierFlag: 0,
    profileIdc: 1,
    profileCompatibilityFlags: 0x60000000,
    constraintFlags: 0x900000000000,
    levelIdc: 60,
  },
  id: 0,
  maxSubLayers: 1,
  temporalIdNested: true,
  chromaFormatIdc: 1,
  bitDepthLuma: 8,
  bitDepthChroma: 8,
  width: 320,
  height: 180,
  maxNumReorderPics: 2,
  fps: 25,
}

// All from libx265.
const cases: { name: string; hex: string; sps: H265Sps }[] = [
  {
    name: 'Main with a conformance window',
    hex: '42010101600000030090000003000003003ca00a080b9f796566924caf016808000003000800000300c840',
    sps: MAIN,
  },
  {
    name: 'Main with scaling lists',
    hex:
      '42010101600000030090000003000003003ca00a080b9f796566924f853fff91431fffc8a14fffffffffffffffe450c7ffff' +
      'fffffffffff22859ffffffffffffffff228597fffffffffffffff22859ffffffffffffffff8597fffffffffffffff5780b40' +
      '40000003004000000642',
    sps: MAIN,
  },
  {
    name: 'Main 10, High tier',
    hex: '420101222000000300900000030000030099a003c08010e4d96566924e5780b40400000fa40003a98020',
    sps: {
      ...MAIN,
      profileTierLevel: {
        ...MAIN.profileTierLevel,
        tierFlag: 1,
        profileIdc: 2,
        profileCompatibilityFlags: 0x20000000,
        levelIdc: 153,
      },
      bitDepthLuma: 10,
      bitDepthChroma: 10,
      width: 1920,
      height: 1080,
      fps: 60_000 / 1001,
    },
  },
  {
    name: 'Main 4:2:2 10 with buffering parameters',
    hex: '4201010408000003009d08000003000099b003c08010e4d96566924caf01680800001f480007530300a4c3f0000989680004c4b440',
    sps: {
      ...MAIN,
      profileTierLevel: {
        ...MAIN.profileTierLevel,
        profileIdc: 4,
        profileCompatibilityFlags: 0x08000000,
        constraintFlags: 0x9d0800000000,
        levelIdc: 153,
      },
      chromaFormatIdc: 2,
      bitDepthLuma: 10,
      bitDepthChroma: 10,
      width: 1920,
      height: 1080,
      fps: 60_000 / 1001,
    },
  },
]

const first = () => Buffer.from(cases[0]!.hex, 'hex')

describe('parseH265Sps', () => {
  for (const { name, hex, sps } of cases) {
    it(`parses ${name}`, () => expect(parseH265Sps(Buffer.from(hex, 'hex'))).to.deep.equal(sps))
  }

  it('refuses other units, other layers and what is cut off', () => {
    expect(() => parseH265Sps(Buffer.from('4401c1', 'hex'))).to.throw(MalformedError, 'type 34, not SPS')
    expect(() => parseH265Sps(Buffer.from('420901', 'hex'))).to.throw(MalformedError, 'SPS of layer 1')
    expect(() => parseH265Sps(Buffer.from('42010f', 'hex'))).to.throw(MalformedError, '8 sub-layers')
    for (let size = 1; size < first().length - 1; size++) {
      expect(() => parseH265Sps(first().subarray(0, size)), `${size} bytes`).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => {
        const { width, height } = parseH265Sps(bytes)
        expect(width).to.be.within(1, 33_776)
        expect(height).to.be.within(1, 33_776)
      },
    )
  })
})
