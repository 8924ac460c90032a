import { MalformedError } from '../../errors.ts'
import { h265NaluType } from '../../codec/h265/nalu-type.ts'
import type { VideoConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import { PictureAssembler } from '../nalu/picture-assembler.ts'
import { parseSprop } from '../nalu/sprop.ts'
import { H265_SYNTAX } from '../nalu/syntax.ts'
import type { RtpPacket } from '../packet.ts'
import { H265_PAYLOAD_TYPE } from './payload-type.ts'

const HEADER_SIZE_BYTES = 2
const DONL_SIZE_BYTES = 2
const DOND_SIZE_BYTES = 1
const SIZE_FIELD_BYTES = 2

/**
 * Reads H.265 (RFC 7798): single NAL units, AP and FU. Decoding order numbers are skipped: NAL units are taken in the order
 * of their packets. A picture that does not show by its last packet that it is whole comes with the next one; see
 * {@link PictureAssembler}.
 */
export class H265Depacketizer implements RtpDepacketizer {
  readonly codec = 'h265'
  readonly config: VideoConfig | undefined
  readonly #pictures: PictureAssembler
  readonly #hasOrderNumbers: boolean
  readonly #read = (payload: Buffer): void => this.#readPayload(payload)

  /** @param format `sprop-vps`, `sprop-sps` and `sprop-pps` that cannot be read are ignored. */
  constructor({ parameters }: Pick<RtpFormat, 'parameters'>) {
    const sprop = ['sprop-vps', 'sprop-sps', 'sprop-pps'].map((name) => parameters.get(name) ?? '')
    const known = parseSprop(H265_SYNTAX, sprop.join(','))
    this.config = known.config
    this.#hasOrderNumbers = Number(parameters.get('sprop-max-don-diff')) > 0
    this.#pictures = new PictureAssembler(H265_SYNTAX, known)
  }

  push(packet: RtpPacket, follows: boolean): readonly RtpFrame[] {
    return this.#pictures.push(packet, follows, this.#read)
  }

  #readPayload(payload: Buffer): void {
    if (payload.length < HEADER_SIZE_BYTES) throw new MalformedError(`H.265 payload of ${payload.length} bytes`)
    const type = h265NaluType(payload)
    if (type === H265_PAYLOAD_TYPE.FU) return this.#readFragment(payload)
    if (type === H265_PAYLOAD_TYPE.AP) return this.#readAggregation(payload)
    if (type === H265_PAYLOAD_TYPE.PACI) throw new MalformedError('PACI, which is not supported')
    this.#pictures.take(this.#hasOrderNumbers ? withoutOrderNumber(payload) : payload)
  }

  /** AP (4.4.2): each NAL unit after its size, 16 bits; with order numbers, DONL (16) before the first size, DOND (8) else. */
  #readAggregation(payload: Buffer): void {
    let offset = HEADER_SIZE_BYTES
    while (offset < payload.length) {
      const start = offset + this.#orderNumberSize(offset === HEADER_SIZE_BYTES) + SIZE_FIELD_BYTES
      const sizeBytes = start <= payload.length ? payload.readUInt16BE(start - SIZE_FIELD_BYTES) : 0
      const end = start + sizeBytes
      if (end > payload.length) {
        throw new MalformedError(`AP with ${sizeBytes} bytes at byte ${start} of ${payload.length}`)
      }
      if (sizeBytes > 0) this.#pictures.take(payload.subarray(start, end))
      offset = end
    }
  }

  /** FU (4.4.3): header with type 49 | start (1), end (1), type (6) | with order numbers, DONL (16) at the start | fragment. */
  #readFragment(payload: Buffer): void {
    const head = payload[HEADER_SIZE_BYTES] ?? 0
    const begins = (head & 0x80) !== 0
    const from = HEADER_SIZE_BYTES + 1 + (begins ? this.#orderNumberSize(true) : 0)
    if (payload.length < from) throw new MalformedError(`FU of ${payload.length} bytes`)
    if (begins) this.#pictures.beginFragments(Buffer.from([(payload[0]! & 0x81) | ((head & 0x3f) << 1), payload[1]!]))
    this.#pictures.takeFragment(payload.subarray(from), (head & 0x40) !== 0)
  }

  #orderNumberSize(first: boolean): number {
    if (!this.#hasOrderNumbers) return 0
    return first ? DONL_SIZE_BYTES : DOND_SIZE_BYTES
  }
}

/** A single NAL unit has it after its header (4.4.1). */
function withoutOrderNumber(payload: Buffer): Buffer {
  const header = payload.subarray(0, HEADER_SIZE_BYTES)
  return Buffer.concat([header, payload.subarray(HEADER_SIZE_BYTES + DONL_SIZE_BYTES)])
}
