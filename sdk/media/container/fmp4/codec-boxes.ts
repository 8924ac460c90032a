import { parseOpusHead } from '../../codec/opus/opus-head.ts'
import type { AudioConfig, AudioTrack, VideoTrack } from '../../track.ts'
import { fullBox, uint16, uint32, uint8 } from './box.ts'
import type { Box } from './box.ts'

const ES_DESCRIPTOR = 3
const DECODER_CONFIG_DESCRIPTOR = 4
const DECODER_SPECIFIC_INFO = 5
const SYNC_LAYER_DESCRIPTOR = 6
const AUDIO_STREAM = 0x15
const SYNC_LAYER_OF_MP4 = 2
const AAC_OBJECT_TYPE_INDICATION = 0x40

/** `fscod` by sample rate (ETSI TS 102 366 4.4.1.3); 3 is half of one of them. */
const AC3_RATE_CODES = new Map([
  [48_000, 0],
  [44_100, 1],
  [32_000, 2],
])
const HALF_RATE = 3
/** The usual layout for a number of channels, `acmod` (4.4.2.3); the sixth is the low-frequency channel. */
const AC3_LAYOUTS = [2, 1, 2, 3, 6, 7, 7] as const
const MAX_AC3_CHANNELS = 6
const AC3_BSID = 8
const EAC3_BSID = 16
/** What such streams mostly have, by layout: 192 and 384 kbit/s. */
const STEREO_RATE = { code: 10, kilobits: 192 } as const
const SURROUND_RATE = { code: 14, kilobits: 384 } as const

/** The decoder configuration of a video track (ISO/IEC 14496-15, the AV1 and VP bindings). */
export function videoConfigBox({ codec, config: { record } }: VideoTrack): Box {
  switch (codec) {
    case 'h264':
      return { type: 'avcC', contents: [record] }
    case 'h265':
      return { type: 'hvcC', contents: [record] }
    case 'av1':
      return { type: 'av1C', contents: [record] }
    case 'vp9':
      return fullBox('vpcC', 1, 0, [record])
    case 'vp8':
      throw new RangeError('fMP4 cannot carry VP8')
  }
}

/**
 * The decoder configuration of an audio track; undefined for G.711, whose entry says it all.
 * @throws {MalformedError} when the OpusHead is broken.
 */
export function audioConfigBox({ codec, config }: AudioTrack): Box | undefined {
  switch (codec) {
    case 'aac':
      return elementaryStreamBox(AAC_OBJECT_TYPE_INDICATION, config.record)
    case 'mp3':
      // `mp4a.6B` and `mp4a.69`: the number is the object type.
      return elementaryStreamBox(Number.parseInt(config.codecString.slice('mp4a.'.length), 16), config.record)
    case 'opus':
      return opusBox(config)
    case 'flac':
      // A last metadata block that is a STREAMINFO.
      return fullBox('dfLa', 0, 0, [uint32(0x8000_0000 + config.record.length), config.record])
    case 'ac3':
      return ac3Box(config)
    case 'eac3':
      return eac3Box(config)
    case 'pcma':
    case 'pcmu':
      return undefined
  }
}

/** ISO/IEC 14496-14 5.6, with the descriptors of ISO/IEC 14496-1 7.2.6. Bitrates are left unknown. */
function elementaryStreamBox(objectType: number, specificInfo: Buffer): Box {
  const info = specificInfo.length > 0 ? descriptor(DECODER_SPECIFIC_INFO, [specificInfo]) : Buffer.alloc(0)
  const decoder = descriptor(DECODER_CONFIG_DESCRIPTOR, [uint8(objectType, AUDIO_STREAM, 0, 0, 0), uint32(0, 0), info])
  const syncLayer = descriptor(SYNC_LAYER_DESCRIPTOR, [uint8(SYNC_LAYER_OF_MP4)])
  return fullBox('esds', 0, 0, [descriptor(ES_DESCRIPTOR, [uint8(0, 0, 0), decoder, syncLayer])])
}

/** Sizes are written in four bytes of seven bits, which all readers take. */
function descriptor(tag: number, parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = [length >> 21, length >> 14, length >> 7].map((bits) => 0x80 | (bits & 0x7f))
  return Buffer.concat([uint8(tag, ...size, length & 0x7f), body])
}

/** Encapsulation of Opus in ISOBMFF 4.3.2: an OpusHead without its magic, in big-endian and version 0. */
function opusBox({ record }: AudioConfig): Box {
  const { channels, preSkip, inputSampleRate, outputGain, mappingFamily, mapping } = parseOpusHead(record)
  const fields = [uint8(0, channels), uint16(preSkip), uint32(inputSampleRate), uint16(outputGain & 0xffff)]
  const layout = mapping ? [uint8(mapping.streamCount, mapping.coupledCount, ...mapping.channels)] : []
  return { type: 'dOps', contents: [...fields, uint8(mappingFamily), ...layout] }
}

/**
 * ETSI TS 102 366 F.4. The frames tell the same, and decoders go by them; what a track does not know — the bitrate and
 * how the channels lie — is what it mostly is.
 *
 *     fscod (2) | bsid (5) | bsmod (3) | acmod (3) | lfeon (1) | bit_rate_code (5) | reserved (5)
 */
function ac3Box({ sampleRate, channels }: AudioConfig): Box {
  const { acmod, lfeOn, rate } = ac3Layout(channels)
  const fields = (rateCode(sampleRate) << 22) | (AC3_BSID << 17) | (acmod << 11) | (lfeOn << 10) | (rate.code << 5)
  return { type: 'dac3', contents: [uint32(fields).subarray(1)] }
}

/**
 * F.6, for one independent substream:
 *
 *     data_rate (13) | num_ind_sub - 1 (3) | fscod (2) | bsid (5) | reserved, asvc (2) | bsmod (3) | acmod (3)
 *     | lfeon (1) | reserved (3) | num_dep_sub (4) | reserved (1)
 */
function eac3Box({ sampleRate, channels }: AudioConfig): Box {
  const { acmod, lfeOn, rate } = ac3Layout(channels)
  const substream = (rateCode(sampleRate) << 22) | (EAC3_BSID << 17) | (acmod << 9) | (lfeOn << 8)
  return { type: 'dec3', contents: [uint16(rate.kilobits << 3), uint32(substream).subarray(1)] }
}

function rateCode(sampleRate: number): number {
  return AC3_RATE_CODES.get(sampleRate) ?? HALF_RATE
}

function ac3Layout(channels: number) {
  const count = Math.min(channels, MAX_AC3_CHANNELS)
  const lfeOn = count === MAX_AC3_CHANNELS ? 1 : 0
  return { acmod: AC3_LAYOUTS[count]!, lfeOn, rate: count > 2 ? SURROUND_RATE : STEREO_RATE }
}
