import { createPacketArena, type PacketArena } from 'sluice/sdk'
import type { SrtpSender } from '../srtp/srtp-context.ts'

/** Where runs of packets go. */
export type RunTarget = (bytes: Buffer, packetBytes: number) => void

/** What a call may have at most, so that it is one for the system, too: 64 kB of payload (UDP_SEGMENT). */
const MAX_RUN_BYTES = 60_000
/** A packet is at most as large as a datagram that is not cut; jumbo frames included. */
const MAX_PACKET_BYTES = 9000

/** The bytes that packets of all sessions are encrypted in, and whose they are at the moment. */
export class SharedArena {
  readonly packets: PacketArena = createPacketArena(MAX_RUN_BYTES + MAX_PACKET_BYTES)
  owner: PacketBatch | undefined
}

/** The packets of one session that leave by few calls: runs of the same size, which may end in a shorter one. */
export class PacketBatch {
  readonly #arena: SharedArena
  readonly #srtp: SrtpSender
  readonly #target: RunTarget
  /** Where the run ends, and the size of its first packet; 0 when there is none. */
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
    // A larger one begins the next run, which is moved to the front.
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

  /** Leaves what was not sent. */
  close(): void {
    this.#end = 0
    if (this.#arena.owner === this) this.#arena.owner = undefined
  }

  /** What another session has left there is sent first. */
  #take(): void {
    this.#arena.owner?.flush()
    this.#arena.owner = this
  }
}
