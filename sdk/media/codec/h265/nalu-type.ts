/** NAL unit types that matter outside a decoder (ISO/IEC 23008-2 table 7-1). */
export const H265_NALU_TYPE = {
  BLA_W_LP: 16,
  IDR_W_RADL: 19,
  IDR_N_LP: 20,
  CRA: 21,
  RESERVED_IRAP_23: 23,
  VPS: 32,
  SPS: 33,
  PPS: 34,
  ACCESS_UNIT_DELIMITER: 35,
  END_OF_SEQUENCE: 36,
  END_OF_STREAM: 37,
  FILLER: 38,
  PREFIX_SEI: 39,
  SUFFIX_SEI: 40,
} as const

/** Types of NAL units that a byte stream needs and access units do not have. */
export const H265_FRAMING_TYPES: ReadonlySet<number> = new Set([
  H265_NALU_TYPE.ACCESS_UNIT_DELIMITER,
  H265_NALU_TYPE.END_OF_SEQUENCE,
  H265_NALU_TYPE.END_OF_STREAM,
  H265_NALU_TYPE.FILLER,
])

/** The type of a NAL unit; 63, which is unspecified, for an empty one. */
export function h265NaluType(nalu: Buffer): number {
  return ((nalu[0] ?? 0xff) >> 1) & 0x3f
}

/** Returns true when a decoder can start at this access unit: it has an intra random access point picture (3.61, types 16–23). */
export function isH265RandomAccess(nalus: readonly Buffer[]): boolean {
  return nalus.some((nalu) => {
    const type = h265NaluType(nalu)
    return type >= H265_NALU_TYPE.BLA_W_LP && type <= H265_NALU_TYPE.RESERVED_IRAP_23
  })
}
