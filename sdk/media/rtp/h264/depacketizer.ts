import { MalformedError } from '../../errors.ts'
import type { VideoConfig } from '../../track.ts'
import type { RtpDepacketizer, RtpFrame } from '../depacketizer.ts'
import type { RtpFormat } from '../format.ts'
import { PictureAssembler } from '../nalu/picture-assembler.ts'
import { parseSprop } from '../nalu/sprop.ts'
import { H264_SYNTAX } from '../nalu/syntax.ts'
import type { RtpPacket } from '../packet.ts'
import { H264_PAYLOAD_TYPE } from './payload-type.ts'

const INTERLEAVED = '2'
const INTERLEAVED_TYPES: ReadonlyMap<number, string> = new Map([
  [25, 'STAP-B'],
  [26, 'MTAP16'],
  [27, 'MTAP24'],
  [29, 'FU-B'],
])

/**
 * Reads H.264 as RFC 6184 has it without interleaving: single NAL units, STAP-A and FU-A. A picture that does not show by its
 * last packet that it is whole comes with the next one; see {@link PictureAssembler}.
 */
export class H264Depacketizer implements RtpDepacketizer {
  readonly codec = 'h264'
  readonly config: VideoConfig | undefined
  readonly #pictures: PictureAssembler
  readonly #read = (payload: Buffer): void => this.#readPayload(payload)

  /**
   * @param format `sprop-parameter-sets` that cannot be read are ignored.
   * @throws {MalformedError} when its packets are interleaved
   */
  constructor({ parameters }: Pick<RtpFormat, 'parameters'>) {
    if (parameters.get('packetization-mode')?.trim() === INTERLEAVED) {
      throw new MalformedError('H.264 packetization-mode 2 (interleaved) is not supported')
    }
    const known = parseSprop(H264_SYNTAX, parameters.get('sprop-parameter-sets'))
    this.config = known.config
    this.#pictures = new PictureAssembler(H264_SYNTAX, known)
  }

  push(packet: RtpPacket, follows: boolean): readonly RtpFrame[] {
    return this.#pictures.push(packet, follows, this.#read)
  }

  #readPayload(payload: Buffer): void {
    const type = payload[0]! & 0x1f
    if (type === H264_PAYLOAD_TYPE.FU_A) return this.#readFragment(payload)
    if (type === H264_PAYLOAD_TYPE.STAP_A) return this.#readAggregation(payload)
    const unsupported = INTERLEAVED_TYPES.get(type)
    if (unsupported !== undefined) throw new MalformedError(`${unsupported}, which only interleaved H.264 has`)
    this.#pictures.take(payload)
  }

  /** STAP-A (5.7.1): each NAL unit after its size, 16 bits. */
  #readAggregation(payload: Buffer): void {
    let offset = 1
    while (offset < payload.length) {
      const start = offset + 2
      const sizeBytes = start <= payload.length ? payload.readUInt16BE(offset) : 0
      const end = start + sizeBytes
      if (end > payload.length) {
        throw new MalformedError(`STAP-A with ${sizeBytes} bytes at byte ${start} of ${payload.length}`)
      }
      if (sizeBytes > 0) this.#pictures.take(payload.subarray(start, end))
      offset = end
    }
  }

  /** FU-A (5.8): F, NRI and 28 | start (1), end (1), 0 (1), type (5) | fragment. */
  #readFragment(payload: Buffer): void {
    if (payload.length < 2) throw new MalformedError('FU-A of 1 byte')
    const head = payload[1]!
    if ((head & 0x80) !== 0) this.#pictures.beginFragments(Buffer.from([(payload[0]! & 0xe0) | (head & 0x1f)]))
    this.#pictures.takeFragment(payload.subarray(2), (head & 0x40) !== 0)
  }
}
