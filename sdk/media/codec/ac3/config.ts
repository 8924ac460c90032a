import { MalformedError } from '../../errors.ts'
import type { AudioConfig } from '../../track.ts'
import { parseAc3SyncFrame } from './sync-frame.ts'

/**
 * The configuration of a track from any of its frames.
 * @throws {MalformedError} when the frame's start is broken or of the other codec.
 */
export function ac3Config(codec: 'ac3' | 'eac3', frame: Buffer): AudioConfig {
  const { codec: found, sampleRate, channels } = parseAc3SyncFrame(frame)
  if (found !== codec) throw new MalformedError(`a frame of ${found} in a track of ${codec}`)
  return { record: Buffer.alloc(0), sampleRate, channels, codecString: codec === 'ac3' ? 'ac-3' : 'ec-3' }
}
