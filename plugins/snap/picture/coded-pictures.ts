import { isDeepStrictEqual } from 'node:util'
import { AccessUnit, type VideoTrack } from 'sluice/sdk'
import {
  canCarryInFmp4,
  createInitSegment,
  FragmentWriter,
  H264_NALU_TYPE,
  h264NaluType,
  MalformedError,
} from 'sluice/sdk/media'

/** Keyframes as a program can read them: the name that ffmpeg has for the form, and the bytes. */
export type CodedPictures = { readonly format: 'mp4' | 'ivf' | 'mjpeg'; readonly bytes: Buffer }

/** A keyframe, and the track that it is of. */
type Keyframe = AccessUnit & { readonly track: VideoTrack }

/** end_of_seq_rbsp() of ISO/IEC 23008-2 7.3.2.6: the picture after it refers to nothing before it, whatever its type. */
const H265_END_OF_SEQUENCE = Buffer.from([36 << 1, 1])
const IVF_HEADER_BYTES = 32
const IVF_FRAME_HEADER_BYTES = 12

/** Whether a unit is a picture that a decoder can start at. */
export function isKeyframe(unit: AccessUnit): unit is Keyframe {
  return unit.keyframe && unit.track.kind === 'video'
}

/** Whether a decoder takes two keyframes one right after the other, and gives them in this order. */
export function canFollow(former: Keyframe, next: Keyframe): boolean {
  const { track } = next
  const isSame = former.track === track || isDeepStrictEqual(former.track.config, track.config)
  // Another start than an IDR picture is counted on from the pictures before it, which are not there.
  return isSame && former.track.codec === track.codec && (track.codec !== 'h264' || next.nalus.some(isIdr))
}

function isIdr(nalu: Buffer): boolean {
  return h264NaluType(nalu) === H264_NALU_TYPE.IDR
}

/**
 * Puts keyframes into a form that a decoder reads on its own, with what it has to know before.
 * @param keyframes each of which can follow the one before
 * @throws {MalformedError} when they can't be carried, or are broken
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
    fragments.write(onItsOwn(keyframe, track).at(track, time, time))
    const fragment = fragments.flush()
    if (fragment !== null) pieces.push(fragment.data)
  }
  return { format: 'mp4', bytes: Buffer.concat(pieces) }
}

function onItsOwn(keyframe: Keyframe, track: VideoTrack): AccessUnit {
  if (track.codec !== 'h265') return keyframe
  return AccessUnit.fromNalus(track, 0, 0, true, [...keyframe.nalus, H265_END_OF_SEQUENCE])
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
