import { isAv1Keyframe } from '../../codec/av1/keyframe.ts'
import { isH264RandomAccess } from '../../codec/h264/nalu-type.ts'
import { isH265RandomAccess } from '../../codec/h265/nalu-type.ts'
import { splitLengthPrefixed } from '../../codec/nalu.ts'
import { tryParse } from '../../codec/try-parse.ts'
import { parseVp8FrameHeader } from '../../codec/vp8/frame-header.ts'
import { parseVp9FrameHeader } from '../../codec/vp9/frame-header.ts'
import type { FlvVideoCodec } from './four-cc.ts'

/**
 * Returns true when a decoder can start at a frame, by its payload alone: for tags with a header that doesn't say. False for
 * a frame that can't be read. H.264 and H.265 have lengths of 4 bytes.
 */
export function showsKeyframe(codec: FlvVideoCodec, frame: Buffer): boolean {
  return tryParse((bytes) => readsAsKeyframe(codec, bytes), frame) ?? false
}

function readsAsKeyframe(codec: FlvVideoCodec, frame: Buffer): boolean {
  switch (codec) {
    case 'h264':
      return isH264RandomAccess(splitLengthPrefixed(frame))
    case 'h265':
      return isH265RandomAccess(splitLengthPrefixed(frame))
    case 'av1':
      return isAv1Keyframe(frame)
    case 'vp9':
      return parseVp9FrameHeader(frame).keyframe
    case 'vp8':
      return parseVp8FrameHeader(frame).keyframe
  }
}
