import type { AudioConfig } from '../../track.ts'
import { parseMp3FrameHeader } from './frame-header.ts'

/**
 * The configuration of a track from any of its frames. Layers I and II are taken too: containers label them alike.
 * @throws {MalformedError} when the frame's header is broken.
 */
export function mp3Config(frame: Buffer): AudioConfig {
  const { version, sampleRate, channels } = parseMp3FrameHeader(frame)
  // Object types of ISO/IEC 14496-1: MPEG-1 and MPEG-2 audio.
  return { record: Buffer.alloc(0), sampleRate, channels, codecString: version === 1 ? 'mp4a.6B' : 'mp4a.69' }
}
