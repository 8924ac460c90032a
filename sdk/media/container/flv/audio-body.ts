import { MalformedError } from '../../errors.ts'
import { readModEx, readSingleTrack, readTracks, serializeEnhancedHeader } from './enhanced-body.ts'
import type { EnhancedTrack } from './enhanced-body.ts'
import { AUDIO_CODEC_BY_FOUR_CC, AUDIO_FOUR_CC, fourCcText, type FlvAudioCodec } from './four-cc.ts'
import type { FlvUnsupportedPacket } from './video-body.ts'

/** AudioPacketType of Enhanced RTMP v2. */
const PACKET_TYPE = { sequenceStart: 0, codedFrames: 1, sequenceEnd: 2, multichannelConfig: 4, multitrack: 5 } as const
const PACKET_NAME = new Map<number, FlvAudioPacket['type']>([
  [PACKET_TYPE.sequenceStart, 'sequenceStart'],
  [PACKET_TYPE.codedFrames, 'codedFrames'],
  [PACKET_TYPE.sequenceEnd, 'sequenceEnd'],
  [PACKET_TYPE.multichannelConfig, 'multichannelConfig'],
])

/** SoundFormat; 9 switches to the enhanced header. */
export const LEGACY_SOUND_FORMAT = { mp3: 2, pcma: 7, pcmu: 8, aac: 10 } as const
const SOUND_FORMAT_ENHANCED = 9
const SOUND_FORMAT_MP3_8_KHZ = 14
const LEGACY_CODECS = new Map<number, FlvAudioCodec>([
  [LEGACY_SOUND_FORMAT.mp3, 'mp3'],
  [SOUND_FORMAT_MP3_8_KHZ, 'mp3'],
  [LEGACY_SOUND_FORMAT.pcma, 'pcma'],
  [LEGACY_SOUND_FORMAT.pcmu, 'pcmu'],
])
/** The legacy codecs that are not carried. */
const OTHER_CODECS = new Map([
  [0, 'PCM'],
  [1, 'ADPCM'],
  [3, 'PCM'],
  [4, 'Nellymoser'],
  [5, 'Nellymoser'],
  [6, 'Nellymoser'],
  [11, 'Speex'],
])
/** SoundSize 16 bits, the value of all compressed formats. */
const SIXTEEN_BITS = 0x02
/** AAC has 44.1 kHz, 16 bits and stereo here, whatever it is (FLV 10.1 E.4.2.1). */
const AAC_FLAGS = (LEGACY_SOUND_FORMAT.aac << 4) | 0x0f

/** The part of an audio tag for one track. `data` is a view into the tag. */
export type FlvAudioPacket = {
  /** `multichannelConfig` is the order of the channels, see {@link parseMultichannelConfig}. */
  readonly type: 'sequenceStart' | 'codedFrames' | 'sequenceEnd' | 'multichannelConfig'
  readonly codec: FlvAudioCodec
  /** 0 for the main track and outside multitrack tags. */
  readonly trackId: number
  /** The channels of a legacy header, 1 or 2; 0 in an enhanced tag, which has none. Not to be believed for AAC. */
  readonly channels: 0 | 1 | 2
  /** The nanoseconds to add to the tag's timestamp, below a millisecond. */
  readonly timestampOffsetNs: number
  readonly data: Buffer
}

/**
 * Reads the body of an audio tag or RTMP audio message, legacy (FLV 10.1 E.4.2) or enhanced (Enhanced RTMP v2,
 * ExAudioTagHeader), into one packet a track. An empty body, which announces silence, gives none.
 * @throws {MalformedError} when the body ends within a header, or a packet type is unknown.
 */
export function parseAudioBody(body: Buffer): (FlvAudioPacket | FlvUnsupportedPacket)[] {
  if (body.length === 0) return []
  const soundFormat = body[0]! >> 4
  if (soundFormat === SOUND_FORMAT_ENHANCED) return parseEnhanced(body)
  const channels = (body[0]! & 1) === 1 ? 2 : 1
  if (soundFormat === LEGACY_SOUND_FORMAT.aac) return [parseAac(body, channels)]
  const codec = LEGACY_CODECS.get(soundFormat)
  if (!codec) {
    const codecName = OTHER_CODECS.get(soundFormat) ?? `sound format ${soundFormat}`
    return [{ type: 'unsupported', codecName, trackId: 0 }]
  }
  return [{ type: 'codedFrames', codec, trackId: 0, channels, timestampOffsetNs: 0, data: body.subarray(1) }]
}

