import type { DatagramHandler, UdpPeer } from 'sluice/sdk'
import type { RemoteCandidate } from './ice-candidate.ts'
import { mayReach } from './ip-address.ts'
import type { LocalSocket } from './local-sockets.ts'
import { UdpPath, type PacketPath } from './packet-path.ts'

/** The most paths of one peer. */
const MAX_PATHS = 64

/** The paths of one session, by both of their ends. */
export class SessionPaths {
  readonly #byKey = new Map<string, PacketPath>()
  readonly #sockets: () => readonly LocalSocket[]
  readonly #onDatagram: (path: PacketPath, datagram: Buffer) => ReturnType<DatagramHandler>

  /** @param onDatagram called with the datagrams of the paths that are kept */
  constructor(
    sockets: () => readonly LocalSocket[],
    onDatagram: (path: PacketPath, datagram: Buffer) => ReturnType<DatagramHandler>,
  ) {
    this.#sockets = sockets
    this.#onDatagram = onDatagram
  }

  /** True when an authentic packet came by one of the paths. */
  get wereHeard(): boolean {
    return this.#byKey.values().some(({ lastHeardMs }) => lastHeardMs > -Infinity)
  }

  /** Returns the paths to a candidate of the peer, and keeps them. */
  to({ address, port }: RemoteCandidate): PacketPath[] {
    const paths: PacketPath[] = []
    for (const socket of this.#sockets()) {
      if (!mayReach(socket.listener.address.host, address)) continue
      const peer = { remoteAddress: address, remotePort: port }
      let path = this.#byKey.get(keyOf(socket, peer))
      if (path === undefined && this.#byKey.size < MAX_PATHS) {
        path = new UdpPath(socket, peer)
        this.keep(path, keyOf(socket, peer))
      }
      if (path !== undefined) paths.push(path)
    }
    return paths
  }

  /** Returns the path to an address; a new one is not kept. */
  from(socket: LocalSocket, peer: UdpPeer): { readonly key: string; readonly path: PacketPath } {
    const key = keyOf(socket, peer)
    return { key, path: this.#byKey.get(key) ?? new UdpPath(socket, peer) }
  }

  keep(path: PacketPath, key: string): void {
    if (this.#byKey.has(key)) return
    this.#byKey.set(key, path)
    if (path instanceof UdpPath) path.claim((datagram) => this.#onDatagram(path, datagram))
  }

  /** Forgets the paths that are not used, once they are many. */
  thin(isUsed: (path: PacketPath) => boolean): void {
    if (this.#byKey.size < MAX_PATHS) return
    for (const [key, path] of this.#byKey) {
      if (isUsed(path)) continue
      path.close()
      this.#byKey.delete(key)
    }
  }

  remove(path: PacketPath): void {
    for (const [key, one] of this.#byKey) if (one === path) this.#byKey.delete(key)
  }

  close(): void {
    for (const path of this.#byKey.values()) path.close()
    this.#byKey.clear()
  }
}

function keyOf({ listener: { address } }: LocalSocket, { remoteAddress, remotePort }: UdpPeer): string {
  return `${address.host} ${address.port} ${remoteAddress} ${remotePort}`
}
