/** A peer that somebody has claimed. */
export type Flow = {
  /** As the socket spells it. */
  readonly address: string
  readonly port: number
  /** Answers whether the datagram was for this flow. */
  readonly onDatagram: (datagram: Buffer) => boolean
  /** The flow that was claimed before, for the same peer; kept when this one is removed, for who is at it. */
  next: Flow | undefined
}

/** The claimed peers of a port, by the peer's port and then its address, so that no text is made for a datagram. */
export class FlowTable {
  readonly #peers = new Map<number, Map<string, Flow>>()

  /** The flow of a peer that was claimed last. */
  find(address: string, port: number): Flow | undefined {
    return this.#peers.get(port)?.get(address)
  }

  add(address: string, port: number, onDatagram: Flow['onDatagram']): Flow {
    const addresses = this.#peers.get(port) ?? new Map<string, Flow>()
    const flow: Flow = { address, port, onDatagram, next: addresses.get(address) }
    this.#peers.set(port, addresses.set(address, flow))
    return flow
  }

  /** Does nothing where the flow is not there any more. */
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
