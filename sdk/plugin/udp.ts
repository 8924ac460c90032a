/** The source of a datagram, or its destination. */
export type UdpPeer = {
  /** An IP address; one of IPv4 is written as such, also where the socket takes both. */
  readonly remoteAddress: string
  readonly remotePort: number
}

/**
 * Takes a datagram and keeps its bytes. False says that it belongs to another handler: the generation before may know the
 * peer. Its errors are logged now and then, and end nothing.
 */
export type DatagramHandler = (datagram: Buffer, peer: UdpPeer) => boolean | void

/** A UDP address that takes datagrams for a plugin; it is given up when the plugin is unloaded and its flows have ended. */
export interface UdpListener {
  /** The bound address, with the real port where the config asks for port 0. */
  readonly address: { readonly host: string; readonly port: number }
  /**
   * Sends datagrams, in this order, to a peer that need not be claimed. The bytes must not be changed afterwards. Datagrams
   * that can't be sent, or find the send buffer full, are dropped and counted (`sluice_udp_dropped_datagrams_total`).
   */
  send(datagrams: readonly Buffer[], peer: UdpPeer): void
  /**
   * Sends datagrams that lie behind each other, all `datagramBytes` long but the last, which may be shorter: where the system
   * can, as one message. Otherwise as `send`, in one order with it; but the bytes are read before it returns, and may be
   * changed then.
   * @throws {RangeError} when `datagramBytes` is not positive
   */
  sendRun(bytes: Buffer, datagramBytes: number, peer: UdpPeer): void
  /**
   * Claims a peer: its datagrams come to `onDatagram` of this generation, also when that was replaced, until the flow is
   * closed. Where a peer was claimed twice, the later flow is asked first; a flow that answers false leaves the datagram to
   * the next, and in the end to the handler of the listener. A generation that was replaced goes on while it has flows.
   * @throws {Error} when the listener is closed
   */
  claim(peer: UdpPeer, onDatagram: DatagramHandler): UdpFlow
  /** Gives the address up before the plugin is unloaded, and closes its flows; nothing is sent any more. Idempotent. */
  close(): Promise<void>
}

/** The datagrams that one generation exchanges with one peer: a connection, as far as UDP has such. */
export interface UdpFlow {
  readonly peer: UdpPeer
  /** Sends as `UdpListener.send` does; nothing once the flow is closed. */
  send(datagrams: readonly Buffer[]): void
  /** Sends as `UdpListener.sendRun` does; nothing once the flow is closed. */
  sendRun(bytes: Buffer, datagramBytes: number): void
  /** Gives the peer up: its datagrams are those of an unknown peer from now on. Idempotent. */
  close(): void
}
