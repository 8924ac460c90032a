import type { Track } from 'sluice/sdk'

/** Frames of AAC LC without a sound, by channels, as encoders make them. */
const SILENT_AAC = new Map([
  [1, Buffer.from('01182007', 'hex')],
  [2, Buffer.from('211004608c1c', 'hex')],
])
/** Of an Opus packet's first byte, all but how many frames there are (RFC 6716 3.1). */
const OPUS_ONE_FRAME = 0xfc

/** A frame without a sound to come after another of a track, or that one again where there is no such frame. */
export function silenceAfter(frame: Buffer, { codec, config }: Track): Buffer {
  // A frame of no bytes has the decoder fade out.
  if (codec === 'opus') return Buffer.of((frame[0] ?? 0) & OPUS_ONE_FRAME)
  const isPlainAac = config.codecString === 'mp4a.40.2' && 'channels' in config
  return (isPlainAac ? SILENT_AAC.get(config.channels) : undefined) ?? frame
}
