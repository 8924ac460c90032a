import type { LocalTerms, Negotiated } from './negotiation.ts'

/** The end that begins a connection: a caller, or an end of a rendezvous. It has no clock and no socket of its own. */
export interface ClientHandshake {
  start(nowUs: number): void
  /** Sends the messages again that have no answer yet, every 250 ms. */
  tick(nowUs: number): void
  /**
   * Takes a datagram of the peer; it is borrowed until this returns. A malformed one is dropped. Once connected, it answers
   * repeats of the peer's handshake, whose answer was lost.
   */
  receive(datagram: Buffer, nowUs: number): void
}

/** The options of callers and rendezvous ends. */
export type ClientHandshakeInit = {
  socketId: number
  /** The sequence number of the first packet that this end sends. */
  sequence: number
  /** Up to 512 bytes of UTF-8; empty for none. */
  streamId: string
  /** Key material for the peer; its presence demands encryption. */
  keyRequest?: Buffer
  terms: LocalTerms
  send: (datagram: Buffer) => void
  /** Called once. `keyMessage` is the peer's answer to `keyRequest`, or the peer's own message when this end has taken its keys. */
  connected: (negotiated: Negotiated, keyMessage: Buffer | undefined) => void
  /** Called once, as the last call: one of REJECT_REASON, or another number that the peer sent. */
  refused: (reason: number) => void
}

/** The time after which an unanswered handshake is sent again. */
export const RESEND_US = 250_000

/** The value of the peer's address in a handshake, which a client does not look up; peers do not rely on it. */
export const NO_ADDRESS = Buffer.alloc(16)
