import { BitReader } from '../../bits/bit-reader.ts'
import { MalformedError } from '../../errors.ts'

/** The start of the uncompressed header (VP9 bitstream specification 6.2); more of it for a keyframe. */
export type Vp9FrameHeader = { readonly keyframe: false; readonly profile: number } | Vp9KeyframeHeader

export type Vp9KeyframeHeader = {
  readonly keyframe: true
  readonly profile: number
  readonly bitDepth: 8 | 10 | 12
  /** color_space (7.2.2); 7 is RGB. */
  readonly colorSpace: number
  readonly fullRange: boolean
  /** 1 halves the chroma planes: both 1 is 4:2:0, only x is 4:2:2, none 4:4:4. */
  readonly subsamplingX: number
  readonly subsamplingY: number
  readonly width: number
  readonly height: number
}

export const VP9_COLOR_SPACE_RGB = 7

const FRAME_MARKER = 2
const SYNC_CODE = 0x498342

/** Parses the start of a frame. @throws {MalformedError} when it ends early or has a forbidden value. */
export function parseVp9FrameHeader(frame: Buffer): Vp9FrameHeader {
  const bits = new BitReader(frame)
  if (bits.readBits(2) !== FRAME_MARKER) throw new MalformedError(`no VP9 frame: ${frame.toString('hex', 0, 1)}`)
  const profile = bits.readBits(1) + 2 * bits.readBits(1)
  if (profile === 3 && bits.readFlag()) throw new MalformedError('VP9 frame of a reserved profile')
  if (bits.readFlag() || bits.readFlag()) return { keyframe: false, profile } // show_existing_frame, frame_type
  bits.skipBits(2) // show_frame, error_resilient_mode
  const sync = bits.readBits(24)
  if (sync !== SYNC_CODE) throw new MalformedError(`VP9 keyframe with sync code ${sync.toString(16)}`)
  const deepDepth = profile >= 2 && bits.readFlag() ? 12 : 10
  const bitDepth = profile >= 2 ? deepDepth : 8
  const colors = readColors(bits, profile)
  const size = { width: 1 + bits.readBits(16), height: 1 + bits.readBits(16) }
  return { keyframe: true, profile, bitDepth, ...colors, ...size }
}

type Colors = Pick<Vp9KeyframeHeader, 'colorSpace' | 'fullRange' | 'subsamplingX' | 'subsamplingY'>

function readColors(bits: BitReader, profile: number): Colors {
  const colorSpace = bits.readBits(3)
  const anySubsampling = (profile & 1) === 1
  if (colorSpace === VP9_COLOR_SPACE_RGB) {
    if (!anySubsampling) throw new MalformedError(`VP9 keyframe of RGB in profile ${profile}`)
    bits.skipBits(1) // reserved_zero
    return { colorSpace, fullRange: true, subsamplingX: 0, subsamplingY: 0 }
  }
  const fullRange = bits.readFlag()
  if (!anySubsampling) return { colorSpace, fullRange, subsamplingX: 1, subsamplingY: 1 }
  const subsampling = { subsamplingX: bits.readBits(1), subsamplingY: bits.readBits(1) }
  bits.skipBits(1) // reserved_zero
  return { colorSpace, fullRange, ...subsampling }
}
