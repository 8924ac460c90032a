import type { AudioConfig } from '../../track.ts'

/** The configuration of a track of G.711, whose frames say nothing about it. */
export function g711Config(codec: 'pcma' | 'pcmu', sampleRate: number, channels: number): AudioConfig {
  return { record: Buffer.alloc(0), sampleRate, channels, codecString: codec === 'pcma' ? 'alaw' : 'ulaw' }
}
