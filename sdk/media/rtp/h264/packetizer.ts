import type { AccessUnit } from '../../access-unit.ts'
import { NalusToSend } from '../nalu/nalus-to-send.ts'
import { naluPayloads, type NaluPayloadHeaders } from '../nalu/payloads.ts'
import { H264_SYNTAX } from '../nalu/syntax.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'
import { H264_PAYLOAD_TYPE } from './payload-type.ts'

const HEADERS: NaluPayloadHeaders = {
  syntax: H264_SYNTAX,
  // F (1) is that of any, NRI (2) that of the highest (RFC 6184 5.7).
  aggregation: (nalus) => {
    let forbidden = 0
    let refIdc = 0
    for (const nalu of nalus) {
      forbidden |= nalu[0]! & 0x80
      refIdc = Math.max(refIdc, nalu[0]! & 0x60)
    }
    return Buffer.from([forbidden | refIdc | H264_PAYLOAD_TYPE.STAP_A])
  },
  fragment: (nalu, start, end) => {
    const flags = (start ? 0x80 : 0) | (end ? 0x40 : 0)
    return Buffer.from([(nalu[0]! & 0xe0) | H264_PAYLOAD_TYPE.FU_A, flags | (nalu[0]! & 0x1f)])
  },
}

/**
 * Writes H.264 in the non-interleaved mode (RFC 6184 6.3, `packetization-mode=1`): single NAL units, FU-A, and STAP-A for
 * what comes before slices. The track's parameter sets go before each keyframe that has none of its own.
 */
export class H264Packetizer implements RtpPacketizer {
  readonly #maxPayloadBytes: number
  readonly #nalus = new NalusToSend(H264_SYNTAX)

  constructor(options: PacketizerOptions) {
    this.#maxPayloadBytes = checkMaxPayload(options)
  }

  packetize(unit: AccessUnit): readonly RtpPayload[] {
    return naluPayloads(HEADERS, this.#nalus.of(unit), this.#maxPayloadBytes)
  }
}
