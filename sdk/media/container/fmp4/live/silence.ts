import type { Track } from '../../../track.ts'

/** Silent frames of AAC LC by the number of channels, as encoders make them. */
const SILENT_AAC = new Map([
  [1, Buffer.from('01182007', 'hex')],
  [2, Buffer.from('211004608c1c', 'hex')],
])
/** The bits of an Opus packet's first byte that are not its number of frames (RFC 6716 3.1). */
const OPUS_ONE_FRAME = 0xfc

/** Returns a silent frame to follow another of a track, or that frame again for a codec without one. */
export function silenceAfter(frame: Buffer, { codec, config }: Track): Buffer {
  // A frame of no bytes makes the decoder fade out.
  if (codec === 'opus') return Buffer.of((frame[0] ?? 0) & OPUS_ONE_FRAME)
  const isPlainAac = config.codecString === 'mp4a.40.2' && 'channels' in config
  return (isPlainAac ? SILENT_AAC.get(config.channels) : undefined) ?? frame
}
