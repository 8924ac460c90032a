/** Types of NAL units that the clip has, with their nal_ref_idc: the first byte. */
export const NALU_HEADER = { slice: 0x61, idr: 0x65, sps: 0x67, pps: 0x68 } as const

/** A NAL unit from its payload: adds the header, and emulation prevention (ISO/IEC 14496-10 7.3.1). */
export function serializeNalu(header: number, rbsp: Buffer): Buffer {
  const bytes = [header]
  let zeros = 0
  for (const byte of rbsp) {
    if (zeros === 2 && byte <= 3) {
      bytes.push(3)
      zeros = 0
    }
    bytes.push(byte)
    zeros = byte === 0 ? zeros + 1 : 0
  }
  return Buffer.from(bytes)
}
