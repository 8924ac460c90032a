import type { CloseReason } from 'sluice/sdk'
import type { IceCandidateLine, IceCredentials, TransportDescription } from './transport-description.ts'

/** The calls of a transport to its session. Packets are decrypted, authentic, and come once; their bytes belong to the session. */
export type TransportHandlers = {
  /** Media can be sent from now on. Called once, before any packet. */
  connected(): void
  rtp(packet: Buffer): void
  /** A compound packet. */
  rtcp(packet: Buffer): void
  /** The peer consents to be sent packets (RFC 7675): called every few seconds, whether it sends packets or not. */
  alive(): void
  /** The transport has ended: the peer has gone, never came, or `close` was called. Called once. */
  closed(reason: CloseReason): void
}

/** The state of a transport in lists and in the log. */
export type TransportStatus = {
  readonly state: 'checking' | 'handshake' | 'connected' | 'closed'
  /** The pair that is used, as `udp 192.0.2.2:9000 192.0.2.9:50123`; undefined before there is one. */
  readonly pair: string | undefined
  readonly rttMs: number | undefined
  /** The SRTP profile, by its registered name. */
  readonly profile: string | undefined
  /** The attempts to connect and their results, a line for each pair of candidates, when it does not connect. */
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
  /** Sends the packets that were written. Without it, nothing leaves. */
  flush(): void
}

/** The transport of one peer's media: ICE (RFC 8445), DTLS (RFC 5764) and SRTP (RFC 3711) over UDP or TCP. */
export interface PeerTransport extends PacketSender {
  /** The description for the peer; the candidates are those known so far. */
  readonly local: TransportDescription
  readonly status: TransportStatus
  /**
   * Takes the peer's description, and begins the checks. Called once.
   * @throws {SluiceError} 400 when it can't be used, for example without a supported fingerprint
   */
  connect(remote: TransportDescription): void
  /** Adds candidates that came later (RFC 8838). Malformed ones are left out. */
  addCandidates(candidates: readonly IceCandidateLine[], isComplete: boolean): void
  /** Restarts the checks with other credentials (RFC 8445 9), while media goes on; returns those of this end. */
  restartIce(remote: IceCredentials): IceCredentials
  /** Sends a compound RTCP packet; does nothing before the transport is connected. */
  sendRtcp(packet: Buffer): void
  /** Ends the transport. Idempotent. */
  close(reason?: CloseReason | string): void
}
