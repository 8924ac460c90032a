import { seiMessages, serializeSei, type SeiMessage } from '../sei.ts'
import { H265_NALU_TYPE } from './nalu-type.ts'

const HEADER_SIZE_BYTES = 2

/**
 * Makes a prefix SEI NAL unit of H.265 of messages.
 * @param temporalIdPlus1 nuh_temporal_id_plus1 of the picture it goes before, as its TemporalId may not be below that of the
 *   picture (ISO/IEC 23008-2 7.4.2.2): the low three bits of the second byte of the picture's slices
 * @throws {RangeError} see `serializeSei`
 */
export function serializeH265Sei(messages: readonly SeiMessage[], temporalIdPlus1 = 1): Buffer {
  return serializeSei(Buffer.from([H265_NALU_TYPE.PREFIX_SEI << 1, temporalIdPlus1 & 0x07]), messages)
}

/** The messages of a prefix or suffix SEI NAL unit of H.265, as views. @throws {MalformedError} see `seiMessages` */
export function parseH265Sei(nalu: Buffer): SeiMessage[] {
  return [...seiMessages(nalu, HEADER_SIZE_BYTES)]
}
