import { createPacketArena } from 'sluice/sdk'
import type { SendingKeys } from '../crypto/sending-keys.ts'
import type { Negotiated } from '../handshake/negotiation.ts'
import { MAX_MESSAGE_NUMBER, writeDataHeader, type EncryptionFlag } from '../packet/data-packet.ts'
import { HEADER_BYTES } from '../packet/packet-header.ts'
import { addToSequence } from '../sequence.ts'
import type { PacketSink } from './packet-sink.ts'
import type { SendBuffer } from './send-buffer.ts'

const MAX_PACKETS = 48
const MAX_PACKET_BYTES = 1500

/** The arena into which all connections write packets; a run leaves before the next connection writes. */
const arena = createPacketArena(MAX_PACKETS * MAX_PACKET_BYTES)

export type PacketRunInit = {
  readonly negotiated: Negotiated
  readonly keys: Pick<SendingKeys, 'encrypt' | 'finish' | 'flag'> | undefined
  readonly sink: PacketSink
}

/** Consecutive packets of a connection that leave together: all of one size but the last. */
export class PacketRun {
  readonly #init: PacketRunInit
  #usedBytes = 0
  #packetBytes = 0
  /** True when the last packet is shorter, so that none can follow. */
  #isEnded = false

  constructor(init: PacketRunInit) {
    this.#init = init
  }

  get isEmpty(): boolean {
    return this.#usedBytes === 0
  }

  /** Writes a payload as a packet, encrypted when there are keys. @returns its size */
  write(buffer: SendBuffer, index: number, isRetransmitted: boolean): number {
    const { negotiated } = this.#init
    const packetBytes = HEADER_BYTES + buffer.lengthOf(index)
    const isFull = this.#usedBytes + packetBytes > arena.bytes.length
    if (!this.isEmpty && (isFull || this.#isEnded || packetBytes > this.#packetBytes)) this.flush()
    if (this.isEmpty) this.#packetBytes = packetBytes
    this.#isEnded = packetBytes < this.#packetBytes
    const at = this.#usedBytes
    this.#usedBytes += packetBytes
    buffer.copy(index, arena.bytes, at + HEADER_BYTES)
    const sequence = addToSequence(negotiated.sendSequence, index)
    writeDataHeader(arena.bytes, at, {
      sequence,
      messageNumber: (index % MAX_MESSAGE_NUMBER) + 1,
      keyFlag: this.#encrypt(buffer, index, sequence, at + HEADER_BYTES),
      isRetransmitted: isRetransmitted && negotiated.peerHasRetransmitFlag,
      timestamp: (buffer.originUsOf(index) - negotiated.startUs) % 2 ** 32,
      destination: negotiated.peerSocketId,
    })
    return packetBytes
  }

  /** Sends the packets that were written. */
  flush(): void {
    if (this.isEmpty) return
    this.#init.keys?.finish()
    this.#init.sink.sendRun(arena.bytes.subarray(0, this.#usedBytes), this.#packetBytes)
    this.#usedBytes = 0
    this.#isEnded = false
  }

  /** Encrypts the packet that was written last; a repeat has the key it was first sent with. */
  #encrypt(buffer: SendBuffer, index: number, sequence: number, textAt: number): EncryptionFlag {
    const { keys } = this.#init
    if (keys === undefined) return 0
    const known = buffer.keyFlagOf(index)
    const flag = keys.encrypt(arena, sequence, textAt, this.#usedBytes, known === 0 ? keys.flag : known)
    buffer.setKeyFlag(index, flag)
    return flag
  }
}
