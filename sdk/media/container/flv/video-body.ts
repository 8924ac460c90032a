import { MalformedError } from '../../errors.ts'
import { readModEx, readSingleTrack, readTracks, serializeEnhancedHeader } from './enhanced-body.ts'
import type { EnhancedTrack } from './enhanced-body.ts'
import { VIDEO_CODEC_BY_FOUR_CC, VIDEO_FOUR_CC, fourCcText, type FlvVideoCodec } from './four-cc.ts'

/** VideoPacketType of Enhanced RTMP v2, the types that carry something of one track. */
const PACKET_TYPES = [
  'sequenceStart',
  'codedFrames',
  'sequenceEnd',
  'codedFramesX',
  'metadata',
  'mpeg2TsSequenceStart',
] as const
const MULTITRACK = 6

/** VideoFrameType; the others are reserved. */
const FRAME = { key: 1, inter: 2, disposableInter: 3, generatedKey: 4, command: 5 } as const

/** CodecID of the legacy header. 12 is H.265 as encoders sent it before Enhanced RTMP. */
export const LEGACY_VIDEO_CODEC_ID = { h264: 7, h265: 12 } as const
/** The legacy codecs that are not carried. */
const OTHER_CODECS = new Map([
  [2, 'Sorenson H.263'],
  [3, 'Screen Video'],
  [4, 'VP6'],
  [5, 'VP6'],
  [6, 'Screen Video'],
])
const LEGACY_TYPES = ['sequenceStart', 'codedFrames', 'sequenceEnd'] as const
const EX_HEADER = 0x80

/** The part of a video tag for one track. `data` is a view into the tag. */
export type FlvVideoPacket = {
  /** `metadata` is AMF0 data about the frames, `mpeg2TsSequenceStart` the descriptor of an MPEG-TS elementary stream. */
  readonly type: 'sequenceStart' | 'codedFrames' | 'sequenceEnd' | 'metadata' | 'mpeg2TsSequenceStart'
  readonly codec: FlvVideoCodec
  /** 0 for the main track and outside multitrack tags. */
  readonly trackId: number
  /** Null where the tag doesn't say: gortmplib, and so MediaMTX, writes frame type 0 into every enhanced tag. */
  readonly keyframe: boolean | null
  /** Presentation minus decoding time, signed. */
  readonly ctsMs: number
  /** The nanoseconds to add to the tag's timestamp, below a millisecond. */
  readonly timestampOffsetNs: number
  readonly data: Buffer
}

/** A packet in a codec that no track can have, by the name the tag gives it. */
export type FlvUnsupportedPacket = {
  readonly type: 'unsupported'
  readonly codecName: string
  readonly trackId: number
}

/**
 * Reads the body of a video tag or RTMP video message, legacy (FLV 10.1 E.4.3) or enhanced (Enhanced RTMP v2,
 * ExVideoTagHeader), into one packet a track. Empty bodies and seek commands give none.
 * @throws {MalformedError} when the body ends within a header, or a packet type is unknown.
 */
export function parseVideoBody(body: Buffer): (FlvVideoPacket | FlvUnsupportedPacket)[] {
  if (body.length === 0) return []
  return (body[0]! & EX_HEADER) === 0 ? parseLegacy(body) : parseEnhanced(body)
}

function parseLegacy(body: Buffer): (FlvVideoPacket | FlvUnsupportedPacket)[] {
  const frameType = body[0]! >> 4
  if (frameType === FRAME.command) return []
  const codec = legacyCodec(body[0]! & 0x0f)
  if (!codec) return [{ type: 'unsupported', codecName: otherCodec(body[0]! & 0x0f), trackId: 0 }]
  if (body.length < 5) throw new MalformedError(`FLV: a ${codec} video tag of ${body.length} bytes`)
  const type = LEGACY_TYPES[body[1]!]
  if (!type) throw new MalformedError(`FLV: ${codec} packet type ${body[1]}`)
  return [
    {
      type,
      codec,
      trackId: 0,
      keyframe: keyframeOf(frameType),
      ctsMs: type === 'codedFrames' ? body.readIntBE(2, 3) : 0,
      timestampOffsetNs: 0,
      data: body.subarray(5),
    },
  ]
}

