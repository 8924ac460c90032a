import type { AccessUnit } from '../../access-unit.ts'
import { NalusToSend } from '../nalu/nalus-to-send.ts'
import { naluPayloads, type NaluPayloadHeaders } from '../nalu/payloads.ts'
import { H265_SYNTAX } from '../nalu/syntax.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'
import { H265_PAYLOAD_TYPE } from './payload-type.ts'

const HEADERS: NaluPayloadHeaders = {
  syntax: H265_SYNTAX,
  // F (1) is that of any; layer (6) and temporal id (3) are those of the lowest (RFC 7798 4.4.2).
  aggregation: (nalus) => {
    let forbidden = 0
    let layer = 0x3f
    let temporalId = 7
    for (const nalu of nalus) {
      const header = nalu.readUInt16BE(0)
      forbidden |= header & 0x8000
      layer = Math.min(layer, (header >> 3) & 0x3f)
      temporalId = Math.min(temporalId, header & 7)
    }
    return header(forbidden | (H265_PAYLOAD_TYPE.AP << 9) | (layer << 3) | temporalId)
  },
  fragment: (nalu, start, end) => {
    const first = nalu[0]!
    const flags = (start ? 0x80 : 0) | (end ? 0x40 : 0)
    return Buffer.from([(first & 0x81) | (H265_PAYLOAD_TYPE.FU << 1), nalu[1]!, flags | ((first >> 1) & 0x3f)])
  },
}

function header(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff])
}

/**
 * Writes H.265 (RFC 7798) without decoding order numbers: single NAL units, FU, and AP for what comes before slices. The
 * track's parameter sets go before each keyframe that has none of its own.
 */
export class H265Packetizer implements RtpPacketizer {
  readonly #maxPayloadBytes: number
  readonly #nalus = new NalusToSend(H265_SYNTAX)

  constructor(options: PacketizerOptions) {
    this.#maxPayloadBytes = checkMaxPayload(options)
  }

  packetize(unit: AccessUnit): readonly RtpPayload[] {
    return naluPayloads(HEADERS, this.#nalus.of(unit), this.#maxPayloadBytes)
  }
}
