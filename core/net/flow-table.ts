/** The claim of a peer's datagrams. */
export type Flow = {
  /** The peer's address in the spelling of the socket. */
  readonly address: string
  readonly port: number
  /** Returns true when the datagram was for this flow. */
  readonly onDatagram: (datagram: Buffer) => boolean
  /**
   * The flow of the same peer that was claimed before. It stays set when this one is removed, for a loop that has
   * reached this one.
   */
  next: Flow | undefined
}

/** The flows of a port, by the peer's port and then its address, so that a look-up makes no text for a datagram. */
export class FlowTable {
  readonly #peers = new Map<number, Map<string, Flow>>()

  /** Returns the flow of a peer that was claimed last. */
  find(address: string, port: number): Flow | undefined {
    return this.#peers.get(port)?.get(address)
  }

  add(address: string, port: number, onDatagram: Flow['onDatagram']): Flow {
    const addresses = this.#peers.get(port) ?? new Map<string, Flow>()
    const flow: Flow = { address, port, onDatagram, next: addresses.get(address) }
    this.#peers.set(port, addresses.set(address, flow))
    return flow
  }

  /** Removes a flow; does nothing when it was removed before. */
  remove(flow: Flow): void {
    const { address, port, next } = flow
    const addresses = this.#peers.get(port)
    const latest = addresses?.get(address)
    if (addresses === undefined || latest === undefined) return
    if (latest !== flow) unlink(latest, flow)
    else if (next !== undefined) addresses.set(address, next)
    else {
      addresses.delete(address)
      if (addresses.size === 0) this.#peers.delete(port)
    }
  }
}

function unlink(latest: Flow, removed: Flow): void {
  for (let flow: Flow | undefined = latest; flow !== undefined; flow = flow.next) {
    if (flow.next === removed) flow.next = removed.next
  }
}
