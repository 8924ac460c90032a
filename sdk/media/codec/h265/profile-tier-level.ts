import type { BitReader } from '../../bits/bit-reader.ts'

/** The profile, tier and level of a whole stream (ISO/IEC 23008-2 7.3.3): what its decoder must be able to do. */
export type H265ProfileTierLevel = {
  readonly profileSpace: number
  /** 1 is the High tier. */
  readonly tierFlag: number
  readonly profileIdc: number
  /** 32 flags; the one of profile 0 is the most significant bit. */
  readonly profileCompatibilityFlags: number
  /** 48 flags, from progressive_source_flag (most significant) on. */
  readonly constraintFlags: number
  /** Thirty times the level, for example 93 for level 3.1. */
  readonly levelIdc: number
}

/** Reads the general part, which `hvcC` holds in the same 12 bytes. */
export function readGeneralProfileTierLevel(bits: BitReader): H265ProfileTierLevel {
  return {
    profileSpace: bits.readBits(2),
    tierFlag: bits.readBits(1),
    profileIdc: bits.readBits(5),
    profileCompatibilityFlags: bits.readBits(32),
    constraintFlags: bits.readBits(16) * 2 ** 32 + bits.readBits(32),
    levelIdc: bits.readBits(8),
  }
}

/** Reads profile_tier_level() and drops the fields of sub-layers. */
export function readProfileTierLevel(bits: BitReader, maxSubLayersMinus1: number): H265ProfileTierLevel {
  const general = readGeneralProfileTierLevel(bits)
  if (maxSubLayersMinus1 === 0) return general
  let subLayerBits = 0
  for (let left = maxSubLayersMinus1; left > 0; left--) {
    if (bits.readFlag()) subLayerBits += 88 // sub_layer_profile_present_flag
    if (bits.readFlag()) subLayerBits += 8 // sub_layer_level_present_flag
  }
  bits.skipBits(2 * (8 - maxSubLayersMinus1)) // reserved_zero_2bits
  bits.skipBits(subLayerBits)
  return general
}

/**
 * The part of the RFC 6381 `codecs` value after `hvc1.` (ISO/IEC 14496-15 Annex E): profile, compatibility flags in
 * reverse bit order, tier and level, and the constraint bytes up to the last that is not zero.
 */
export function formatProfileTierLevel(value: H265ProfileTierLevel): string {
  const space = ['', 'A', 'B', 'C'][value.profileSpace]!
  const constraints = value.constraintFlags.toString(16).padStart(12, '0').toUpperCase().match(/../g)!
  while (constraints.at(-1) === '00') constraints.pop()
  return [
    `${space}${value.profileIdc}`,
    reverseBits(value.profileCompatibilityFlags).toString(16).toUpperCase(),
    `${value.tierFlag === 1 ? 'H' : 'L'}${value.levelIdc}`,
    ...constraints.map((byte) => byte.replace(/^0/, '')),
  ].join('.')
}

function reverseBits(value: number): number {
  let reversed = 0
  for (let bit = 0; bit < 32; bit++) reversed = reversed * 2 + ((value >>> bit) & 1)
  return reversed
}
