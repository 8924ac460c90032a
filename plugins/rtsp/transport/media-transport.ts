import type { Transport } from '../wire/transport.ts'

/** The transport of one media of a session, as SETUP has arranged it. */
export interface MediaTransport {
  /** True when packets can be lost or come out of order. */
  readonly isDatagram: boolean
  /** The transport in the answer to SETUP. */
  readonly answer: Transport
  sendRtcp(packet: Buffer): void
  close(): void
}

/** Takes the packets that the peer sends. */
export type PacketHandlers = {
  /** Takes an RTP packet; its bytes belong to the handler. */
  rtp(packet: Buffer): void
  rtcp(packet: Buffer): void
}
