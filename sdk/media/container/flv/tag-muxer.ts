import type { AccessUnit } from '../../access-unit.ts'
import { serializeVpCodecConfigurationRecord } from '../../codec/vp9/vp-codec-configuration-record.ts'
import { rescale } from '../../time/rescale.ts'
import type { AudioConfig, Track } from '../../track.ts'
import { serializeAudioHeader } from './audio-body.ts'
import { flvTrackOf, type FlvAudioTrack, type FlvVideoTrack } from './carriage.ts'
import { FLV_TAG_TYPE } from './tag.ts'
import { serializeVideoHeader } from './video-body.ts'

export const FLV_TIMESCALE = 1000

const MAX_CTS_MS = 0x7f_ff_ff
const MIN_CTS_MS = -0x80_00_00

/**
 * Version 1 and flags of the `vpcC` box. ffmpeg and MediaMTX write and read the record with them; Enhanced RTMP v2
 * leaves open which part of the box is meant.
 */
const VPCC_VERSION_AND_FLAGS = Buffer.from([1, 0, 0, 0])

/** VP8 comes in one form only, 8 bits and 4:2:0, so that its record is always the same; 2 is unspecified. */
const VP8_RECORD = serializeVpCodecConfigurationRecord({
  profile: 0,
  level: 0,
  bitDepth: 8,
  chromaSubsampling: 1,
  fullRange: false,
  colourPrimaries: 2,
  transferCharacteristics: 2,
  matrixCoefficients: 2,
})

/** The tag type of a track's units, which is their RTMP message type too. */
export function flvTagType(track: Track): typeof FLV_TAG_TYPE.video | typeof FLV_TAG_TYPE.audio {
  return FLV_TAG_TYPE[flvTrackOf(track).kind]
}

/** The timestamp of a unit's tag: its `dts`. The tag itself carries it modulo 2^32. */
export function unitTimestampMs(unit: AccessUnit): number {
  return rescale(unit.dts, unit.track.timescale, FLV_TIMESCALE)
}

/**
 * The body of the tag that sets up a track's decoder, the sequence header. It has the form that ffmpeg and MediaMTX
 * write and read: FLAC's is the bare STREAMINFO, without the `fLaC` that Enhanced RTMP v2 puts before it, and AC-3 and
 * E-AC-3 have an empty one.
 * @param multitrackId makes it a multitrack tag with this track id (Enhanced RTMP v2), 0 to 255.
 * @returns null where the codec has none: MP3 and G.711.
 * @throws {RangeError} for a track that `canCarryInFlv` refuses.
 */
export function flvConfigBody(track: Track, multitrackId?: number): Buffer | null {
  const carried = flvTrackOf(track)
  return carried.kind === 'video' ? videoConfigBody(carried, multitrackId) : audioConfigBody(carried, multitrackId)
}

function videoConfigBody({ codec, config }: FlvVideoTrack, multitrackId: number | undefined): Buffer {
  const header = serializeVideoHeader({ type: 'sequenceStart', codec, keyframe: true, ctsMs: 0 }, multitrackId)
  if (codec === 'vp8') return Buffer.concat([header, VPCC_VERSION_AND_FLAGS, VP8_RECORD])
  return Buffer.concat(codec === 'vp9' ? [header, VPCC_VERSION_AND_FLAGS, config.record] : [header, config.record])
}

function audioConfigBody({ codec, config }: FlvAudioTrack, multitrackId: number | undefined): Buffer | null {
  if (config.record.length === 0 && codec !== 'ac3' && codec !== 'eac3') return null
  const header = serializeAudioHeader('sequenceStart', codec, config, multitrackId)
  return Buffer.concat([header, config.record])
}

/**
 * The bytes of a tag body before `unit.data`: legacy for H.264, AAC, MP3 and G.711, enhanced for the other codecs. They
 * may be shared with other units of the track, so they must not be changed.
 * @param multitrackId makes it a multitrack tag with this track id (Enhanced RTMP v2), 0 to 255.
 * @throws {RangeError} for G.711 in multitrack, which no enhanced tag can carry, and for a track that `canCarryInFlv` refuses.
 */
export function flvUnitHeader(unit: AccessUnit, multitrackId?: number): Buffer {
  const track = flvTrackOf(unit.track)
  if (track.kind === 'video') return videoUnitHeader(unit, track, multitrackId)
  if (multitrackId !== undefined) return serializeAudioHeader('codedFrames', track.codec, track.config, multitrackId)
  return audioUnitHeader(track)
}

function videoUnitHeader(
  unit: AccessUnit,
  { codec, timescale }: FlvVideoTrack,
  multitrackId: number | undefined,
): Buffer {
  const ctsMs = rescale(unit.pts, timescale, FLV_TIMESCALE) - rescale(unit.dts, timescale, FLV_TIMESCALE)
  const boundedMs = Math.min(Math.max(ctsMs, MIN_CTS_MS), MAX_CTS_MS)
  return serializeVideoHeader({ type: 'codedFrames', codec, keyframe: unit.keyframe, ctsMs: boundedMs }, multitrackId)
}

/** The headers of audio by configuration: a header is the same before every frame, until the track's configuration is replaced. */
const AUDIO_HEADERS = new WeakMap<AudioConfig, Buffer>()

function audioUnitHeader({ codec, config }: FlvAudioTrack): Buffer {
  const known = AUDIO_HEADERS.get(config)
  if (known) return known
  const header = serializeAudioHeader('codedFrames', codec, config)
  AUDIO_HEADERS.set(config, header)
  return header
}
