import { createSrtpReceiver, createSrtpSender } from '../srtp/create-contexts.ts'
import type { SrtpProfile, SrtpReceiver, SrtpSender } from '../srtp/srtp-context.ts'
import type { DtlsKeys } from './dtls-endpoint.ts'
import { PacketBatch, type SharedArena } from './packet-batch.ts'
import type { PacketPath } from './packet-path.ts'
import type { PacketSender, TransportHandlers } from './peer-transport.ts'

export type SecureMediaOptions = {
  readonly keys: DtlsKeys
  readonly arena: SharedArena
  readonly handlers: Pick<TransportHandlers, 'rtp' | 'rtcp'>
  /** Returns the path in use. */
  readonly path: () => PacketPath | undefined
}

/** The payload types of RTCP on a shared port (RFC 5761 4). */
const FIRST_RTCP_TYPE = 192
const LAST_RTCP_TYPE = 223

/** Encrypts and decrypts the packets of a session after its handshake. */
export class SecureMedia implements PacketSender {
  readonly profile: SrtpProfile
  readonly #handlers: SecureMediaOptions['handlers']
  readonly #path: SecureMediaOptions['path']
  readonly #sender: SrtpSender
  readonly #receiver: SrtpReceiver
  readonly #batch: PacketBatch
  #rtcpBytes = 0

  constructor(options: SecureMediaOptions) {
    const { keys, arena, handlers, path } = options
    this.#handlers = handlers
    this.#path = path
    this.profile = keys.sending.profile
    this.#sender = createSrtpSender(keys.sending)
    this.#receiver = createSrtpReceiver(keys.receiving)
    this.#batch = new PacketBatch(arena, this.#sender, (bytes, packetBytes) => path()?.sendRun(bytes, packetBytes))
  }

  get sentBytes(): number {
    return this.#rtcpBytes + this.#batch.sentBytes
  }

  write(header: Uint8Array, headerSizeBytes: number, payload: Uint8Array): void {
    this.#batch.write(header, headerSizeBytes, payload)
  }

  flush(): void {
    this.#batch.flush()
  }

  sendRtcp(packet: Buffer): void {
    const encrypted = this.#sender.protectRtcp(packet)
    if (encrypted === undefined) return
    this.#rtcpBytes += encrypted.length
    this.#path()?.send([encrypted])
  }

  /** @returns true for an authentic packet that had not come before */
  receive(packet: Buffer): boolean {
    if (packet.length < 2 || packet[0]! >> 6 !== 2) return false
    const isRtcp = packet[1]! >= FIRST_RTCP_TYPE && packet[1]! <= LAST_RTCP_TYPE
    const clear = isRtcp ? this.#receiver.unprotectRtcp(packet) : this.#receiver.unprotectRtp(packet)
    if (clear === undefined) return false
    if (isRtcp) this.#handlers.rtcp(clear)
    else this.#handlers.rtp(clear)
    return true
  }

  close(): void {
    this.#batch.close()
    this.#sender.close()
    this.#receiver.close()
  }
}
