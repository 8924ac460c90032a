import { aacConfig } from '../../codec/aac/config.ts'
import { ac3Config } from '../../codec/ac3/config.ts'
import { av1Config } from '../../codec/av1/config.ts'
import { flacConfig } from '../../codec/flac/config.ts'
import { g711Config } from '../../codec/g711/config.ts'
import { h264Config } from '../../codec/h264/config.ts'
import { h265Config } from '../../codec/h265/config.ts'
import { mp3Config } from '../../codec/mp3/config.ts'
import { opusConfig } from '../../codec/opus/config.ts'
import { vp9Config } from '../../codec/vp9/config.ts'
import { MalformedError } from '../../errors.ts'
import type { AudioConfig, VideoConfig } from '../../track.ts'
import { bodyOf, fullBox, parseBoxes, type Box, type ParsedBox } from './box.ts'
import { serializeAc3Specific, serializeEac3Specific } from './boxes/ac3-specific.ts'
import { parseElementaryStream, serializeElementaryStream } from './boxes/elementary-stream.ts'
import { parseFlacSpecific, serializeFlacSpecific } from './boxes/flac-specific.ts'
import { parseOpusSpecific, serializeOpusSpecific } from './boxes/opus-specific.ts'
import type { Fmp4AudioCodec, Fmp4AudioTrack, Fmp4Track, Fmp4VideoCodec, Fmp4VideoTrack } from './carriage.ts'
import {
  parseAudioSampleEntry,
  parseVisualSampleEntry,
  serializeAudioSampleEntry,
  serializeVisualSampleEntry,
} from './boxes/sample-description.ts'

/** The format of a sample entry; an audio codec with frames that describe themselves gets its configuration from the first. */
export type EntryFormat =
  | {
      readonly kind: 'video'
      readonly codec: Fmp4VideoCodec
      /** The `codecs` value of RFC 6381. */
      readonly codecString: string
      readonly config: VideoConfig
      readonly lengthSize: number
    }
  | {
      readonly kind: 'audio'
      readonly codec: Fmp4AudioCodec
      readonly codecString: string
      configure(frame: Buffer): AudioConfig
    }

const VIDEO_TYPES = { h264: 'avc1', h265: 'hvc1', av1: 'av01', vp9: 'vp09' } as const
/** MP3 as `mp4a` with its object type, like its `codecs` value; G.711 by the names that QuickTime has for it. */
const AUDIO_TYPES = {
  aac: 'mp4a',
  mp3: 'mp4a',
  opus: 'Opus',
  flac: 'fLaC',
  ac3: 'ac-3',
  eac3: 'ec-3',
  pcma: 'alaw',
  pcmu: 'ulaw',
} as const

/** MPEG-4 audio, and the three profiles of MPEG-2 AAC (ISO/IEC 14496-1 table 5). */
const AAC_OBJECT_TYPES = [0x40, 0x66, 0x67, 0x68] as const
const MP3_OBJECT_TYPES = [0x69, 0x6b]
/** The offset of the byte of a record with the size of lengths, less 1, in its lowest two bits. */
const LENGTH_SIZE_POSITION = { avcC: 4, hvcC: 21 } as const

/**
 * The entry of `stsd` (ISO/IEC 14496-12 8.5.2) for a track that `canCarryInFmp4` takes.
 * @throws {MalformedError} when an OpusHead is broken.
 */
export function serializeSampleEntry(track: Fmp4Track): Box {
  if (track.kind === 'video') {
    return serializeVisualSampleEntry(VIDEO_TYPES[track.codec], track.config, [videoConfigBox(track)])
  }
  const config = audioConfigBox(track)
  return serializeAudioSampleEntry(AUDIO_TYPES[track.codec], track.config, config ? [config] : [])
}

/**
 * Parses an entry of `stsd`; undefined for a codec that no track can carry, or an encrypted one.
 * @throws {MalformedError} when it is broken.
 */
export function parseSampleEntry({ type, body }: ParsedBox): EntryFormat | undefined {
  switch (type) {
    case 'avc1':
    case 'avc3':
      return videoFormat('h264', body, 'avcC', h264Config)
    case 'hvc1':
    case 'hev1':
    case 'dvh1':
    case 'dvhe':
      return videoFormat('h265', body, 'hvcC', h265Config)
    case 'av01':
      return videoFormat('av1', body, 'av1C', av1Config)
    case 'vp09':
      return videoFormat('vp9', body, 'vpcC', vp9Config)
    default:
      return audioFormat(type, body)
  }
}

/** The decoder configuration of a video track (ISO/IEC 14496-15, the AV1 and VP bindings). */
function videoConfigBox({ codec, config: { record } }: Fmp4VideoTrack): Box {
  switch (codec) {
    case 'h264':
      return { type: 'avcC', contents: [record] }
    case 'h265':
      return { type: 'hvcC', contents: [record] }
    case 'av1':
      return { type: 'av1C', contents: [record] }
    case 'vp9':
      return fullBox('vpcC', 1, 0, [record])
  }
}

