import type { AccessUnit } from '../../access-unit.ts'
import { MalformedError } from '../../errors.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'

/** AU-headers-length, and one header: size (13) and index (3) (RFC 3640 3.3.6). */
const HEADER_SIZE_BYTES = 4
const AU_HEADER_BITS = 16
const INDEX_BITS = 3
const MAX_ACCESS_UNIT_SIZE_BYTES = 0x1fff

/**
 * Sends AAC as `mpeg4-generic` in the mode AAC-hbr (RFC 3640 3.3.6): `sizelength=13;indexlength=3;indexdeltalength=3`. A
 * payload holds one access unit or, where that is too long, a piece of it.
 */
export class AacPacketizer implements RtpPacketizer {
  readonly #maxDataBytes: number

  constructor(options: PacketizerOptions) {
    this.#maxDataBytes = checkMaxPayload(options) - HEADER_SIZE_BYTES
  }

  /** @throws {MalformedError} for an access unit that is longer than a header can say, 8191 bytes */
  packetize({ data }: AccessUnit): RtpPayload[] {
    if (data.length > MAX_ACCESS_UNIT_SIZE_BYTES) {
      throw new MalformedError(`AAC access unit of ${data.length} bytes is longer than ${MAX_ACCESS_UNIT_SIZE_BYTES}`)
    }
    if (data.length === 0) return []
    // All pieces have the size of the whole before them.
    const header = Buffer.allocUnsafe(HEADER_SIZE_BYTES)
    header.writeUInt16BE(AU_HEADER_BITS, 0)
    header.writeUInt16BE(data.length << INDEX_BITS, 2)
    const payloads: RtpPayload[] = []
    for (let offset = 0; offset < data.length; offset += this.#maxDataBytes) {
      const part = data.subarray(offset, offset + this.#maxDataBytes)
      const marker = offset + part.length === data.length
      payloads.push({ parts: [header, part], sizeBytes: HEADER_SIZE_BYTES + part.length, marker })
    }
    return payloads
  }
}
