import type { AccessUnit } from '../../access-unit.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'
import { AC3_FRAME_TYPE, AC3_HEADER_SIZE_BYTES, splitAc3Frames } from './frames.ts'
import type { Ac3Codec } from './frames.ts'

/** Sends AC-3 (RFC 4184) and E-AC-3 (RFC 4598): the frames of a unit in one payload or else frame by frame, or pieces of one. */
export class Ac3Packetizer implements RtpPacketizer {
  readonly #codec: Ac3Codec
  readonly #maxDataBytes: number

  constructor(options: PacketizerOptions & { readonly codec: Ac3Codec }) {
    this.#codec = options.codec
    this.#maxDataBytes = checkMaxPayload(options) - AC3_HEADER_SIZE_BYTES
  }

  /** @throws {MalformedError} for a unit that is not made of frames */
  packetize({ data }: AccessUnit): RtpPayload[] {
    const frames = splitAc3Frames(data)
    if (frames.length === 0) return []
    if (data.length <= this.#maxDataBytes) return [payloadOf(AC3_FRAME_TYPE.WHOLE, frames.length, data, true)]
    return frames.flatMap((frame) => this.#cut(frame.data))
  }

  #cut(frame: Buffer): RtpPayload[] {
    const count = Math.ceil(frame.length / this.#maxDataBytes)
    if (count === 1) return [payloadOf(AC3_FRAME_TYPE.WHOLE, 1, frame, true)]
    const payloads: RtpPayload[] = []
    for (let offset = 0; offset < frame.length; offset += this.#maxDataBytes) {
      const part = frame.subarray(offset, offset + this.#maxDataBytes)
      const marker = offset + part.length === frame.length
      payloads.push(payloadOf(this.#typeOf(offset, part, frame), count, part, marker))
    }
    return payloads
  }

  #typeOf(offset: number, part: Buffer, frame: Buffer): number {
    // All pieces of E-AC-3 are of this type.
    if (this.#codec === 'eac3') return AC3_FRAME_TYPE.START_OF_FIVE_EIGHTHS
    if (offset > 0) return AC3_FRAME_TYPE.OTHER
    return part.length * 8 >= frame.length * 5 ? AC3_FRAME_TYPE.START_OF_FIVE_EIGHTHS : AC3_FRAME_TYPE.START
  }
}

function payloadOf(type: number, count: number, data: Buffer, marker: boolean): RtpPayload {
  return { parts: [Buffer.of(type, count), data], sizeBytes: AC3_HEADER_SIZE_BYTES + data.length, marker }
}
