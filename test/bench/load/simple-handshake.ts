/** C1, S1, C2 and S2 (RTMP 1.0 §5.2). */
const PACKET_SIZE_BYTES = 1536
const VERSION = 3

/**
 * A client's side of the handshake as RTMP 1.0 §5.2 has it, without digests, so that the time a server needs to let
 * viewers in is not spent on making them.
 */
export class SimpleHandshake {
  #received: Buffer = Buffer.alloc(0)

  /** C0 and C1. */
  start(): Buffer {
    const bytes = Buffer.alloc(1 + PACKET_SIZE_BYTES)
    bytes[0] = VERSION
    return bytes
  }

  /** Takes what the server says; gives C2 and what lies behind the handshake, when it is done. */
  push(bytes: Buffer): { readonly reply: Buffer; readonly rest: Buffer } | undefined {
    this.#received = Buffer.concat([this.#received, bytes])
    const end = 1 + 2 * PACKET_SIZE_BYTES
    if (this.#received.length < end) return undefined
    return { reply: this.#received.subarray(1, 1 + PACKET_SIZE_BYTES), rest: this.#received.subarray(end) }
  }
}
