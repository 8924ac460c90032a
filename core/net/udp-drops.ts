/** The numbers of dropped datagrams of one plugin, by the reason; they only grow. */
export type UdpDrops = {
  /** Datagrams that came in from unknown peers. */
  unclaimed: number
  /** Datagrams that the system refused to send: too long, no route to the peer, no memory. */
  unsent: number
  /** Datagrams that were not sent as the send buffer was full, or the port closed. */
  overflow: number
}

export function noDrops(): UdpDrops {
  return { unclaimed: 0, unsent: 0, overflow: 0 }
}
