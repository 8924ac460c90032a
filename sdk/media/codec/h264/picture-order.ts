import { MAX_REORDER_DEPTH } from '../decoding-times.ts'
import { tryParse } from '../try-parse.ts'
import { parseH264SliceHeader, type H264SliceHeader } from './slice-header.ts'
import type { H264Sps } from './sps.ts'

/** The step between the order counts of frames that are shown one after the other, as nearly all encoders have it. */
const USUAL_STEP = 2

/**
 * Follows the order counts of frames (ISO/IEC 14496-10 8.2.1.1), for streams with an SPS that does not say how many frames
 * may come before one that is shown earlier: a frame that leaves room for others before it is followed by these.
 */
export class PictureOrder {
  readonly #sps: H264Sps
  readonly #lsbCount: number
  #step = USUAL_STEP
  /** The order count of the last frame that others may be predicted from. */
  #referenceCount = 0
  #referenceFrameNum = 0
  #highestCount = 0

  /** @param sps Of order counts of type 0. */
  constructor(sps: H264Sps) {
    this.#sps = sps
    this.#lsbCount = 2 ** sps.log2MaxPicOrderCntLsb
  }

  /**
   * Takes the first slice of the next picture. Returns how many frames will come, as far as it shows, before one that is
   * shown earlier; 0 where it shows nothing, as single fields do, and frames after one that was lost.
   */
  depthAt(slice: Buffer): number {
    const header = tryParse((nalu) => parseH264SliceHeader(nalu, this.#sps), slice)
    if (header === undefined || header.field) return 0
    const count = this.#countOf(header)
    if (count % USUAL_STEP !== 0) this.#step = 1
    const left = header.idr || this.#isAfterLoss(header) ? 0 : (count - this.#highestCount) / this.#step - 1
    this.#highestCount = header.idr ? count : Math.max(this.#highestCount, count)
    if (header.reference) {
      this.#referenceCount = count
      this.#referenceFrameNum = header.frameNum
    }
    // Each level of a pyramid halves the frames that are left.
    return left > 0 && left < MAX_REORDER_DEPTH ? Math.ceil(Math.log2(left + 1)) : 0
  }

  #countOf({ idr, picOrderCntLsb }: H264SliceHeader): number {
    if (idr) return picOrderCntLsb
    const near = this.#referenceCount - (this.#referenceCount % this.#lsbCount) + picOrderCntLsb
    if (near - this.#referenceCount > this.#lsbCount / 2) return near - this.#lsbCount
    return this.#referenceCount - near >= this.#lsbCount / 2 ? near + this.#lsbCount : near
  }

  // Frame numbers count the frames that others may be predicted from (7.4.3).
  #isAfterLoss({ frameNum }: H264SliceHeader): boolean {
    const next = (this.#referenceFrameNum + 1) % 2 ** this.#sps.log2MaxFrameNum
    return frameNum !== this.#referenceFrameNum && frameNum !== next
  }
}
