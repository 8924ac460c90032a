import type { SipMessage } from './message.ts'

/** An address of the network. */
export type SipEndpoint = {
  /** An IP address; of IPv6 without brackets. */
  readonly host: string
  readonly port: number
}

/** The way to one peer: a connection, or its address by UDP. */
export interface SipFlow {
  readonly transport: 'UDP' | 'TCP' | 'TLS'
  /** True for a connection: nothing is lost on the way, and so nothing is sent again. */
  readonly isReliable: boolean
  /** The address by which the peer reaches this server. */
  readonly local: SipEndpoint
  readonly remote: SipEndpoint
  /** Sends a message; nothing tells whether it comes. */
  send(message: SipMessage): void
}

/** Timers, so that tests have their own time. */
export interface SipTimers {
  /** Calls back once; the returned function cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

/** The estimate of a round trip, the longest time between two sendings, and how long a message stays in the network (RFC 3261 17.1.1.1). */
export const T1_MS = 500
export const T2_MS = 4000
export const T4_MS = 5000
/** Timers B, F, H, J, L and M: a transaction is over by then. */
export const TRANSACTION_MS = 64 * T1_MS
/** Timer D: how long an answer that was acknowledged may come again by UDP. */
export const ACKNOWLEDGED_MS = 32_000
