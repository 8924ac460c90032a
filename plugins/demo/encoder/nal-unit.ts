import { insertEmulationPrevention, type BitWriter } from 'sluice/sdk/media'

/** The first bytes of the NAL units that are written here: their type and nal_ref_idc. */
export const NALU_HEADER = { slice: 0x61, idr: 0x65, sps: 0x67, pps: 0x68 } as const

/** Ends a payload with its stop bit, and makes it a NAL unit (ISO/IEC 14496-10 7.3.1). */
export function serializeNalu(header: number, payload: BitWriter): Buffer {
  payload.writeFlag(true)
  return insertEmulationPrevention(Buffer.concat([Buffer.of(header), payload.toBuffer()]))
}
