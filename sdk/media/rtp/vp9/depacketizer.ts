import { ByteReader } from '../../bits/byte-reader.ts'
import { vp9ConfigFromKeyframe } from '../../codec/vp9/config.ts'
import { parseVp9FrameHeader } from '../../codec/vp9/frame-header.ts'
import { MalformedError } from '../../errors.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import { FrameAssembler, type FrameTraits } from '../frame-assembler.ts'
import type { RtpPacket } from '../packet.ts'

const MAX_REFERENCES = 3

/**
 * Reads VP9 (RFC 9628) in the flexible and the non-flexible mode. Keyframes show the configuration. The spatial layers of a
 * picture follow each other in one frame, and the lowest one has its size.
 */
export class Vp9Depacketizer implements RtpDepacketizer {
  readonly codec = 'vp9'
  readonly config = undefined
  readonly #frames = new FrameAssembler(traitsOf)
  readonly #read = (payload: Buffer): void => this.#readPayload(payload)

  push(packet: RtpPacket, follows: boolean): readonly RtpFrame[] {
    return this.#frames.push(packet, follows, this.#read)
  }

  /**
   * The payload descriptor (4.2):
   *
   *     I | P | L | F | B | E | V | Z
   *     I: M | picture id (7 or 15)      L: TID (3) | U | SID (3) | D, and unless F: TL0PICIDX (8)
   *     F and P: up to three of P_DIFF (7) | N      V: scalability structure
   */
  #readPayload(payload: Buffer): void {
    const reader = new ByteReader(payload)
    const head = reader.readUint(1)
    const flexible = (head & 0x10) !== 0
    if ((head & 0x80) !== 0 && (reader.readUint(1) & 0x80) !== 0) reader.readUint(1)
    let spatialLayer = 0
    if ((head & 0x20) !== 0) {
      spatialLayer = (reader.readUint(1) >> 1) & 7
      if (!flexible) reader.readUint(1)
    }
    if (flexible && (head & 0x40) !== 0) skipReferences(reader)
    if ((head & 0x02) !== 0) skipScalabilityStructure(reader)
    if ((head & 0x08) !== 0 && spatialLayer === 0) this.#frames.begin()
    this.#frames.add(reader.readBytes(reader.bytesLeft))
    this.#frames.end((head & 0x04) !== 0)
  }
}

function skipReferences(reader: ByteReader): void {
  for (let count = 1; (reader.readUint(1) & 1) !== 0; count++) {
    if (count === MAX_REFERENCES)
      throw new MalformedError(`VP9 payload descriptor of more than ${MAX_REFERENCES} P_DIFF`)
  }
}

/**
 * 4.2.1:
 *
 *     N_S (3) | Y | G | R (3)      Y: N_S + 1 times width (16), height (16)
 *     G: N_G (8), as many times TID (3) | U | R (2) | R (2) and R times P_DIFF (8)
 */
function skipScalabilityStructure(reader: ByteReader): void {
  const head = reader.readUint(1)
  if ((head & 0x10) !== 0) reader.readBytes(4 * (1 + (head >> 5)))
  if ((head & 0x08) === 0) return
  for (let left = reader.readUint(1); left > 0; left--) reader.readBytes((reader.readUint(1) >> 2) & 3)
}

function traitsOf(frame: Buffer): FrameTraits {
  const header = parseVp9FrameHeader(frame)
  return { keyframe: header.keyframe, config: header.keyframe ? vp9ConfigFromKeyframe(header) : undefined }
}
