import { ByteReader } from '../../bits/byte-reader.ts'
import { vp8Config } from '../../codec/vp8/config.ts'
import { parseVp8FrameHeader } from '../../codec/vp8/frame-header.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import { FrameAssembler, type FrameTraits } from '../frame-assembler.ts'
import type { RtpPacket } from '../packet.ts'

/** Reads VP8 (RFC 7741). Keyframes show the configuration. */
export class Vp8Depacketizer implements RtpDepacketizer {
  readonly codec = 'vp8'
  readonly config = undefined
  readonly #frames = new FrameAssembler(traitsOf)
  readonly #read = (payload: Buffer): void => this.#readPayload(payload)

  push(packet: RtpPacket, follows: boolean): readonly RtpFrame[] {
    return this.#frames.push(packet, follows, this.#read)
  }

  /**
   * The payload descriptor (4.2):
   *
   *     X | R | N | S | R | PID (3)      X: I | L | T | K | R (4)
   *     I: M | picture id (7 or 15)      L: TL0PICIDX (8)      T or K: TID (2) | Y | KEYIDX (5)
   */
  #readPayload(payload: Buffer): void {
    const reader = new ByteReader(payload)
    const head = reader.readUint(1)
    if ((head & 0x80) !== 0) {
      const extension = reader.readUint(1)
      if ((extension & 0x80) !== 0 && (reader.readUint(1) & 0x80) !== 0) reader.readUint(1)
      if ((extension & 0x40) !== 0) reader.readUint(1)
      if ((extension & 0x30) !== 0) reader.readUint(1)
    }
    // S and partition 0: the frame starts.
    if ((head & 0x17) === 0x10) this.#frames.begin()
    this.#frames.add(reader.readBytes(reader.bytesLeft))
    this.#frames.end(true)
  }
}

function traitsOf(frame: Buffer): FrameTraits {
  const header = parseVp8FrameHeader(frame)
  return { keyframe: header.keyframe, config: header.keyframe ? vp8Config(header) : undefined }
}