/** Units have lengths of 4 bytes, so the configuration states 4, even where the file has another size. */
function videoFormat(
  codec: Fmp4VideoCodec,
  body: Buffer,
  configType: 'avcC' | 'hvcC' | 'av1C' | 'vpcC',
  parseConfig: (record: Buffer) => VideoConfig,
): EntryFormat {
  const { width, height, boxes } = parseVisualSampleEntry(body)
  const record = Buffer.from(required(configType, bodyOf(boxes, configType)))
  let lengthSize = 4
  if (configType === 'avcC' || configType === 'hvcC') {
    const position = LENGTH_SIZE_POSITION[configType]
    lengthSize = ((record[position] ?? 3) & 3) + 1
    record[position] = (record[position] ?? 0) | 3
  }
  const config = parseConfig(record)
  const { codecString } = config
  // The sequence header is to be believed, where the record has one.
  const sized = config.width > 0 ? config : { ...config, width, height }
  return { kind: 'video', codec, codecString, lengthSize, config: sized }
}

/** The decoder configuration of an audio track; undefined for G.711, which needs no more than its entry. */
function audioConfigBox({ codec, config }: Fmp4AudioTrack): Box | undefined {
  switch (codec) {
    case 'aac':
      return serializeElementaryStream({ objectType: AAC_OBJECT_TYPES[0], specificInfo: config.record })
    case 'mp3':
      // `mp4a.6B` and `mp4a.69`: the number is the object type.
      return serializeElementaryStream({
        objectType: Number.parseInt(config.codecString.slice('mp4a.'.length), 16),
        specificInfo: config.record,
      })
    case 'opus':
      return serializeOpusSpecific(config.record)
    case 'flac':
      return serializeFlacSpecific(config.record)
    case 'ac3':
      return serializeAc3Specific(config)
    case 'eac3':
      return serializeEac3Specific(config)
    case 'pcma':
    case 'pcmu':
      return undefined
  }
}

function audioFormat(type: string, body: Buffer): EntryFormat | undefined {
  switch (type) {
    case 'mp4a':
      return mp4aFormat(body)
    case 'Opus':
      return configured('opus', opusConfig(parseOpusSpecific(audioConfigBody(body, 'dOps'))))
    case 'fLaC':
      return configured('flac', flacConfig(parseFlacSpecific(audioConfigBody(body, 'dfLa'))))
    case 'ac-3':
      return { kind: 'audio', codec: 'ac3', codecString: 'ac-3', configure: (frame) => ac3Config('ac3', frame) }
    case 'ec-3':
      return { kind: 'audio', codec: 'eac3', codecString: 'ec-3', configure: (frame) => ac3Config('eac3', frame) }
    case '.mp3':
      return { kind: 'audio', codec: 'mp3', codecString: 'mp4a.6B', configure: mp3Config }
    case 'alaw':
      return g711Format('pcma', body)
    case 'ulaw':
      return g711Format('pcmu', body)
    default:
      return undefined
  }
}

/** The object type names the codec (ISO/IEC 14496-14 5.6). */
function mp4aFormat(body: Buffer): EntryFormat | undefined {
  const { objectType, specificInfo } = parseElementaryStream(audioConfigBody(body, 'esds'))
  if (MP3_OBJECT_TYPES.includes(objectType)) {
    const codecString = `mp4a.${objectType.toString(16).toUpperCase()}`
    return { kind: 'audio', codec: 'mp3', codecString, configure: mp3Config }
  }
  const isAac = AAC_OBJECT_TYPES.some((type) => type === objectType)
  return isAac ? configured('aac', aacConfig(specificInfo)) : undefined
}

function g711Format(codec: 'pcma' | 'pcmu', body: Buffer): EntryFormat {
  const { sampleRate, channels } = parseAudioSampleEntry(body)
  return configured(codec, g711Config(codec, sampleRate, channels))
}

function configured(codec: Fmp4AudioCodec, config: AudioConfig): EntryFormat {
  return { kind: 'audio', codec, codecString: config.codecString, configure: () => config }
}

/** QuickTime has it within a `wave`. */
function audioConfigBody(body: Buffer, type: string): Buffer {
  const { boxes } = parseAudioSampleEntry(body)
  const wave = bodyOf(boxes, 'wave')
  return required(type, bodyOf(boxes, type) ?? (wave && bodyOf(parseBoxes(wave), type)))
}

function required(type: string, body: Buffer | undefined): Buffer {
  if (body === undefined) throw new MalformedError(`sample entry without '${type}'`)
  return body
}
