import type { AudioConfig } from '../../track.ts'

/** Returns the configuration of a track of G.711; its frames have no header to read it from. */
export function g711Config(codec: 'pcma' | 'pcmu', sampleRate: number, channels: number): AudioConfig {
  return { record: Buffer.alloc(0), sampleRate, channels, codecString: codec === 'pcma' ? 'alaw' : 'ulaw' }
}
