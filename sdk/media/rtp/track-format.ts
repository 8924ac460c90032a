import { parseAudioSpecificConfig } from '../codec/aac/audio-specific-config.ts'
import { parseAv1CodecConfigurationRecord } from '../codec/av1/codec-configuration-record.ts'
import { parseAvcDecoderConfigurationRecord } from '../codec/h264/avc-decoder-configuration-record.ts'
import { parseHevcDecoderConfigurationRecord } from '../codec/h265/hevc-decoder-configuration-record.ts'
import { H265_NALU_TYPE } from '../codec/h265/nalu-type.ts'
import { tryParse } from '../codec/try-parse.ts'
import { parseVpCodecConfigurationRecord } from '../codec/vp9/vp-codec-configuration-record.ts'
import type { AudioTrack, MediaTrack, Track, VideoTrack } from '../track.ts'
import type { RtpFormat } from './format.ts'
import { staticPayloadType } from './static-payload-type.ts'

type Carriage = Omit<RtpFormat, 'payloadType'>
type Parameter = readonly [name: string, value: string]

const VIDEO_CLOCK_RATE = 90_000
const OPUS_CLOCK_RATE = 48_000
/** Half of the samples, by an old mistake (RFC 3551 4.5.2). */
const G722_CLOCK_RATE = 8000
const MPA_CLOCK_RATE = 90_000
const MAX_OPUS_CHANNELS = 2
/** The parameters of AAC in packets (RFC 3640 3.3.6); `config` comes last. */
const AAC_HBR: readonly Parameter[] = [
  ['streamtype', '5'],
  ['profile-level-id', '1'],
  ['mode', 'AAC-hbr'],
  ['sizelength', '13'],
  ['indexlength', '3'],
  ['indexdeltalength', '3'],
]

/** Returns true when RTP can carry a track as it is sent here: all but Motion JPEG, FLAC, Opus of more than two channels and data. */
export function canCarryInRtp(track: Track): track is MediaTrack {
  return carriageOf(track) !== undefined
}

/**
 * How a track is sent by RTP; undefined when it cannot be. The clock rate is 90,000 for video and MPEG audio, and the
 * sample rate for other sound: with AAC that of the core, so that a frame has as many ticks as the core has samples.
 * @param payloadType what a format gets that has no payload type of its own in RFC 3551; 96–127
 */
export function rtpFormatOfTrack(track: Track, payloadType: number): RtpFormat | undefined {
  const carriage = carriageOf(track)
  return carriage && { payloadType: staticPayloadType(carriage) ?? payloadType, ...carriage }
}

function carriageOf(track: Track): Carriage | undefined {
  switch (track.kind) {
    case 'video':
      return videoCarriage(track)
    case 'audio':
      return audioCarriage(track)
    default:
      return undefined
  }
}

function videoCarriage({ codec, config: { record } }: VideoTrack): Carriage | undefined {
  switch (codec) {
    case 'h264':
      return video('H264', h264Parameters(record))
    case 'h265':
      return video('H265', h265Parameters(record))
    case 'av1':
      return video('AV1', av1Parameters(record))
    case 'vp9':
      return video('VP9', vp9Parameters(record))
    case 'vp8':
      return video('VP8', [])
    default:
      return undefined
  }
}

/** RFC 6184 8.1. */
function h264Parameters(avcC: Buffer): Parameter[] {
  const mode: Parameter = ['packetization-mode', '1']
  const parsed = tryParse(parseAvcDecoderConfigurationRecord, avcC)
  if (!parsed) return [mode]
  const { profileIdc, constraintFlags, levelIdc, sps, pps } = parsed
  const profileLevelId = Buffer.from([profileIdc, constraintFlags, levelIdc]).toString('hex')
  return [mode, ['profile-level-id', profileLevelId], ...parameterSets('sprop-parameter-sets', [...sps, ...pps])]
}

/** RFC 7798 7.1. */
function h265Parameters(hvcC: Buffer): Parameter[] {
  const parsed = tryParse(parseHevcDecoderConfigurationRecord, hvcC)
  if (!parsed) return []
  const { arrays, profileTierLevel } = parsed
  const naluOf = (wanted: number) => arrays.flatMap(({ type, nalus }) => (type === wanted ? nalus : []))
  return [
    ['profile-id', String(profileTierLevel.profileIdc)],
    ['tier-flag', String(profileTierLevel.tierFlag)],
    ['level-id', String(profileTierLevel.levelIdc)],
    ...parameterSets('sprop-vps', naluOf(H265_NALU_TYPE.VPS)),
    ...parameterSets('sprop-sps', naluOf(H265_NALU_TYPE.SPS)),
    ...parameterSets('sprop-pps', naluOf(H265_NALU_TYPE.PPS)),
  ]
}

function parameterSets(name: string, nalus: readonly Buffer[]): Parameter[] {
  return nalus.length === 0 ? [] : [[name, nalus.map((nalu) => nalu.toString('base64')).join(',')]]
}

/** RTP Payload Format For AV1, 7.2. */
function av1Parameters(av1C: Buffer): Parameter[] {
  const parsed = tryParse(parseAv1CodecConfigurationRecord, av1C)
  if (!parsed) return []
  const { profile, level, tier } = parsed
  return [
    ['profile', String(profile)],
    ['level-idx', String(level)],
    ['tier', String(tier)],
  ]
}

/** RFC 9628 6. */
function vp9Parameters(vpcC: Buffer): Parameter[] {
  const parsed = tryParse(parseVpCodecConfigurationRecord, vpcC)
  return parsed ? [['profile-id', String(parsed.profile)]] : []
}

function audioCarriage({ codec, config }: AudioTrack): Carriage | undefined {
  const { sampleRate, channels, record } = config
  switch (codec) {
    case 'aac':
      return aacCarriage(record, channels)
    case 'opus':
      return opusCarriage(channels)
    case 'pcma':
    case 'pcmu':
    case 'l16':
    case 'ac3':
    case 'eac3':
      return audio(codec.toUpperCase(), sampleRate, channels)
    case 'g722':
      return audio('G722', G722_CLOCK_RATE, channels)
    case 'mp3':
    case 'mp2':
      // The frames have rate and channels (RFC 3551 4.5.13).
      return audio('MPA', MPA_CLOCK_RATE, 1)
    default:
      return undefined
  }
}

function aacCarriage(asc: Buffer, channels: number): Carriage | undefined {
  const parsed = tryParse(parseAudioSpecificConfig, asc)
  const config: Parameter = ['config', asc.toString('hex')]
  return parsed && audio('MPEG4-GENERIC', parsed.sampleRate, channels, [...AAC_HBR, config])
}

/** `rtpmap` always has two channels (RFC 7587 7); `sprop-stereo` has the real number. */
function opusCarriage(channels: number): Carriage | undefined {
  if (channels > MAX_OPUS_CHANNELS) return undefined
  return audio('OPUS', OPUS_CLOCK_RATE, MAX_OPUS_CHANNELS, channels === 1 ? [] : [['sprop-stereo', '1']])
}

function video(encodingName: string, parameters: readonly Parameter[]): Carriage {
  return audio(encodingName, VIDEO_CLOCK_RATE, 1, parameters)
}

function audio(
  encodingName: string,
  clockRate: number,
  channels: number,
  parameters: readonly Parameter[] = [],
): Carriage {
  return { encodingName, clockRate, channels, parameters: new Map(parameters) }
}
