import type { AudioConfig } from '../../track.ts'
import { parseOpusHead } from './opus-head.ts'

/** Opus always plays at this rate, whatever it was made from (RFC 7845 section 5.1). */
export const OPUS_SAMPLE_RATE = 48_000

/**
 * The configuration of a track from its OpusHead, which is kept as it is given.
 * @throws {MalformedError} when the header is broken.
 */
export function opusConfig(head: Buffer): AudioConfig {
  const { channels } = parseOpusHead(head)
  return { record: head, sampleRate: OPUS_SAMPLE_RATE, channels, codecString: 'opus' }
}
