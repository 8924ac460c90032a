import { RTP_HEADER_SIZE_BYTES, writeRtpHeader } from 'sluice/sdk/media'
import type { Quirks } from '../quirks.ts'

/** The largest packet: GB/T 28181 goes over networks with a payload of 1,400 bytes in an Ethernet frame. */
export const MAX_PACKET_SIZE_BYTES = 1400

const MAX_DATA_SIZE_BYTES = MAX_PACKET_SIZE_BYTES - RTP_HEADER_SIZE_BYTES
const REORDER_EVERY = 10

/** The bytes that go into packets together. */
export type RtpPayloadInit = {
  readonly payloadType: number
  /** In ticks of 90 kHz, or 8 kHz of G.711 alone. */
  readonly timestamp: number
  /** True when the last packet ends a picture. */
  readonly marker: boolean
}

/** Cuts payloads into packets of RTP (RFC 3550 5.1) of one source, with the quirks of a device. */
export class RtpStream {
  readonly #ssrc: number
  readonly #loseEvery: number | undefined
  readonly #isReordering: boolean
  #sequenceNumber = 0
  #count = 0
  /** A packet that the next one goes before. */
  #late: Buffer | undefined

  constructor(ssrc: number, quirks: Quirks) {
    this.#ssrc = ssrc
    this.#loseEvery = quirks.numberOf('lose')
    this.#isReordering = quirks.has('reorder')
  }

  /** The packets of a payload, of which a quirk may have left out some. */
  packets(payload: Buffer, { payloadType, timestamp, marker }: RtpPayloadInit): Buffer[] {
    const packets: Buffer[] = []
    for (let at = 0; at < payload.length; at += MAX_DATA_SIZE_BYTES) {
      const data = payload.subarray(at, at + MAX_DATA_SIZE_BYTES)
      const isLast = at + MAX_DATA_SIZE_BYTES >= payload.length
      const packet = Buffer.allocUnsafe(RTP_HEADER_SIZE_BYTES + data.length)
      const sequenceNumber = this.#sequenceNumber
      this.#sequenceNumber = (sequenceNumber + 1) & 0xffff
      const time = ((timestamp % 2 ** 32) + 2 ** 32) % 2 ** 32
      writeRtpHeader(packet, 0, {
        payloadType,
        marker: marker && isLast,
        sequenceNumber,
        timestamp: time,
        ssrc: this.#ssrc,
      })
      data.copy(packet, RTP_HEADER_SIZE_BYTES)
      packets.push(...this.#onItsWay(packet))
    }
    return packets
  }

  #onItsWay(packet: Buffer): Buffer[] {
    this.#count += 1
    if (this.#loseEvery !== undefined && this.#count % this.#loseEvery === 0) return []
    if (!this.#isReordering) return [packet]
    if (this.#count % REORDER_EVERY === 0) {
      this.#late = packet
      return []
    }
    const both = this.#late === undefined ? [packet] : [packet, this.#late]
    this.#late = undefined
    return both
  }
}
