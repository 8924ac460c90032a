/** Datagrams of one plugin that came to nothing, by the reason; they only grow. */
export type UdpDrops = {
  /** Nobody wanted it: the peer is not known. */
  unclaimed: number
  /** The system refused to send it: too long, no way to the peer, no memory. */
  unsent: number
  /** The send buffer was full, or the port closed. */
  overflow: number
}

export function noDrops(): UdpDrops {
  return { unclaimed: 0, unsent: 0, overflow: 0 }
}
