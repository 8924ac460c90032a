/** What one end asks for. */
export type LocalTerms = {
  /** How long this end holds what it receives, at least. */
  receiveLatencyMs: number
  /** How long the peer shall hold what this end sends, at least. */
  sendLatencyMs: number
  /** Largest IP packet; 1,500 by default. */
  mtuBytes?: number
  /** Packets that this end takes before they are acknowledged; 8,192 by default. */
  flowWindowPackets?: number
}

/** What a handshake ends in. */
export type Negotiated = {
  socketId: number
  peerSocketId: number
  /** SRT version of the peer: 0x010501 is 1.5.1. */
  peerVersion: number
  /** The first sequence number of what this end sends. */
  sendSequence: number
  /** The first sequence number of what the peer sends. */
  receiveSequence: number
  /** This end's clock at its time stamp 0. */
  startUs: number
  /** This end's clock at the peer's time stamp 0, as the arrival of its handshake says. */
  peerStartUs: number
  receiveLatencyMs: number
  sendLatencyMs: number
  /** What the peer sends is to be delivered by its time stamps. */
  peerStampsTimes: boolean
  peerDropsTooLate: boolean
  peerReportsLossPeriodically: boolean
  /** The peer knows bit R of data packets, which marks what is sent again. */
  peerHasRetransmitFlag: boolean
  /** The most a packet carries: the smaller MTU without IP, UDP and SRT header; 1,456 for 1,500. */
  maxPayloadBytes: number
  /** The most packets in flight: the smaller window of the two ends. */
  flowWindowPackets: number
}
