import type { AccessUnit } from '../../access-unit.ts'
import { MalformedError } from '../../errors.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'

/** Zeros (16) and the place of the payload within its frame (16) (RFC 2250 3.5). */
const HEADER_SIZE_BYTES = 4
const OFFSET_AT = 2
const MAX_UNIT_SIZE_BYTES = 0xffff

/** Sends MPEG audio of all layers as `MPA` (RFC 2250 3.5), the payload type 14 of 90 kHz: a frame or a piece of one a payload. */
export class MpaPacketizer implements RtpPacketizer {
  readonly #maxDataBytes: number

  constructor(options: PacketizerOptions) {
    this.#maxDataBytes = checkMaxPayload(options) - HEADER_SIZE_BYTES
  }

  /** @throws {MalformedError} for a unit that is longer than any frame can be */
  packetize({ data }: AccessUnit): RtpPayload[] {
    if (data.length > MAX_UNIT_SIZE_BYTES) throw new MalformedError(`frame of MPEG audio of ${data.length} bytes`)
    const payloads: RtpPayload[] = []
    for (let offset = 0; offset < data.length; offset += this.#maxDataBytes) {
      const header = Buffer.alloc(HEADER_SIZE_BYTES)
      header.writeUInt16BE(offset, OFFSET_AT)
      const part = data.subarray(offset, offset + this.#maxDataBytes)
      payloads.push({ parts: [header, part], sizeBytes: HEADER_SIZE_BYTES + part.length, marker: false })
    }
    return payloads
  }
}
