import { BitReader } from '../../bits/bit-reader.ts'
import { MalformedError } from '../../errors.ts'
import { skipAudioSpecificConfig } from './audio-specific-config.ts'

/** The layout of AAC frames in a LATM stream, StreamMuxConfig() (ISO/IEC 14496-3 1.7.3.2), of one program and one layer. */
export type StreamMuxConfig = {
  /** The AudioSpecificConfig, on byte boundaries. */
  readonly audioSpecificConfig: Buffer
  /** Frames in each AudioMuxElement, 1 to 64. */
  readonly subframeCount: number
  /** Size of each frame, where it is fixed; otherwise it stands before each. */
  readonly frameSizeBytes: number | undefined
  /** Bits of other data after the frames. */
  readonly otherDataBits: number
}

const FRAME_LENGTH_TYPE = { VARIABLE: 0, FIXED: 1 } as const
const FIXED_FRAME_BASE_BYTES = 20
const MAX_OTHER_DATA_BITS = 2 ** 24

/** The usual fields after the AudioSpecificConfig: zeros, but for a fullness that is skipped. */
const USUAL_END = Buffer.alloc(2)

/**
 * Parses a configuration that begins on a byte boundary, as `config` of `fmtp` has it. GStreamer leaves out the fields after
 * the AudioSpecificConfig.
 * @throws {MalformedError} when it ends before that, or describes more than one layer of AAC
 */
export function parseStreamMuxConfig(bytes: Buffer): StreamMuxConfig {
  return readStreamMuxConfig(new BitReader(Buffer.concat([bytes, USUAL_END])))
}

/** Reads a whole configuration at any bit. @throws {MalformedError} as `parseStreamMuxConfig` does */
export function readStreamMuxConfig(bits: BitReader): StreamMuxConfig {
  const version = bits.readBits(1)
  if (version === 1 && bits.readFlag()) throw new MalformedError('StreamMuxConfig of audioMuxVersionA 1')
  if (version === 1) readLatmValue(bits) // taraBufferFullness
  if (!bits.readFlag()) throw new MalformedError('StreamMuxConfig without the same time framing')
  const subframeCount = 1 + bits.readBits(6)
  const programCount = 1 + bits.readBits(4)
  const layerCount = 1 + bits.readBits(3)
  if (programCount * layerCount > 1) {
    throw new MalformedError(`StreamMuxConfig of ${programCount} programs and ${layerCount} layers`)
  }
  const audioSpecificConfig = version === 1 ? readSizedConfig(bits) : readConfig(bits)
  const frameSizeBytes = readFrameSize(bits)
  const otherDataBits = bits.readFlag() ? readOtherDataBits(bits, version) : 0
  if (bits.readFlag()) bits.skipBits(8) // crcCheckSum
  return { audioSpecificConfig, subframeCount, frameSizeBytes, otherDataBits }
}

/** The configuration has no size here, and so no extension at its end either (1.6.2.1: bits_to_decode() is 0). */
function readConfig(bits: BitReader): Buffer {
  // Parts of it are aligned to its own start. The fields that follow are of more than the bits that are left over here.
  const own = new BitReader(bits.fork().readBytes(bits.bitsLeft >> 3))
  skipAudioSpecificConfig(own)
  return readBitsAsBytes(bits, own.position)
}

function readSizedConfig(bits: BitReader): Buffer {
  return readBitsAsBytes(bits, readLatmValue(bits))
}

/** Reads a number of bits into bytes; zeros fill up the last one. */
function readBitsAsBytes(bits: BitReader, count: number): Buffer {
  const whole = bits.readBytes(Math.floor(count / 8))
  const left = count % 8
  return left === 0 ? whole : Buffer.concat([whole, Buffer.of(bits.readBits(left) << (8 - left))])
}

function readFrameSize(bits: BitReader): number | undefined {
  const type = bits.readBits(3)
  if (type === FRAME_LENGTH_TYPE.FIXED) return bits.readBits(9) + FIXED_FRAME_BASE_BYTES
  if (type !== FRAME_LENGTH_TYPE.VARIABLE) throw new MalformedError(`StreamMuxConfig of frameLengthType ${type}`)
  bits.skipBits(8) // latmBufferFullness
  return undefined
}

function readOtherDataBits(bits: BitReader, version: number): number {
  if (version === 1) return readLatmValue(bits)
  let count = 0
  for (;;) {
    const more = bits.readFlag()
    count = count * 256 + bits.readBits(8)
    if (count > MAX_OTHER_DATA_BITS) throw new MalformedError(`StreamMuxConfig with ${count} bits of other data`)
    if (!more) return count
  }
}

/** LatmGetValue() (1.7.3.2): the number of bytes less one in 2 bits, and the bytes. */
function readLatmValue(bits: BitReader): number {
  return bits.readBits(8 * (1 + bits.readBits(2)))
}
