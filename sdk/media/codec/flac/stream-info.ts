import { BitReader } from '../../bits/bit-reader.ts'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'

/** The STREAMINFO metadata block of FLAC (RFC 9639 section 8.2), without its block header. */
export type FlacStreamInfo = {
  /** Samples of the smallest and largest block. */
  readonly minBlockSize: number
  readonly maxBlockSize: number
  /** 0 when it is not known. */
  readonly minFrameSizeBytes: number
  readonly maxFrameSizeBytes: number
  readonly sampleRate: number
  readonly channels: number
  readonly bitsPerSample: number
  /** Samples of one channel in the whole stream; 0 when it is not known. */
  readonly totalSamples: number
  /** Checksum of the decoded samples; zeros when it is not known. A view. */
  readonly md5: Buffer
}

export const FLAC_STREAM_INFO_SIZE_BYTES = 34

const MD5_OFFSET = 18
const MIN_BLOCK_SIZE = 16

/** Parses the block. @throws {MalformedError} when it is not 34 bytes long or has a value that the RFC forbids. */
export function parseFlacStreamInfo(streamInfo: Buffer): FlacStreamInfo {
  if (streamInfo.length !== FLAC_STREAM_INFO_SIZE_BYTES) {
    throw new MalformedError(`STREAMINFO of ${streamInfo.length} bytes`)
  }
  const bits = new BitReader(streamInfo)
  const info = {
    minBlockSize: bits.readBits(16),
    maxBlockSize: bits.readBits(16),
    minFrameSizeBytes: bits.readBits(24),
    maxFrameSizeBytes: bits.readBits(24),
    sampleRate: bits.readBits(20),
    channels: 1 + bits.readBits(3),
    bitsPerSample: 1 + bits.readBits(5),
    totalSamples: bits.readBits(4) * 2 ** 32 + bits.readBits(32),
    md5: streamInfo.subarray(MD5_OFFSET),
  }
  if (info.minBlockSize < MIN_BLOCK_SIZE || info.maxBlockSize < info.minBlockSize) {
    throw new MalformedError(`STREAMINFO with blocks of ${info.minBlockSize} to ${info.maxBlockSize} samples`)
  }
  if (info.sampleRate === 0) throw new MalformedError('STREAMINFO with a sample rate of 0')
  return info
}

/** Writes the bare block, without `fLaC` and block header. */
export function serializeFlacStreamInfo(info: FlacStreamInfo): Buffer {
  const bits = new BitWriter()
  bits.writeBits(info.minBlockSize, 16)
  bits.writeBits(info.maxBlockSize, 16)
  bits.writeBits(info.minFrameSizeBytes, 24)
  bits.writeBits(info.maxFrameSizeBytes, 24)
  bits.writeBits(info.sampleRate, 20)
  bits.writeBits(info.channels - 1, 3)
  bits.writeBits(info.bitsPerSample - 1, 5)
  bits.writeBits(Math.floor(info.totalSamples / 2 ** 32), 4)
  bits.writeBits(info.totalSamples % 2 ** 32, 32)
  return Buffer.concat([bits.toBuffer(), info.md5])
}
