import type { VideoTrack } from '../../track.ts'
import { DecodingTimes } from '../decoding-times.ts'
import { tryParse } from '../try-parse.ts'
import { parseAvcDecoderConfigurationRecord } from './avc-decoder-configuration-record.ts'
import { H264_NALU_TYPE, h264NaluType } from './nalu-type.ts'
import { PictureOrder } from './picture-order.ts'
import { parseH264Sps, type H264Sps } from './sps.ts'

/** Profiles of which an SPS with constraint_set3_flag has keyframes alone (ISO/IEC 14496-10 E.2.1). */
const INTRA_PROFILES = new Set([44, 86, 100, 110, 122, 244])
const CONSTRAINT_SET_3 = 0x10

/**
 * Finds the decoding times of H.264 that comes with presentation times alone, as by RTP. The SPS states the number of
 * pictures that may come before one that is shown earlier, and so the time by which pictures are to be decoded before they
 * are shown; without that, the order counts of the slices show it. Where both state too little, the first picture that comes
 * too late shows it: that picture alone gets a decoding time after its presentation time. Order counts of type 1 and those of
 * single fields are not read.
 */
export class H264DtsExtractor {
  readonly #times: DecodingTimes
  #sps: Buffer | undefined
  /** The order counts, where the SPS does not state the order of pictures. */
  #order: PictureOrder | undefined

  /** @param track Its times are those that `push` takes and gives; its configuration has the SPS. */
  constructor(track: Pick<VideoTrack, 'timescale' | 'config'>) {
    this.#times = new DecodingTimes(track.timescale)
    this.configure(track)
  }

  /** The number of pictures that come before one that is shown earlier, as far as is known. */
  get reorderDepth(): number {
    return this.#times.depth
  }

  /** Takes the SPS of another configuration. */
  configure({ config }: Pick<VideoTrack, 'config'>): void {
    for (const nalu of tryParse(parseAvcDecoderConfigurationRecord, config.record)?.sps ?? []) this.#takeSps(nalu)
  }

  /**
   * Gives the decoding time of the next picture, in decoding order: not before that of the last one.
   * @param nalus All NAL units of the picture; an SPS among them counts from there on.
   * @param pts Its presentation time, which does not wrap around.
   */
  push(nalus: readonly Buffer[], pts: number): number {
    let slice: Buffer | undefined
    let closesOrder = false
    for (const nalu of nalus) {
      const type = h264NaluType(nalu)
      if (type === H264_NALU_TYPE.SPS) this.#takeSps(nalu)
      else if (type === H264_NALU_TYPE.IDR) closesOrder = true
      if (type === H264_NALU_TYPE.IDR || type === H264_NALU_TYPE.SLICE) slice ??= nalu
    }
    if (slice !== undefined && this.#order !== undefined) this.#times.expect(this.#order.depthAt(slice))
    return this.#times.next(pts, closesOrder)
  }

  #takeSps(nalu: Buffer): void {
    if (this.#sps?.equals(nalu) === true) return
    const sps = tryParse(parseH264Sps, nalu)
    if (sps === undefined) return
    this.#sps = Buffer.from(nalu)
    const depth = statedDepth(sps)
    this.#order = depth === undefined && sps.picOrderCntType === 0 ? new PictureOrder(sps) : undefined
    this.#times.configure(depth ?? 0, sps.fps)
  }
}

function statedDepth(sps: H264Sps): number | undefined {
  if (sps.picOrderCntType === 2) return 0
  if (sps.maxNumReorderFrames !== undefined) return sps.maxNumReorderFrames
  return INTRA_PROFILES.has(sps.profileIdc) && (sps.constraintFlags & CONSTRAINT_SET_3) !== 0 ? 0 : undefined
}
