import type { VideoTrack } from '../../track.ts'
import { DecodingTimes } from '../decoding-times.ts'
import { tryParse } from '../try-parse.ts'
import { parseHevcDecoderConfigurationRecord } from './hevc-decoder-configuration-record.ts'
import { H265_NALU_TYPE, h265NaluType } from './nalu-type.ts'
import { parseH265Sps } from './sps.ts'

/**
 * Finds the decoding times of H.265 that comes with presentation times alone, as by RTP. The SPS states the number of
 * pictures that may come before one that is shown earlier (sps_max_num_reorder_pics, ISO/IEC 23008-2 7.4.3.2.1), and so the
 * time by which pictures are to be decoded before they are shown. Where it states too little, the first picture that comes
 * too late shows it: that picture alone gets a decoding time after its presentation time.
 */
export class H265DtsExtractor {
  readonly #times: DecodingTimes
  #sps: Buffer | undefined

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
    const arrays = tryParse(parseHevcDecoderConfigurationRecord, config.record)?.arrays ?? []
    for (const { nalus } of arrays) for (const nalu of nalus) this.#takeSps(nalu)
  }

  /**
   * Gives the decoding time of the next picture, in decoding order: not before that of the last one.
   * @param nalus All NAL units of the picture; an SPS among them counts from there on.
   * @param pts Its presentation time, which does not wrap around.
   */
  push(nalus: readonly Buffer[], pts: number): number {
    let closesOrder = false
    for (const nalu of nalus) {
      const type = h265NaluType(nalu)
      if (type === H265_NALU_TYPE.SPS) this.#takeSps(nalu)
      // Pictures that follow a CRA picture may be shown before it.
      else if (type >= H265_NALU_TYPE.BLA_W_LP && type <= H265_NALU_TYPE.IDR_N_LP) closesOrder = true
    }
    return this.#times.next(pts, closesOrder)
  }

  #takeSps(nalu: Buffer): void {
    if (h265NaluType(nalu) !== H265_NALU_TYPE.SPS || this.#sps?.equals(nalu) === true) return
    const sps = tryParse(parseH265Sps, nalu)
    if (sps === undefined) return
    this.#sps = Buffer.from(nalu)
    this.#times.configure(sps.maxNumReorderPics, sps.fps)
  }
}
