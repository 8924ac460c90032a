import { BitReader } from '../../bits/bit-reader.ts'
import { readColorConfig } from './color-config.ts'
import type { Av1ColorConfig } from './color-config.ts'

/** A sequence header (AV1 specification 5.5.1): the fields that are needed outside a decoder. */
export type Av1SequenceHeader = {
  readonly profile: number
  /** seq_level_idx of the first operating point, for example 8 for level 4.0. */
  readonly level: number
  /** seq_tier of the first operating point; 1 is the High tier. */
  readonly tier: number
  /** The largest size of a frame, in pixels. */
  readonly width: number
  readonly height: number
  /** Frames a second where all last equally long. */
  readonly fps: number | undefined
  readonly color: Av1ColorConfig
}

/**
 * Parses the payload of a sequence header OBU.
 * @throws {MalformedError} when it ends early or has a value that the specification forbids.
 */
export function parseAv1SequenceHeader(payload: Buffer): Av1SequenceHeader {
  const bits = new BitReader(payload)
  const profile = bits.readBits(3)
  bits.skipBits(1) // still_picture
  const reduced = bits.readFlag()
  const operation = reduced ? { level: bits.readBits(5), tier: 0, fps: undefined } : readOperation(bits)
  const widthBits = 1 + bits.readBits(4)
  const heightBits = 1 + bits.readBits(4)
  const size = { width: 1 + bits.readBits(widthBits), height: 1 + bits.readBits(heightBits) }
  // Lengths of frame ids.
  if (!reduced && bits.readFlag()) bits.skipBits(7)
  bits.skipBits(3) // use_128x128_superblock, enable_filter_intra, enable_intra_edge_filter
  if (!reduced) skipInterTools(bits)
  bits.skipBits(3) // enable_superres, enable_cdef, enable_restoration
  return { profile, ...operation, ...size, color: readColorConfig(bits, profile) }
}

type Operation = Pick<Av1SequenceHeader, 'level' | 'tier' | 'fps'>

function readOperation(bits: BitReader): Operation {
  const timing = bits.readFlag() // timing_info_present_flag
  const fps = timing ? readFps(bits) : undefined
  const decoderModel = timing && bits.readFlag() // decoder_model_info_present_flag
  const delayBits = decoderModel ? readDecoderModelDelayBits(bits) : 0
  const displayDelay = bits.readFlag() // initial_display_delay_present_flag
  const count = 1 + bits.readBits(5)
  const points = Array.from({ length: count }, () => readOperatingPoint(bits, delayBits, displayDelay))
  return { ...points[0]!, fps }
}

function readFps(bits: BitReader): number | undefined {
  const unitsInTick = bits.readBits(32)
  const timeScale = bits.readBits(32)
  if (!bits.readFlag()) return undefined // equal_picture_interval
  const ticksPerPicture = 1 + bits.readUe() // uvlc() is the same as ue(v)
  return unitsInTick > 0 && timeScale > 0 ? timeScale / unitsInTick / ticksPerPicture : undefined
}

function readDecoderModelDelayBits(bits: BitReader): number {
  const delayBits = 1 + bits.readBits(5) // buffer_delay_length_minus_1
  bits.skipBits(42) // num_units_in_decoding_tick and two more lengths
  return delayBits
}

function readOperatingPoint(
  bits: BitReader,
  delayBits: number,
  displayDelay: boolean,
): { level: number; tier: number } {
  bits.skipBits(12) // operating_point_idc
  const level = bits.readBits(5)
  const tier = level > 7 ? bits.readBits(1) : 0
  if (delayBits > 0 && bits.readFlag()) bits.skipBits(2 * delayBits + 1) // operating_parameters_info()
  if (displayDelay && bits.readFlag()) bits.skipBits(4) // initial_display_delay_minus_1
  return { level, tier }
}

function skipInterTools(bits: BitReader): void {
  bits.skipBits(4) // compounds, enable_warped_motion, enable_dual_filter
  const orderHint = bits.readFlag()
  if (orderHint) bits.skipBits(2) // enable_jnt_comp, enable_ref_frame_mvs
  const chooseScreenContentTools = bits.readFlag()
  const screenContentTools = chooseScreenContentTools || bits.readFlag()
  const chooseIntegerMv = !screenContentTools || bits.readFlag()
  if (!chooseIntegerMv) bits.skipBits(1) // seq_force_integer_mv
  if (orderHint) bits.skipBits(3) // order_hint_bits_minus_1
}
