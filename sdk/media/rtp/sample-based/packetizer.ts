import type { AccessUnit } from '../../access-unit.ts'
import type { RtpPacketizer, RtpPayload } from '../packetizer.ts'
import { checkMaxPayload, type PacketizerOptions } from '../payload-size.ts'
import { bytesPerTick } from './encoding.ts'
import type { SampleBasedCodec } from './encoding.ts'

/** Sends G.711, G.722 and L16 (RFC 3551 4.3). Longer units are cut between samples, and the pieces have later times. */
export class SampleBasedPacketizer implements RtpPacketizer {
  readonly #bytesPerTick: number
  readonly #ticksPerPayload: number

  constructor(options: PacketizerOptions & { readonly codec: SampleBasedCodec; readonly channels: number }) {
    this.#bytesPerTick = bytesPerTick(options.codec, options.channels)
    this.#ticksPerPayload = Math.max(1, Math.floor(checkMaxPayload(options) / this.#bytesPerTick))
  }

  packetize({ data }: AccessUnit): RtpPayload[] {
    const payloads: RtpPayload[] = []
    for (let offsetTicks = 0; ; offsetTicks += this.#ticksPerPayload) {
      const start = offsetTicks * this.#bytesPerTick
      if (start >= data.length) return payloads
      const part = data.subarray(start, start + this.#ticksPerPayload * this.#bytesPerTick)
      // The marker is for the first packet after silence (RFC 3551 4.1), which units do not show.
      payloads.push({ parts: [part], sizeBytes: part.length, marker: false, offsetTicks })
    }
  }
}
