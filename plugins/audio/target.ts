import type { AcceptedCodecs, AudioConfig, TrackInit } from 'sluice/sdk'
import { aacConfigFromAdts, opusConfig, serializeOpusHead } from 'sluice/sdk/media'

/** The codecs in which sound can be encoded, the preferred one first. */
const TARGETS = ['opus', 'aac'] as const
export type Target = (typeof TARGETS)[number]

/** The rate that Opus always has (RFC 7845 5.1), and that AAC gets as well. */
const SAMPLE_RATE = 48_000
const CHANNELS = 2
/** The audio object type of AAC LC (ISO/IEC 14496-3 table 1.17). */
const AAC_LC = 2

/** Returns the codec in which audio is encoded for a player; undefined when it can play none of them. */
export function targetFor({ audio }: AcceptedCodecs): Target | undefined {
  return TARGETS.find((codec) => audio?.includes(codec) === true)
}

/** Returns the track of the encoded sound, with the configuration that is known before ffmpeg has encoded any. */
export function targetTrack(codec: Target, timescale: number): TrackInit {
  return { kind: 'audio', codec, timescale, config: codec === 'opus' ? opusTrackConfig() : aacTrackConfig() }
}

/**
 * Returns the arguments with which ffmpeg reads sound in a format from its stdin, and writes the encoded sound as MPEG-TS to its stdout at
 * the same times: each frame at once, in a PES packet of its own.
 */
export function encoderArguments(format: 'mpegts' | 'flv', codec: Target, bitrateKbps: number): string[] {
  const encoder = codec === 'opus' ? 'libopus -frame_duration 20' : 'aac'
  // ffmpeg probes no more of the stream than its tables and a frame or two.
  const input = `-probesize 1024 -analyzeduration 0 -copyts -f ${format} -i pipe:0 -map 0:a:0`
  const output = '-muxdelay 0 -muxpreload 0 -pes_payload_size 0 -flush_packets 1 -f mpegts pipe:1'
  const encoding = `-c:a ${encoder} -b:a ${bitrateKbps}k -ar ${SAMPLE_RATE} -ac ${CHANNELS}`
  return `-hide_banner -nostats -loglevel error ${input} ${encoding} ${output}`.split(' ')
}

function opusTrackConfig(): AudioConfig {
  const layout = {
    version: 1,
    channels: CHANNELS,
    preSkip: 0,
    inputSampleRate: SAMPLE_RATE,
    outputGain: 0,
    mappingFamily: 0,
  }
  return opusConfig(serializeOpusHead({ ...layout, mapping: undefined }))
}

function aacTrackConfig(): AudioConfig {
  return aacConfigFromAdts({ objectType: AAC_LC, sampleRate: SAMPLE_RATE, channelConfiguration: CHANNELS })
}
