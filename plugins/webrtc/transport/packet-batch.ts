import { createPacketArena, type PacketArena } from 'sluice/sdk'
import type { SrtpSender } from '../srtp/srtp-context.ts'

/** Sends a run of packets, all of `packetBytes` but the last. */
export type RunTarget = (bytes: Buffer, packetBytes: number) => void

/** The most bytes of a run, so that the system sends it by one call, too: 64 kB of payload (UDP_SEGMENT). */
const MAX_RUN_BYTES = 60_000
/** The largest packet, a datagram in a jumbo frame. */
const MAX_PACKET_BYTES = 9000

/** The bytes in which packets of all sessions are encrypted, and the batch that owns them at the moment. */
export class SharedArena {
  readonly packets: PacketArena = createPacketArena(MAX_RUN_BYTES + MAX_PACKET_BYTES)
  owner: PacketBatch | undefined
}

/** Gathers the packets of one session that leave by few calls: runs of the same size, which may end in a shorter one. */
export class PacketBatch {
  readonly #arena: SharedArena
  readonly #srtp: SrtpSender
  readonly #target: RunTarget
  /** The end of the run, and the size of its first packet; 0 when there is none. */
  #end = 0
  #packetBytes = 0
  sentBytes = 0

  constructor(arena: SharedArena, srtp: SrtpSender, target: RunTarget) {
    this.#arena = arena
    this.#srtp = srtp
    this.#target = target
  }

  write(header: Uint8Array, headerSizeBytes: number, payload: Uint8Array): void {
    const clearBytes = headerSizeBytes + payload.length
    if (clearBytes + this.#srtp.overheadBytes > MAX_PACKET_BYTES) return
    if (this.#arena.owner !== this) this.#take()
    const { bytes } = this.#arena.packets
    const offset = this.#end
    for (let index = 0; index < headerSizeBytes; index += 1) bytes[offset + index] = header[index]!
    bytes.set(payload, offset + headerSizeBytes)
    const sizeBytes = this.#srtp.protectRtp(this.#arena.packets, offset, headerSizeBytes, clearBytes)
    if (sizeBytes === 0) return
    this.sentBytes += sizeBytes
    // A larger packet begins the next run, which is moved to the front.
    if (offset > 0 && sizeBytes > this.#packetBytes) {
      this.flush()
      bytes.copyWithin(0, offset, offset + sizeBytes)
    }
    this.#packetBytes ||= sizeBytes
    this.#end += sizeBytes
    if (sizeBytes < this.#packetBytes || this.#end >= MAX_RUN_BYTES) this.flush()
  }

  flush(): void {
    if (this.#end === 0) return
    const run = this.#arena.packets.bytes.subarray(0, this.#end)
    const packetBytes = this.#packetBytes
    this.#end = 0
    this.#packetBytes = 0
    this.#srtp.finishRtp()
    this.#target(run, packetBytes)
  }

  /** Drops the packets that were not sent. */
  close(): void {
    this.#end = 0
    if (this.#arena.owner === this) this.#arena.owner = undefined
  }

  /** Takes the arena, after the packets that another session has left there were sent. */
  #take(): void {
    this.#arena.owner?.flush()
    this.#arena.owner = this
  }
}