function parseAac(body: Buffer, channels: 1 | 2): FlvAudioPacket {
  const packetType = body[1]
  if (packetType === undefined || packetType > 1) throw new MalformedError(`FLV: AAC packet type ${packetType}`)
  const type = packetType === 0 ? 'sequenceStart' : 'codedFrames'
  return { type, codec: 'aac', trackId: 0, channels, timestampOffsetNs: 0, data: body.subarray(2) }
}

function parseEnhanced(body: Buffer): (FlvAudioPacket | FlvUnsupportedPacket)[] {
  const modEx = readModEx(body, body[0]! & 0x0f)
  const { packetType, tracks } =
    modEx.packetType === PACKET_TYPE.multitrack
      ? readTracks(body, modEx.offset, PACKET_TYPE.multitrack)
      : { packetType: modEx.packetType, tracks: [readSingleTrack(body, modEx.offset)] }
  const type = PACKET_NAME.get(packetType)
  if (!type) throw new MalformedError(`FLV: audio packet type ${packetType}`)
  return tracks.map((track) => audioPacket(track, type, modEx.timestampOffsetNs))
}

function audioPacket(
  track: EnhancedTrack,
  type: FlvAudioPacket['type'],
  timestampOffsetNs: number,
): FlvAudioPacket | FlvUnsupportedPacket {
  const { trackId, data } = track
  const codec = AUDIO_CODEC_BY_FOUR_CC.get(track.fourCc)
  if (!codec) return { type: 'unsupported', codecName: fourCcText(track.fourCc), trackId }
  return { type, codec, trackId, channels: 0, timestampOffsetNs, data }
}

/**
 * The bytes of an audio tag before a packet's data: legacy for AAC, MP3 and G.711, enhanced for the other codecs and in
 * multitrack.
 * @param multitrackId puts the packet into a multitrack tag under this id.
 * @throws {RangeError} for G.711 in multitrack, which has no FourCC.
 */
export function serializeAudioHeader(
  type: 'sequenceStart' | 'codedFrames' | 'sequenceEnd',
  codec: FlvAudioCodec,
  format: { readonly sampleRate: number; readonly channels: number },
  multitrackId?: number,
): Buffer {
  if (multitrackId === undefined && type !== 'sequenceEnd') {
    if (codec === 'aac') return Buffer.of(AAC_FLAGS, type === 'sequenceStart' ? 0 : 1)
    if (codec === 'mp3' || codec === 'pcma' || codec === 'pcmu') return Buffer.of(legacyFlags(codec, format))
  }
  if (codec === 'pcma' || codec === 'pcmu') throw new RangeError(`FLV: ${codec} can't be written in an enhanced tag`)
  return serializeEnhancedHeader(
    SOUND_FORMAT_ENHANCED << 4,
    PACKET_TYPE[type],
    AUDIO_FOUR_CC[codec],
    multitrackId === undefined ? null : { packetType: PACKET_TYPE.multitrack, trackId: multitrackId },
    0,
  )
}

function legacyFlags(
  codec: 'mp3' | 'pcma' | 'pcmu',
  format: { readonly sampleRate: number; readonly channels: number },
): number {
  const mp3At8KHz = codec === 'mp3' && format.sampleRate === 8000
  const soundFormat = mp3At8KHz ? SOUND_FORMAT_MP3_8_KHZ : LEGACY_SOUND_FORMAT[codec]
  return (soundFormat << 4) | (soundRate(format.sampleRate) << 2) | SIXTEEN_BITS | (format.channels > 1 ? 1 : 0)
}

/** SoundRate, the nearest of 5.5, 11, 22 and 44 kHz that is not above, and 44 for higher rates. */
function soundRate(sampleRate: number): number {
  if (sampleRate >= 44_100) return 3
  if (sampleRate >= 22_050) return 2
  return sampleRate >= 11_025 ? 1 : 0
}
