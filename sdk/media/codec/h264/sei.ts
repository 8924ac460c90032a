import { seiMessages, serializeSei, type SeiMessage } from '../sei.ts'

/** nal_unit_type 6 with nal_ref_idc 0, which it must have (ISO/IEC 14496-10 7.4.1). */
const HEADER = Buffer.from([0x06])

/** Makes an SEI NAL unit of H.264 of messages. @throws {RangeError} see `serializeSei` */
export function serializeH264Sei(messages: readonly SeiMessage[]): Buffer {
  return serializeSei(HEADER, messages)
}

/** The messages of an SEI NAL unit of H.264, as views. @throws {MalformedError} see `seiMessages` */
export function parseH264Sei(nalu: Buffer): SeiMessage[] {
  return [...seiMessages(nalu, HEADER.length)]
}
