import type { CloseReason } from 'sluice/sdk'
import type { IceCandidateLine, IceCredentials, TransportDescription } from './transport-description.ts'

/**
 * What a session is told of its transport. Packets are decrypted, came from the peer, and came once; their bytes are the
 * session's to keep.
 */
export type TransportHandlers = {
  /** Media can be sent from now on. Called once, before any packet. */
  connected(): void
  rtp(packet: Buffer): void
  /** A compound packet. */
  rtcp(packet: Buffer): void
  /** The peer has shown that it is there and consents to what it is sent (RFC 7675): every few seconds, whether it sends packets or not. */
  alive(): void
  /** It is over: the peer has gone, never came, or `close` was called. Called once. */
  closed(reason: CloseReason): void
}

/** What lists and the log show of a transport. */
export type TransportStatus = {
  readonly state: 'checking' | 'handshake' | 'connected' | 'closed'
  /** The pair that is used, as `udp 192.0.2.2:9000 192.0.2.9:50123`; undefined before there is one. */
  readonly pair: string | undefined
  readonly rttMs: number | undefined
  /** The SRTP profile, by its registered name. */
  readonly profile: string | undefined
  /** What was tried, and what came of it, a line for each pair of candidates, when it does not connect. */
  readonly checks: readonly string[]
  readonly bytesReceived: number
  readonly bytesSent: number
}

/** Takes packets in the clear, and sends them encrypted: the datagrams of a picture leave by few calls. */
export interface PacketSender {
  /**
   * Adds a packet to those that leave with {@link PacketSender.flush}. Both are read before it returns.
   * @param header RTP header with its extension; `headerSizeBytes` of it count, so that one array serves all packets
   */
  write(header: Uint8Array, headerSizeBytes: number, payload: Uint8Array): void
  /** Sends what was written. Without it, nothing leaves. */
  flush(): void
}

/** What carries the media of one peer: ICE (RFC 8445), DTLS (RFC 5764) and SRTP (RFC 3711) over UDP or TCP. */
export interface PeerTransport extends PacketSender {
  /** What the peer is to be told; the candidates are those known so far. */
  readonly local: TransportDescription
  readonly status: TransportStatus
  /**
   * Says what the peer told of itself, whereupon checks begin. Once.
   * @throws {SluiceError} 400 when it is of no use, for example without a fingerprint that is understood
   */
  connect(remote: TransportDescription): void
  /** Adds candidates that came later (RFC 8838). Those that make no sense are left out. */
  addCandidates(candidates: readonly IceCandidateLine[], isComplete: boolean): void
  /** Begins checks anew under other names (RFC 8445 9), while media goes on; answers with those of this end. */
  restartIce(remote: IceCredentials): IceCredentials
  /** Sends a compound RTCP packet; nothing before it is connected. */
  sendRtcp(packet: Buffer): void
  /** Ends it. Idempotent. */
  close(reason?: CloseReason | string): void
}
