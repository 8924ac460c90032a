import type { Box } from '../box.ts'
import { uint16, uint32 } from './fields.ts'

type Ac3Format = { readonly sampleRate: number; readonly channels: number }

/** `fscod` by sample rate (ETSI TS 102 366 4.4.1.3); 3 is half of one of them. */
const RATE_CODES = new Map([
  [48_000, 0],
  [44_100, 1],
  [32_000, 2],
])
const HALF_RATE = 3
/** The usual layout for a number of channels, `acmod` (4.4.2.3); the sixth is the low-frequency channel. */
const LAYOUTS = [2, 1, 2, 3, 6, 7, 7] as const
const MAX_CHANNELS = 6
const AC3_BSID = 8
const EAC3_BSID = 16
/** The usual bitrates by layout: 192 and 384 kbit/s. */
const STEREO_RATE = { code: 10, kilobits: 192 } as const
const SURROUND_RATE = { code: 14, kilobits: 384 } as const

/**
 * `dac3` (ETSI TS 102 366 F.4). The frames have the same fields, and decoders use those, so nothing here parses it; fields
 * that a track has not, the bitrate and the layout of channels, get their usual values.
 *
 *     fscod (2) | bsid (5) | bsmod (3) | acmod (3) | lfeon (1) | bit_rate_code (5) | reserved (5)
 */
export function serializeAc3Specific({ sampleRate, channels }: Ac3Format): Box {
  const { acmod, lfeOn, rate } = layoutOf(channels)
  const fields = (rateCode(sampleRate) << 22) | (AC3_BSID << 17) | (acmod << 11) | (lfeOn << 10) | (rate.code << 5)
  return { type: 'dac3', contents: [uint32(fields).subarray(1)] }
}

/**
 * `dec3` (F.6) of one independent substream; see {@link serializeAc3Specific}.
 *
 *     data_rate (13) | num_ind_sub - 1 (3) | fscod (2) | bsid (5) | reserved, asvc (2) | bsmod (3) | acmod (3)
 *     | lfeon (1) | reserved (3) | num_dep_sub (4) | reserved (1)
 */
export function serializeEac3Specific({ sampleRate, channels }: Ac3Format): Box {
  const { acmod, lfeOn, rate } = layoutOf(channels)
  const substream = (rateCode(sampleRate) << 22) | (EAC3_BSID << 17) | (acmod << 9) | (lfeOn << 8)
  return { type: 'dec3', contents: [uint16(rate.kilobits << 3), uint32(substream).subarray(1)] }
}

function rateCode(sampleRate: number): number {
  return RATE_CODES.get(sampleRate) ?? HALF_RATE
}

function layoutOf(channels: number) {
  const count = Math.min(channels, MAX_CHANNELS)
  const lfeOn = count === MAX_CHANNELS ? 1 : 0
  return { acmod: LAYOUTS[count]!, lfeOn, rate: count > 2 ? SURROUND_RATE : STEREO_RATE }
}
