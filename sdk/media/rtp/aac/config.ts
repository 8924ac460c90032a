import type { AudioConfig } from '../../track.ts'
import { AAC_OBJECT_TYPE, parseAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts'
import { aacConfigFromAdts, aacSamplesPerFrame } from '../../codec/aac/config.ts'
import type { RtpFormat } from '../format.ts'

const STEREO = 2
const MAX_PLAIN_LAYOUT = 6
const EIGHT_CHANNELS = 8
const EIGHT_CHANNEL_LAYOUT = 7
const MAX_SAMPLE_RATE = 96_000

/** The bytes of a parameter in hexadecimal, as `config` is written; undefined when there is none, or it is broken. */
export function hexParameter({ parameters }: RtpFormat, name: string): Buffer | undefined {
  const text = parameters.get(name)?.trim() ?? ''
  return /^(?:[\da-f]{2})+$/iu.test(text) ? Buffer.from(text, 'hex') : undefined
}

/** Returns the configuration of AAC by `rtpmap` alone, a guess: low complexity, of the clock rate and as many channels. */
export function guessedAacConfig({ clockRate, channels }: RtpFormat): AudioConfig {
  return aacConfigFromAdts({
    objectType: AAC_OBJECT_TYPE.LC,
    sampleRate: Math.min(Math.max(clockRate, 1), MAX_SAMPLE_RATE),
    channelConfiguration: layoutOf(channels),
  })
}

function layoutOf(channels: number): number {
  if (channels >= 1 && channels <= MAX_PLAIN_LAYOUT) return channels
  return channels === EIGHT_CHANNELS ? EIGHT_CHANNEL_LAYOUT : STEREO
}

/**
 * Returns the duration of a frame in ticks of the clock rate, a number that need not be whole. The clock runs with the sample
 * rate of the core or, where SBR doubles it, of the decoder's output, or with another such as 90 kHz: the AudioSpecificConfig
 * states the rate of the core.
 */
export function aacFrameTicks(config: AudioConfig, clockRate: number): number {
  const core = parseAudioSpecificConfig(config.record)
  return (aacSamplesPerFrame(core) * clockRate) / core.sampleRate
}
