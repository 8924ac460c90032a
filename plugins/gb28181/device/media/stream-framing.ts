import type { Quirks } from '../quirks.ts'

const EHOME_HEADER_SIZE_BYTES = 256
const DOLLAR = 0x24
/** The bytes that are left of a packet which another one has overwritten. */
const BROKEN_SIZE_BYTES = 100

/** Writes packets into a byte stream: each behind its length (RFC 4571 2), with the quirks of a device. */
export class StreamFraming {
  readonly #isInterleaved: boolean
  readonly #breaksAfter: number | undefined
  #hasHeader: boolean
  #count = 0

  constructor(quirks: Quirks) {
    this.#isInterleaved = quirks.has('dollar-framing')
    this.#breaksAfter = quirks.numberOf('broken-framing')
    this.#hasHeader = !quirks.has('ehome')
  }

  /** The bytes of packets. */
  frame(packets: readonly Buffer[]): Buffer {
    const parts: Buffer[] = []
    if (!this.#hasHeader) parts.push(ehomeHeader())
    this.#hasHeader = true
    for (const packet of packets) {
      this.#count += 1
      const head = this.#isInterleaved ? Buffer.of(DOLLAR, 0, 0, 0) : Buffer.alloc(2)
      head.writeUInt16BE(packet.length, head.length - 2)
      parts.push(head, this.#count === this.#breaksAfter ? packet.subarray(0, BROKEN_SIZE_BYTES) : packet)
    }
    return Buffer.concat(parts)
  }
}

/** The header that recorders of Hikvision begin a connection with: 01 00, then a type that no length is. */
function ehomeHeader(): Buffer {
  const header = Buffer.alloc(EHOME_HEADER_SIZE_BYTES)
  header.set([1, 0, 1, 0])
  return header
}
