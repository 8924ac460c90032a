import { parseAvcDecoderConfigurationRecord } from '../../codec/h264/avc-decoder-configuration-record.ts'
import { H264_FRAMING_TYPES, H264_NALU_TYPE, h264NaluType, isH264RandomAccess } from '../../codec/h264/nalu-type.ts'
import { parseHevcDecoderConfigurationRecord } from '../../codec/h265/hevc-decoder-configuration-record.ts'
import { H265_FRAMING_TYPES, H265_NALU_TYPE, h265NaluType, isH265RandomAccess } from '../../codec/h265/nalu-type.ts'

/** The syntax of a codec's NAL units, as far as RTP needs it. */
export type NaluSyntax = {
  readonly codec: 'h264' | 'h265'
  readonly headerSizeBytes: number
  readonly spsType: number
  readonly typeOf: (nalu: Buffer) => number
  /** Returns true when a type has a place in access units: no framing, and no type that payload structures use for themselves. */
  readonly isCarried: (type: number) => boolean
  /** Returns true for a type of coded slices, without which there is no picture. */
  readonly isSlice: (type: number) => boolean
  /** Returns true when a slice is the first of its picture. */
  readonly isFirstSlice: (slice: Buffer) => boolean
  readonly isRandomAccess: (nalus: readonly Buffer[]) => boolean
  /** The parameter sets of a configuration record. @throws {MalformedError} when it is broken. */
  readonly parameterSetsOf: (record: Buffer) => Buffer[]
}

/** Types from 24 on are payload structures (RFC 6184 5.2). */
export const H264_SYNTAX: NaluSyntax = {
  codec: 'h264',
  headerSizeBytes: 1,
  spsType: H264_NALU_TYPE.SPS,
  typeOf: h264NaluType,
  isCarried: (type) => type > 0 && type < 24 && !H264_FRAMING_TYPES.has(type),
  isSlice: (type) => type >= H264_NALU_TYPE.SLICE && type <= H264_NALU_TYPE.IDR,
  // first_mb_in_slice is ue(v): a 1 is 0.
  isFirstSlice: (slice) => ((slice[1] ?? 0) & 0x80) !== 0,
  isRandomAccess: isH264RandomAccess,
  parameterSetsOf: (record) => {
    const { sps, pps } = parseAvcDecoderConfigurationRecord(record)
    return [...sps, ...pps]
  },
}

/** Types from 48 on are payload structures (RFC 7798 4.4). */
export const H265_SYNTAX: NaluSyntax = {
  codec: 'h265',
  headerSizeBytes: 2,
  spsType: H265_NALU_TYPE.SPS,
  typeOf: h265NaluType,
  isCarried: (type) => type < 48 && !H265_FRAMING_TYPES.has(type),
  isSlice: (type) => type < H265_NALU_TYPE.VPS,
  // first_slice_segment_in_pic_flag
  isFirstSlice: (slice) => ((slice[2] ?? 0) & 0x80) !== 0,
  isRandomAccess: isH265RandomAccess,
  parameterSetsOf: (record) => {
    const { arrays } = parseHevcDecoderConfigurationRecord(record)
    const types = [H265_NALU_TYPE.VPS, H265_NALU_TYPE.SPS, H265_NALU_TYPE.PPS]
    return types.flatMap((type) => arrays.filter((array) => array.type === type).flatMap(({ nalus }) => nalus))
  },
}
