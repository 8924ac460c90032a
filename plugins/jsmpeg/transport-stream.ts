/** The size of a packet (ISO 13818-1 2.4.3.2). */
const PACKET_BYTES = 188

/** Cuts a transport stream into pieces of whole packets, as a viewer may join at any of them. */
export class TransportStreamCutter {
  #rest: Buffer = Buffer.alloc(0)

  /** Returns the packets that are complete with these bytes; undefined when none is. */
  push(bytes: Buffer): Buffer | undefined {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const end = all.length - (all.length % PACKET_BYTES)
    this.#rest = all.subarray(end)
    return end === 0 ? undefined : all.subarray(0, end)
  }
}
