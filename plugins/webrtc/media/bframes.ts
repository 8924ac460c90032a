import type { AccessUnit, Track } from 'sluice/sdk'
import {
  H265_NALU_TYPE,
  h264NaluType,
  H264_NALU_TYPE,
  h265NaluType,
  parseAvcDecoderConfigurationRecord,
  parseH264Sps,
  parseH265Sps,
  parseHevcDecoderConfigurationRecord,
  MalformedError,
} from 'sluice/sdk/media'

/** A picture that is earlier than its predecessors by more than this belongs to another clock, and is not a B-frame. */
const MAX_REORDER_SECONDS = 10
/** nal_ref_idc of H.264, without which no other picture is predicted from this one (ISO/IEC 14496-10 7.4.1). */
const NAL_REF_IDC = 0x60
/** Even types of H.265 up to this one are sub-layer non-reference pictures (ISO/IEC 23008-2 table 7-1). */
const LAST_NON_REFERENCE_TYPE = 14
const ADVICE = 'publish without B-frames (OBS: B-frames 0, or the tune zerolatency; ffmpeg: -bf 0)'

/** The warning about a stream with B-frames that can be left out without harm. */
const MENDED = `the stream has B-frames, which WebRTC does not put in order: they are left out, so it plays with fewer pictures a second; ${ADVICE}`
/** The warning about a stream of H.264 with B-frames that other pictures need, which are left out all the same. */
const SPOILT = `the stream has B-frames that other pictures need, and WebRTC does not put them in order: they are left out, so it plays with fewer pictures a second, which may be spoilt from one keyframe to the next; ${ADVICE}`
/** The warning about a stream with B-frames that can't be left out. */
const UNMENDED = `the stream has B-frames that other pictures need, so WebRTC shows its pictures out of order; ${ADVICE}`

/**
 * Looks for pictures of one track that are shown before one that came before them. Receivers of WebRTC show pictures in the order in which
 * they come, so pictures that no other needs are left out, and for H.264 all: libwebrtc's decoder shows none that is earlier than the one
 * before, calls that an error, and waits for a keyframe, while it fills gaps of frame_num with the picture before, from which most encoders
 * predict P-frames anyway.
 */
export class BframeFilter {
  #highestPts = -Infinity
  #lastDts = -Infinity
  #problem: string | undefined

  /** The warning about the B-frames that were seen; undefined without any. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Takes the next picture, in decoding order. Returns true when it is to be left out. */
  drops({ track, dts, pts, keyframe, nalus }: AccessUnit): boolean {
    // Viewers that were moved to the stream get it at other times: these are not an order of pictures.
    if (dts < this.#lastDts) this.#highestPts = -Infinity
    this.#lastDts = dts
    const isEarlier = pts < this.#highestPts && this.#highestPts - pts < track.timescale * MAX_REORDER_SECONDS
    if (keyframe || !isEarlier) {
      this.#highestPts = pts
      return false
    }
    if (!isReference(track, nalus)) {
      this.#problem ??= MENDED
      return true
    }
    const isH264 = track.codec === 'h264'
    this.#problem = isH264 ? SPOILT : UNMENDED
    return isH264
  }
}

function isReference({ codec }: Track, nalus: readonly Buffer[]): boolean {
  for (const nalu of nalus) {
    if (codec === 'h264') {
      const type = h264NaluType(nalu)
      if (type >= H264_NALU_TYPE.SLICE && type <= H264_NALU_TYPE.IDR) return (nalu[0]! & NAL_REF_IDC) !== 0
    } else {
      const type = h265NaluType(nalu)
      if (type < H265_NALU_TYPE.VPS) return type > LAST_NON_REFERENCE_TYPE || type % 2 === 1
    }
  }
  return true
}

/** The reason for which a track is refused when B-frames are, as its parameter sets announce some; else undefined. */
export function bframeProblem({ kind, codec, config }: Track): string | undefined {
  if (kind !== 'video') return undefined
  try {
    return reorderDepth(codec, config.record) > 0 ? `the stream has B-frames, which are refused: ${ADVICE}` : undefined
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

/** The number of pictures that may precede one that is shown earlier; 0 when the parameter sets do not contain it. */
function reorderDepth(codec: Track['codec'], record: Buffer): number {
  if (codec === 'h264') {
    const depths = parseAvcDecoderConfigurationRecord(record).sps.map(
      (sps) => parseH264Sps(sps).maxNumReorderFrames ?? 0,
    )
    return Math.max(0, ...depths)
  }
  if (codec !== 'h265') return 0
  const { arrays } = parseHevcDecoderConfigurationRecord(record)
  const sets = arrays.flatMap(({ type, nalus }) => (type === H265_NALU_TYPE.SPS ? nalus : []))
  return Math.max(0, ...sets.map((sps) => parseH265Sps(sps).maxNumReorderPics))
}
