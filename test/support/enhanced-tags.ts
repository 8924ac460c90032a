import type { FlvTag } from 'sluice/sdk/media'
import type { MediaPacket } from './media-file.ts'

/** The codecs whose enhanced tags tests write by hand (Enhanced RTMP v2). */
export type EnhancedCodec = 'hvc1' | 'av01' | 'vp09' | 'Opus' | 'avc1' | 'mp4a'

const SEQUENCE_START = 0
const CODED_FRAMES = 1
const MULTITRACK = { Opus: 5, mp4a: 5, hvc1: 6, av01: 6, vp09: 6, avc1: 6 } as const
const ENHANCED_AUDIO = 0x90
const ENHANCED_KEYFRAME = 0x90
const ENHANCED_INTER_FRAME = 0xa0

/** The tag that sets up a decoder; of a further track when a number is given. */
export function sequenceStart(codec: EnhancedCodec, record: Buffer, trackId?: number): FlvTag {
  return tag(codec, true, 0, SEQUENCE_START, record, trackId)
}

/** The tag of one packet; of a further track when a number is given. */
export function codedFrames(codec: EnhancedCodec, packet: MediaPacket, trackId?: number): FlvTag {
  const { dtsMs, ptsMs, keyframe, data } = packet
  // H.264 and H.265 alone say how far presentation lies behind decoding.
  const body = codec === 'hvc1' || codec === 'avc1' ? Buffer.concat([int24(ptsMs - dtsMs), data]) : data
  return tag(codec, keyframe, dtsMs, CODED_FRAMES, body, trackId)
}

function tag(
  codec: EnhancedCodec,
  keyframe: boolean,
  timestampMs: number,
  packetType: number,
  data: Buffer,
  trackId: number | undefined,
): FlvTag {
  const audio = codec === 'Opus' || codec === 'mp4a'
  const flags = audio ? ENHANCED_AUDIO : keyframe ? ENHANCED_KEYFRAME : ENHANCED_INTER_FRAME
  const fourCc = Buffer.from(codec, 'latin1')
  // The high half of a multitrack tag's second byte is 0, one track.
  const head =
    trackId === undefined
      ? [Buffer.of(flags | packetType), fourCc]
      : [Buffer.of(flags | MULTITRACK[codec], packetType), fourCc, Buffer.of(trackId)]
  return { type: audio ? 8 : 9, timestampMs, body: Buffer.concat([...head, data]) }
}

function int24(value: number): Buffer {
  const bytes = Buffer.alloc(3)
  bytes.writeIntBE(value, 0, 3)
  return bytes
}
