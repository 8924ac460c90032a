import type { Socket } from 'node:dgram'
import type { HostPort } from '../sip/link.ts'
import { boundSocket, sendTo } from '../sip/udp-socket.ts'
import type { MediaSocket, MediaSocketInit } from './media-socket.ts'

/** Sends packets from a port of its own. */
export class UdpMedia implements MediaSocket {
  readonly isCongested = false
  readonly #socket: Socket
  readonly #peer: HostPort

  private constructor(socket: Socket, peer: HostPort) {
    this.#socket = socket
    this.#peer = peer
  }

  static async open({ host, peer }: MediaSocketInit): Promise<UdpMedia> {
    return new UdpMedia(await boundSocket(host), peer)
  }

  get port(): number {
    return this.#socket.address().port
  }

  async start(): Promise<void> {}

  send(packets: readonly Buffer[]): void {
    for (const packet of packets) sendTo(this.#socket, packet, this.#peer)
  }

  close(): void {
    this.#socket.close()
  }
}
