import { MalformedError } from '../../errors.ts'

/** The start of a frame (RFC 6386 section 9.1); that of a keyframe has its size. */
export type Vp8FrameHeader = { readonly keyframe: false } | Vp8KeyframeHeader

export type Vp8KeyframeHeader = { readonly keyframe: true; readonly width: number; readonly height: number }

const TAG_SIZE_BYTES = 3
const KEYFRAME_HEADER_SIZE_BYTES = 10
const START_CODE = 0x9d012a

/** Parses the start of a frame. @throws {MalformedError} when it ends early, or when a keyframe lacks its start code. */
export function parseVp8FrameHeader(frame: Buffer): Vp8FrameHeader {
  if (frame.length < TAG_SIZE_BYTES) throw new MalformedError(`VP8 frame of ${frame.length} bytes`)
  if ((frame[0]! & 1) === 1) return { keyframe: false }
  if (frame.length < KEYFRAME_HEADER_SIZE_BYTES) throw new MalformedError(`VP8 keyframe of ${frame.length} bytes`)
  const startCode = frame.readUIntBE(TAG_SIZE_BYTES, 3)
  if (startCode !== START_CODE) throw new MalformedError(`VP8 keyframe with start code ${startCode.toString(16)}`)
  // Each is 14 bits, below 2 for the scale to show it at.
  const width = frame.readUInt16LE(6) & 0x3fff
  const height = frame.readUInt16LE(8) & 0x3fff
  return { keyframe: true, width, height }
}
