import type { AudioConfig } from '../../track.ts'
import { FLAC_STREAM_INFO_SIZE_BYTES, parseFlacStreamInfo } from './stream-info.ts'

const MAGIC = Buffer.from('fLaC')
const BLOCK_HEADER_SIZE_BYTES = 4

/**
 * The configuration of a track from its STREAMINFO, bare or as it lies at the start of a FLAC file and in enhanced
 * FLV: after `fLaC` and a block header. The bare block becomes the record.
 * @throws {MalformedError} when it is broken.
 */
export function flacConfig(streamInfo: Buffer): AudioConfig {
  const record = bareStreamInfo(streamInfo)
  const { sampleRate, channels } = parseFlacStreamInfo(record)
  return { record, sampleRate, channels, codecString: 'flac' }
}

function bareStreamInfo(bytes: Buffer): Buffer {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return bytes
  const offset = MAGIC.length + BLOCK_HEADER_SIZE_BYTES
  return bytes.subarray(offset, offset + FLAC_STREAM_INFO_SIZE_BYTES)
}
