import type { RtpFraming } from 'sluice/sdk/media'
import { INTERLEAVED_HEADER_SIZE_BYTES, writeInterleavedHeader } from '../wire/message/interleaved.ts'

/** Interleaved frames of one channel. */
export class InterleavedFraming implements RtpFraming {
  readonly sizeBytes = INTERLEAVED_HEADER_SIZE_BYTES
  readonly #channel: number

  constructor(channel: number) {
    this.#channel = channel
  }

  write(bytes: Buffer, offset: number, packetSizeBytes: number): void {
    writeInterleavedHeader(bytes, offset, this.#channel, packetSizeBytes)
  }
}

/** A packet as an interleaved frame. */
export function serializeInterleaved(channel: number, packet: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(INTERLEAVED_HEADER_SIZE_BYTES + packet.length)
  writeInterleavedHeader(bytes, 0, channel, packet.length)
  packet.copy(bytes, INTERLEAVED_HEADER_SIZE_BYTES)
  return bytes
}
