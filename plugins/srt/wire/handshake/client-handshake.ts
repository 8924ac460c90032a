import type { LocalTerms, Negotiated } from './negotiation.ts'

/** One end that begins a connection: a caller, or an end of a rendezvous. Time is told to it, datagrams are handed to it. */
export interface ClientHandshake {
  start(nowUs: number): void
  /** Sends again what has no answer yet, each 250 ms. */
  tick(nowUs: number): void
  /**
   * Takes a datagram of the peer; it is borrowed until this returns. Garbage is passed over. Once connected, it answers
   * repeats of the peer's handshake, whose answer was lost.
   */
  receive(datagram: Buffer, nowUs: number): void
}

/** What callers and rendezvous ends are made with. */
export type ClientHandshakeInit = {
  socketId: number
  /** The first sequence number of what this end sends. */
  sequence: number
  /** Up to 512 bytes of UTF-8; empty for none. */
  streamId: string
  /** Key material for the peer; its presence demands encryption. */
  keyRequest?: Buffer
  terms: LocalTerms
  send: (datagram: Buffer) => void
  /** Called once. `keyMessage` is the peer's answer to `keyRequest`, or the peer's own message where it was taken here. */
  connected: (negotiated: Negotiated, keyMessage: Buffer | undefined) => void
  /** Called once, and no more after it: one of REJECT_REASON, or what else the peer gave. */
  refused: (reason: number) => void
}

/** How long an unanswered handshake waits before it is sent again. */
export const RESEND_US = 250_000

/** Written where a handshake has the peer's address, which a client does not look up; peers do not rely on it. */
export const NO_ADDRESS = Buffer.alloc(16)