function legacyCodec(codecId: number): 'h264' | 'h265' | null {
  if (codecId === LEGACY_VIDEO_CODEC_ID.h264) return 'h264'
  return codecId === LEGACY_VIDEO_CODEC_ID.h265 ? 'h265' : null
}

function otherCodec(codecId: number): string {
  return OTHER_CODECS.get(codecId) ?? `codec id ${codecId}`
}

function parseEnhanced(body: Buffer): (FlvVideoPacket | FlvUnsupportedPacket)[] {
  const frameType = (body[0]! >> 4) & 0x07
  const modEx = readModEx(body, body[0]! & 0x0f)
  if (frameType === FRAME.command && PACKET_TYPES[modEx.packetType] !== 'metadata') return []
  const { packetType, tracks } =
    modEx.packetType === MULTITRACK
      ? readTracks(body, modEx.offset, MULTITRACK)
      : { packetType: modEx.packetType, tracks: [readSingleTrack(body, modEx.offset)] }
  const type = PACKET_TYPES[packetType]
  if (!type) throw new MalformedError(`FLV: video packet type ${packetType}`)
  return tracks.map((track) => videoPacket(track, type, keyframeOf(frameType), modEx.timestampOffsetNs))
}

function videoPacket(
  track: EnhancedTrack,
  type: (typeof PACKET_TYPES)[number],
  keyframe: boolean | null,
  timestampOffsetNs: number,
): FlvVideoPacket | FlvUnsupportedPacket {
  const { trackId } = track
  const codec = VIDEO_CODEC_BY_FOUR_CC.get(track.fourCc)
  if (!codec) return { type: 'unsupported', codecName: fourCcText(track.fourCc), trackId }
  if (type === 'codedFramesX') {
    return { type: 'codedFrames', codec, trackId, keyframe, ctsMs: 0, timestampOffsetNs, data: track.data }
  }
  if (type !== 'codedFrames' || !hasCts(codec)) {
    return { type, codec, trackId, keyframe, ctsMs: 0, timestampOffsetNs, data: track.data }
  }
  if (track.data.length < 3) throw new MalformedError(`FLV: a ${codec} frame of ${track.data.length} bytes`)
  const ctsMs = track.data.readIntBE(0, 3)
  return { type, codec, trackId, keyframe, ctsMs, timestampOffsetNs, data: track.data.subarray(3) }
}

function keyframeOf(frameType: number): boolean | null {
  if (frameType === FRAME.key || frameType === FRAME.generatedKey) return true
  return frameType === FRAME.inter || frameType === FRAME.disposableInter ? false : null
}

/** Only these codecs' frames carry a composition time. */
function hasCts(codec: FlvVideoCodec): boolean {
  return codec === 'h264' || codec === 'h265'
}

/**
 * The bytes of a video tag before a packet's data: legacy for H.264, enhanced for the other codecs and in multitrack.
 * @param multitrackId puts the packet into a multitrack tag under this id.
 */
export function serializeVideoHeader(
  packet: Pick<FlvVideoPacket, 'codec' | 'ctsMs'> & {
    readonly type: 'sequenceStart' | 'codedFrames' | 'sequenceEnd'
    readonly keyframe: boolean
  },
  multitrackId?: number,
): Buffer {
  const { type, codec, keyframe, ctsMs } = packet
  const frame = (keyframe ? FRAME.key : FRAME.inter) << 4
  if (codec === 'h264' && multitrackId === undefined) {
    const header = Buffer.allocUnsafe(5)
    header[0] = frame | LEGACY_VIDEO_CODEC_ID.h264
    header[1] = LEGACY_TYPES.indexOf(type)
    header.writeIntBE(ctsMs, 2, 3)
    return header
  }
  const wireType = type === 'codedFrames' && hasCts(codec) && ctsMs === 0 ? 'codedFramesX' : type
  const withCts = wireType === 'codedFrames' && hasCts(codec)
  const header = serializeEnhancedHeader(
    EX_HEADER | frame,
    PACKET_TYPES.indexOf(wireType),
    VIDEO_FOUR_CC[codec],
    multitrackId === undefined ? null : { packetType: MULTITRACK, trackId: multitrackId },
    withCts ? 3 : 0,
  )
  if (withCts) header.writeIntBE(ctsMs, header.length - 3, 3)
  return header
}
