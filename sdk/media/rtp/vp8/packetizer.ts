import type { AccessUnit } from '../../access-unit.ts'
import { fragmentPayloads } from '../fragment-payloads.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'

/** Payload descriptors without extensions (RFC 7741 4.2): they mark the start of partition 0 alone. */
const START = Buffer.from([0x10])
const MORE = Buffer.from([0])

/** Writes VP8 (RFC 7741), cut without regard to partitions. */
export class Vp8Packetizer implements RtpPacketizer {
  readonly #maxPayloadBytes: number

  constructor(options: PacketizerOptions) {
    this.#maxPayloadBytes = checkMaxPayload(options)
  }

  packetize(unit: AccessUnit): readonly RtpPayload[] {
    return fragmentPayloads(unit.data, this.#maxPayloadBytes, (start) => (start ? START : MORE))
  }
}
