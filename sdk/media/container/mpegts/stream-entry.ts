import { parseAudioSpecificConfig } from '../../codec/aac/audio-specific-config.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { AudioCodec, AudioTrack, MediaTrack, Track, VideoCodec } from '../../track.ts'
import { languageCodeOf, languageTagOf } from '../language.ts'
import { PES_G711_CHANNELS, PES_G711_SAMPLE_RATE } from '../pes/g711-stream.ts'
import { opusDescriptor } from './opus-descriptor.ts'
import { canCarryDataInTs, tsDataEntry } from './data-entry.ts'
import type { TsDescriptor, TsStreamEntry } from './program-tables.ts'

/**
 * Stream types of ISO/IEC 13818-1 table 2-34; those of AC-3 and E-AC-3 are of ATSC A/52 annex A, which HLS asks for.
 * G.711 has no number of its own: GB/T 28181 gives it these two of the private range in program streams, and media
 * servers and cameras use them here as well. The stream states neither rate nor channels: they are 8 kHz and mono.
 */
const STREAM_TYPE = {
  mpeg1Audio: 0x03,
  mpeg2Audio: 0x04,
  privateData: 0x06,
  aac: 0x0f,
  h264: 0x1b,
  h265: 0x24,
  ac3: 0x81,
  eac3: 0x87,
  pcma: 0x90,
  pcmu: 0x91,
} as const

const DESCRIPTOR_TAG = { registration: 0x05, language: 0x0a, dvbAc3: 0x6a, dvbEac3: 0x7a } as const
const LANGUAGE_SIZE_BYTES = 3
const MIN_MPEG_1_SAMPLE_RATE = 32_000
const MAX_ADTS_OBJECT_TYPE = 4
const MAX_ADTS_CHANNEL_CONFIGURATION = 7

const CODEC_BY_STREAM_TYPE = new Map<number, VideoCodec | AudioCodec>([
  [STREAM_TYPE.mpeg1Audio, 'mp3'],
  [STREAM_TYPE.mpeg2Audio, 'mp3'],
  [STREAM_TYPE.aac, 'aac'],
  [STREAM_TYPE.h264, 'h264'],
  [STREAM_TYPE.h265, 'h265'],
  [STREAM_TYPE.ac3, 'ac3'],
  [STREAM_TYPE.eac3, 'eac3'],
  [STREAM_TYPE.pcma, 'pcma'],
  [STREAM_TYPE.pcmu, 'pcmu'],
])

const CODEC_BY_REGISTRATION = new Map<string, VideoCodec | AudioCodec>([
  ['Opus', 'opus'],
  ['AC-3', 'ac3'],
  ['EAC3', 'eac3'],
  ['HEVC', 'h265'],
])

/** The codec of a stream of media; undefined for those that no track can have. */
export function tsCodecOf({ streamType, descriptors }: TsStreamEntry): VideoCodec | AudioCodec | undefined {
  if (streamType !== STREAM_TYPE.privateData) return CODEC_BY_STREAM_TYPE.get(streamType)
  for (const { tag, data } of descriptors) {
    if (tag === DESCRIPTOR_TAG.dvbAc3) return 'ac3'
    if (tag === DESCRIPTOR_TAG.dvbEac3) return 'eac3'
    const codec = tag === DESCRIPTOR_TAG.registration && CODEC_BY_REGISTRATION.get(data.toString('latin1', 0, 4))
    if (codec) return codec
  }
  return undefined
}

/** Returns the language tag (BCP 47) of a stream, from the ISO 639-2 code of its descriptor; undefined without one. */
export function tsLanguageOf({ descriptors }: TsStreamEntry): string | undefined {
  const found = descriptors.find(({ tag }) => tag === DESCRIPTOR_TAG.language)
  return found && languageTagOf(found.data.toString('latin1', 0, LANGUAGE_SIZE_BYTES))
}

/**
 * Returns true when MPEG-TS can carry a track as it is: H.264, H.265, AAC that ADTS has room for, MP3, AC-3, E-AC-3, Opus in
 * a usual layout of channels, and G.711 of 8 kHz and one channel. For tracks of data see `canCarryDataInTs`.
 */
export function canCarryInTs(track: Track): track is MediaTrack {
  return track.kind !== 'data' && streamKind(track) !== undefined
}

/**
 * The entry of a track in the PMT.
 * @throws {RangeError} for a track that cannot be carried.
 */
export function tsStreamEntry(track: Track, pid: number): TsStreamEntry {
  const kind = streamKind(track)
  if (!kind) throw new RangeError(`MPEG-TS cannot carry this track of ${track.codec}`)
  const language = languageCodeOf(track.language)
  const descriptors = language === undefined ? kind.descriptors : [...kind.descriptors, languageDescriptor(language)]
  return { streamType: kind.streamType, pid, descriptors }
}

type StreamKind = Omit<TsStreamEntry, 'pid'>

function streamKind(track: Track): StreamKind | undefined {
  if (track.kind === 'data') return canCarryDataInTs(track) ? tsDataEntry(track) : undefined
  return track.kind === 'audio' ? audioKind(track) : plain(track.codec)
}

function audioKind({ codec, config }: AudioTrack): StreamKind | undefined {
  switch (codec) {
    case 'aac': {
      const asc = tryParse(parseAudioSpecificConfig, config.record)
      if (!asc || asc.objectType > MAX_ADTS_OBJECT_TYPE || asc.channelConfiguration === 0) return undefined
      return asc.channelConfiguration > MAX_ADTS_CHANNEL_CONFIGURATION ? undefined : plain(codec)
    }
    case 'mp3': {
      const mpeg1 = config.sampleRate >= MIN_MPEG_1_SAMPLE_RATE
      return { streamType: mpeg1 ? STREAM_TYPE.mpeg1Audio : STREAM_TYPE.mpeg2Audio, descriptors: [] }
    }
    case 'opus': {
      const layout = tryParse(opusDescriptor, config.record)
      return layout && { streamType: STREAM_TYPE.privateData, descriptors: [registration('Opus'), layout] }
    }
    case 'ac3':
      return { streamType: STREAM_TYPE.ac3, descriptors: [registration('AC-3')] }
    case 'eac3':
      return { streamType: STREAM_TYPE.eac3, descriptors: [registration('EAC3')] }
    case 'pcma':
    case 'pcmu':
      return config.sampleRate === PES_G711_SAMPLE_RATE && config.channels === PES_G711_CHANNELS
        ? plain(codec)
        : undefined
    default:
      return undefined
  }
}

function plain(codec: Track['codec']): StreamKind | undefined {
  for (const [streamType, other] of CODEC_BY_STREAM_TYPE) if (other === codec) return { streamType, descriptors: [] }
  return undefined
}

function registration(identifier: string): TsDescriptor {
  return { tag: DESCRIPTOR_TAG.registration, data: Buffer.from(identifier, 'latin1') }
}

/** The fourth byte is the kind of audio; 0 leaves it undefined. */
function languageDescriptor(language: string): TsDescriptor {
  return { tag: DESCRIPTOR_TAG.language, data: Buffer.from(`${language}\0`, 'latin1') }
}
