import { expect } from 'chai'
import { BitReader } from '../../bits/bit-reader.ts'
import { formatProfileTierLevel, readProfileTierLevel } from './profile-tier-level.ts'

// The examples of ISO/IEC 14496-15 Annex E and RFC 6381 users, and profiles of libx265.
const cases = [
  { name: 'Main', hex: '0160000000b00000000000 5d', codecString: '1.6.L93.B0' },
  { name: 'Main 10, High tier', hex: '2220000000900000000000 99', codecString: '2.4.H153.90' },
  { name: 'range extensions', hex: '04080000009d0800000000 99', codecString: '4.10.L153.9D.8' },
  { name: 'no constraints', hex: '0160000000000000000000 1e', codecString: '1.6.L30' },
  { name: 'a profile space', hex: '4160000000000000000000 1e', codecString: 'A1.6.L30' },
]

const reader = (hex: string) => new BitReader(Buffer.from(hex.replaceAll(' ', ''), 'hex'))

describe('formatProfileTierLevel', () => {
  for (const { name, hex, codecString } of cases) {
    it(`formats ${name}`, () => {
      expect(formatProfileTierLevel(readProfileTierLevel(reader(hex), 0))).to.equal(codecString)
    })
  }
})

describe('readProfileTierLevel', () => {
  it('reads over what is said about sub-layers', () => {
    // Two sub-layers: the first with profile and level, the second with a level only.
    const bits = reader(`${cases[0]!.hex} d000 ${'00'.repeat(11)} 1e 1e ff`)
    expect(readProfileTierLevel(bits, 2)).to.include({ profileIdc: 1, levelIdc: 93 })
    expect(bits.bitsLeft).to.equal(8)
  })
})
