import { parseAmf0, serializeAmf0 } from '../../amf/amf0.ts'
import { isAmfObject, newAmfObject, setAmfProperty } from '../../amf/value.ts'
import type { AmfObject, AmfValue } from '../../amf/value.ts'
import { MalformedError } from '../../errors.ts'
import type { Track } from '../../track.ts'
import { LEGACY_SOUND_FORMAT } from './audio-body.ts'
import { canCarryInFlv, type FlvAudioTrack, type FlvVideoTrack } from './carriage.ts'
import { AUDIO_FOUR_CC, VIDEO_FOUR_CC } from './four-cc.ts'
import { LEGACY_VIDEO_CODEC_ID } from './video-body.ts'

/** The call of a script tag or RTMP data message: usually `onMetaData` with one object or ECMA array. */
export type FlvScriptData = { readonly name: string; readonly values: readonly AmfValue[] }

/**
 * Reads the body of a script tag (FLV 10.1 E.4.4). RTMP publishers put `@setDataFrame` before the name, which is dropped.
 * @throws {MalformedError} when it isn't AMF0, or doesn't begin with a name.
 */
export function parseScriptData(body: Buffer): FlvScriptData {
  const values = parseAmf0(body)
  const [name, ...rest] = values[0] === '@setDataFrame' ? values.slice(1) : values
  if (typeof name !== 'string') throw new MalformedError('FLV: script data without a name')
  return { name, values: rest }
}

/** The fields of `onMetaData` in a fresh object; null for other script data. */
export function onMetaDataFields(script: FlvScriptData): AmfObject | null {
  const value = script.values[0]
  if (script.name !== 'onMetaData' || value === undefined) return null
  const fields = newAmfObject()
  if (value instanceof Map) for (const [name, field] of value) setAmfProperty(fields, name, field)
  else if (isAmfObject(value)) Object.assign(fields, value)
  else return null
  return fields
}

/**
 * The body of a script tag that describes tracks by `onMetaData`. The first track of a kind is the default one; the
 * n-th after it is described under track id n (Enhanced RTMP v2, `videoTrackIdInfoMap`), so give multitrack ids in
 * this order.
 * @param further fields that it has besides, before the others
 */
export function serializeOnMetaData(
  tracks: readonly Track[],
  further: Readonly<Record<string, AmfValue>> = {},
): Buffer {
  const carried = tracks.filter(canCarryInFlv)
  const [video, ...moreVideo] = carried.filter((track) => track.kind === 'video')
  const [audio, ...moreAudio] = carried.filter((track) => track.kind === 'audio')
  const fields = new Map<string, AmfValue>(Object.entries(further))
  if (video) for (const [name, value] of videoFields(video)) fields.set(name, value)
  if (audio) for (const [name, value] of audioFields(audio)) fields.set(name, value)
  if (moreVideo.length > 0) fields.set('videoTrackIdInfoMap', byTrackId(moreVideo.map(videoFields)))
  if (moreAudio.length > 0) fields.set('audioTrackIdInfoMap', byTrackId(moreAudio.map(audioFields)))
  return serializeAmf0(['onMetaData', fields])
}

type Fields = (readonly [name: string, value: AmfValue])[]

function videoFields({ codec, config: { width, height } }: FlvVideoTrack): Fields {
  const codecId = codec === 'h264' ? LEGACY_VIDEO_CODEC_ID.h264 : VIDEO_FOUR_CC[codec]
  const size: Fields = [
    ['width', width],
    ['height', height],
  ]
  return [...(width > 0 ? size : []), ['videocodecid', codecId]]
}

function audioFields({ codec, config: { sampleRate, channels } }: FlvAudioTrack): Fields {
  return [
    ['audiocodecid', audioCodecId(codec)],
    ['audiosamplerate', sampleRate],
    ['audiosamplesize', 16],
    ['stereo', channels > 1],
  ]
}

function audioCodecId(codec: FlvAudioTrack['codec']): number {
  switch (codec) {
    case 'aac':
    case 'mp3':
    case 'pcma':
    case 'pcmu':
      return LEGACY_SOUND_FORMAT[codec]
    default:
      return AUDIO_FOUR_CC[codec]
  }
}

function byTrackId(tracks: readonly Fields[]): AmfObject {
  const map = newAmfObject()
  for (const [index, fields] of tracks.entries()) map[String(index + 1)] = Object.fromEntries(fields)
  return map
}
