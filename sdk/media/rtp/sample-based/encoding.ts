import { g711Config } from '../../codec/g711/config.ts'
import type { AudioConfig } from '../../track.ts'
import type { RtpFormat } from '../format.ts'

/** The codecs with samples that lie in payloads as they are (RFC 3551 4.3). */
export type SampleBasedCodec = 'pcma' | 'pcmu' | 'g722' | 'l16'

/** G.722 has a clock of 8 kHz by an old mistake: two samples a tick, in one byte (RFC 3551 4.5.2). */
const G722_SAMPLES_PER_TICK = 2

/** The bytes of one channel that play in a tick of the clock. */
const BYTES_PER_TICK = { pcma: 1, pcmu: 1, g722: 1, l16: 2 } as const

/** Bytes that play in a tick of the clock: payloads are whole numbers of it. */
export function bytesPerTick(codec: SampleBasedCodec, channels: number): number {
  return BYTES_PER_TICK[codec] * Math.max(channels, 1)
}

/** Returns the configuration of the sound by `rtpmap`; the samples have none. */
export function sampleBasedConfig(codec: SampleBasedCodec, { clockRate, channels }: RtpFormat): AudioConfig {
  if (codec === 'pcma' || codec === 'pcmu') return g711Config(codec, clockRate, channels)
  const sampleRate = codec === 'g722' ? clockRate * G722_SAMPLES_PER_TICK : clockRate
  // Neither has a name in RFC 6381; `twos` is the sample entry of the same bytes in QuickTime.
  return { record: Buffer.alloc(0), sampleRate, channels, codecString: codec === 'l16' ? 'twos' : codec }
}
