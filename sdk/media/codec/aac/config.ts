import { MalformedError } from '../../errors.ts'
import type { AudioConfig } from '../../track.ts'
import type { AdtsFormat } from './adts.ts'
import { AAC_OBJECT_TYPE, parseAudioSpecificConfig, serializeAudioSpecificConfig } from './audio-specific-config.ts'
import type { AudioSpecificConfig } from './audio-specific-config.ts'
import { channelCountOf } from './program-config-element.ts'

// The number of channels by channelConfiguration (ISO/IEC 14496-3 table 1.19); 0 is none or reserved.
const CHANNEL_COUNTS = [0, 1, 2, 3, 4, 5, 6, 8, 0, 0, 0, 7, 8, 24, 8, 0] as const

/**
 * The configuration of a track from its AudioSpecificConfig, which is kept as it is given. Sample rate and channels are
 * those that come out of the decoder, so with SBR and PS up to twice those of the core.
 * @throws {MalformedError} when the configuration is broken.
 */
export function aacConfig(asc: Buffer): AudioConfig {
  const config = parseAudioSpecificConfig(asc)
  const { sampleRate, objectType, extension } = config
  const ps = extension?.ps === true
  const coreChannels = coreChannelsOf(config)
  const extendedType = ps ? AAC_OBJECT_TYPE.PS : AAC_OBJECT_TYPE.SBR
  return {
    record: asc,
    sampleRate: extension?.sampleRate ?? sampleRate,
    channels: ps && coreChannels === 1 ? 2 : coreChannels,
    codecString: `mp4a.40.${extension?.sbr === true ? extendedType : objectType}`,
  }
}

/**
 * The configuration of a track of ADTS frames.
 * @throws {MalformedError} when the frames describe their channels themselves.
 */
export function aacConfigFromAdts({ objectType, sampleRate, channelConfiguration }: AdtsFormat): AudioConfig {
  if (channelConfiguration === 0) throw new MalformedError('ADTS without a channel layout')
  const unsaid = { coreCoderDelay: undefined, programConfig: undefined, extension: undefined }
  const config = { objectType, sampleRate, channelConfiguration, shortFrames: false, ...unsaid }
  return aacConfig(serializeAudioSpecificConfig(config))
}

/** Samples of the core in one frame, at `config.sampleRate`. */
export function aacSamplesPerFrame({ objectType, shortFrames }: AudioSpecificConfig): number {
  const lowDelay = objectType === AAC_OBJECT_TYPE.LD || objectType === AAC_OBJECT_TYPE.ELD
  const samples = lowDelay ? 512 : 1024
  return shortFrames ? (samples / 16) * 15 : samples
}

function coreChannelsOf({ channelConfiguration, programConfig }: AudioSpecificConfig): number {
  const channels = programConfig ? channelCountOf(programConfig) : CHANNEL_COUNTS[channelConfiguration]!
  if (channels === 0) throw new MalformedError(`channelConfiguration ${channelConfiguration} without channels`)
  return channels
}
