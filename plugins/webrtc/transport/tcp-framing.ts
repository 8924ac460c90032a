/** The frames of a stream (RFC 4571): two bytes of length, then the packet. Those of ICE over TCP have no larger ones than UDP. */
export const MAX_FRAME_BYTES = 8192

const LENGTH_BYTES = 2

/** Cuts a stream into frames, however the bytes come. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  /**
   * Calls `onFrame` with each frame that is complete; empty ones are left out.
   * @returns false when the peer announces more than {@link MAX_FRAME_BYTES}, whereupon the connection is of no use
   */
  read(bytes: Buffer, onFrame: (frame: Buffer) => void): boolean {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let offset = 0
    while (all.length - offset >= LENGTH_BYTES) {
      const sizeBytes = all.readUInt16BE(offset)
      if (sizeBytes > MAX_FRAME_BYTES) return false
      const end = offset + LENGTH_BYTES + sizeBytes
      if (end > all.length) break
      if (sizeBytes > 0) onFrame(all.subarray(offset + LENGTH_BYTES, end))
      offset = end
    }
    this.#rest = all.subarray(offset)
    return true
  }
}

/** Puts packets into one run of bytes. */
export function serializeFrames(packets: readonly Buffer[]): Buffer {
  const parts: Buffer[] = []
  for (const packet of packets) {
    const length = Buffer.allocUnsafe(LENGTH_BYTES)
    length.writeUInt16BE(packet.length)
    parts.push(length, packet)
  }
  return Buffer.concat(parts)
}
