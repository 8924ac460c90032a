import type { AccessUnit } from '../../access-unit.ts'
import { fragmentPayloads } from '../fragment-payloads.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'

const PREDICTED = 0x40
const BEGIN = 0x08
const END = 0x04

/** Writes VP9 in the non-flexible mode (RFC 9628 4.2), without picture ids, layers and scalability structure. */
export class Vp9Packetizer implements RtpPacketizer {
  readonly #maxPayloadBytes: number

  constructor(options: PacketizerOptions) {
    this.#maxPayloadBytes = checkMaxPayload(options)
  }

  packetize({ keyframe, data }: AccessUnit): readonly RtpPayload[] {
    const flags = keyframe ? 0 : PREDICTED
    return fragmentPayloads(data, this.#maxPayloadBytes, (start, end) => {
      return Buffer.from([flags | (start ? BEGIN : 0) | (end ? END : 0)])
    })
  }
}
