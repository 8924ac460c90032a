import { isDeepStrictEqual } from 'node:util'
import type { AccessUnit, VideoTrack } from 'sluice/sdk'
import {
  canCarryInFmp4,
  createInitSegment,
  FragmentWriter,
  H264_NALU_TYPE,
  h264NaluType,
  H265_NALU_TYPE,
  h265NaluType,
  MalformedError,
} from 'sluice/sdk/media'

/** Keyframes in a form that a program can read: ffmpeg's name of the format, and the bytes. */
export type CodedPictures = { readonly format: 'mp4' | 'ivf' | 'mjpeg'; readonly bytes: Buffer }

/** A keyframe of a video track. */
type Keyframe = AccessUnit & { readonly track: VideoTrack }

const H265_IDR_TYPES: ReadonlySet<number> = new Set([H265_NALU_TYPE.IDR_W_RADL, H265_NALU_TYPE.IDR_N_LP])
const IVF_HEADER_BYTES = 32
const IVF_FRAME_HEADER_BYTES = 12

/** True when a unit is a picture at which a decoder can start. */
export function isKeyframe(unit: AccessUnit): unit is Keyframe {
  return unit.keyframe && unit.track.kind === 'video'
}

/** True when a decoder takes two keyframes one right after the other, and outputs them in this order. */
export function canFollow(former: Keyframe, next: Keyframe): boolean {
  const { track } = next
  const isSame = former.track === track || isDeepStrictEqual(former.track.config, track.config)
  return isSame && former.track.codec === track.codec && forgetsFormer(next)
}

/**
 * True when the keyframe resets the decoder. Pictures after other keyframes are numbered on from those before, and come out in another
 * order.
 */
function forgetsFormer(keyframe: Keyframe): boolean {
  const { codec } = keyframe.track
  if (codec === 'h264') return keyframe.nalus.some((nalu) => h264NaluType(nalu) === H264_NALU_TYPE.IDR)
  if (codec === 'h265') return keyframe.nalus.some((nalu) => H265_IDR_TYPES.has(h265NaluType(nalu)))
  return true
}

/**
 * Puts keyframes into a form that a decoder reads on its own, with the configuration that it needs.
 * @param keyframes keyframes that can each follow the one before
 * @throws {MalformedError} when they can't be carried, or are malformed
 */
export function codedPictures(keyframes: readonly Keyframe[]): CodedPictures {
  const track = keyframes[0]?.track
  if (track?.codec === 'mjpeg') return { format: 'mjpeg', bytes: Buffer.concat(keyframes.map(({ data }) => data)) }
  if (track?.codec === 'vp8') return { format: 'ivf', bytes: ivfOf(track, keyframes) }
  if (track === undefined || !canCarryInFmp4(track)) throw new MalformedError('these pictures have no form for ffmpeg')
  const fragments = new FragmentWriter([track])
  const pieces = [createInitSegment([track])]
  for (const [index, keyframe] of keyframes.entries()) {
    const time = index * track.timescale
    fragments.write(keyframe.at(track, time, time))
    const fragment = fragments.flush()
    if (fragment !== null) pieces.push(fragment.data)
  }
  return { format: 'mp4', bytes: Buffer.concat(pieces) }
}

/** IVF, as the VP8 reference decoder reads it: a header of 32 bytes, then each picture with its size and time. */
function ivfOf({ config }: VideoTrack, keyframes: readonly Keyframe[]): Buffer {
  const header = Buffer.alloc(IVF_HEADER_BYTES)
  header.write('DKIF')
  header.writeUInt16LE(IVF_HEADER_BYTES, 6)
  header.write('VP80', 8)
  header.writeUInt16LE(Math.min(config.width, 0xffff), 12)
  header.writeUInt16LE(Math.min(config.height, 0xffff), 14)
  header.writeUInt32LE(1, 16)
  header.writeUInt32LE(1, 20)
  header.writeUInt32LE(keyframes.length, 24)
  const frames = keyframes.flatMap(({ data }, index) => {
    const head = Buffer.alloc(IVF_FRAME_HEADER_BYTES)
    head.writeUInt32LE(data.length, 0)
    head.writeUInt32LE(index, 4)
    return [head, data]
  })
  return Buffer.concat([header, ...frames])
}
