import type { BitReader } from '../../bits/bit-reader.ts'

/** The part of color_config() (AV1 specification 5.5.2) that a configuration record repeats. */
export type Av1ColorConfig = {
  readonly bitDepth: 8 | 10 | 12
  readonly monochrome: boolean
  /** 1 halves the chroma planes: both 1 is 4:2:0, only x is 4:2:2, none 4:4:4. */
  readonly subsamplingX: number
  readonly subsamplingY: number
  /** 0 is unknown, 1 left, 2 top left. */
  readonly chromaSamplePosition: number
}

const BT_709 = 1
const SRGB = 13
const IDENTITY = 0

/** Reads color_config() as far as it matters. */
export function readColorConfig(bits: BitReader, profile: number): Av1ColorConfig {
  const highBitDepth = bits.readFlag()
  const twelveBit = profile === 2 && highBitDepth && bits.readFlag()
  const deepDepth = twelveBit ? 12 : 10
  const bitDepth = highBitDepth ? deepDepth : 8
  const monochrome = profile !== 1 && bits.readFlag()
  const rgb = bits.readFlag() && readIsRgb(bits)
  if (rgb && !monochrome) {
    return { bitDepth, monochrome, subsamplingX: 0, subsamplingY: 0, chromaSamplePosition: 0 }
  }
  bits.skipBits(1) // color_range
  if (monochrome) return { bitDepth, monochrome, subsamplingX: 1, subsamplingY: 1, chromaSamplePosition: 0 }
  const [subsamplingX, subsamplingY] = readSubsampling(bits, profile, bitDepth)
  const chromaSamplePosition = subsamplingX === 1 && subsamplingY === 1 ? bits.readBits(2) : 0
  return { bitDepth, monochrome, subsamplingX, subsamplingY, chromaSamplePosition }
}

function readIsRgb(bits: BitReader): boolean {
  const [primaries, transfer, matrix] = [bits.readBits(8), bits.readBits(8), bits.readBits(8)]
  return primaries === BT_709 && transfer === SRGB && matrix === IDENTITY
}

function readSubsampling(bits: BitReader, profile: number, bitDepth: number): readonly [number, number] {
  if (profile === 0) return [1, 1]
  if (profile === 1) return [0, 0]
  if (bitDepth < 12) return [1, 0]
  const x = bits.readBits(1)
  return [x, x === 1 ? bits.readBits(1) : 0]
}
