import type { Transport } from '../wire/transport.ts'

/** The way that one media of a session travels, as SETUP has arranged it. */
export interface MediaTransport {
  /** Whether packets can be lost or come in disorder. */
  readonly isDatagram: boolean
  /** What SETUP is answered. */
  readonly answer: Transport
  sendRtcp(packet: Buffer): void
  close(): void
}

/** Takes what the peer sends. */
export type PacketHandlers = {
  /** An RTP packet, whose bytes are the handler's to keep. */
  rtp(packet: Buffer): void
  rtcp(packet: Buffer): void
}
