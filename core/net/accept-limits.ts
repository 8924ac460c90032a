/** What a port endures from clients that have not said anything useful yet. */
export type AcceptLimits = {
  /** A TLS handshake that takes longer is ended. */
  readonly handshakeTimeoutMs: number
  /** TLS handshakes of a port at one time; more connections are closed at once. */
  readonly maxHandshakes: number
  /** Connections that wait for the first lease of a port to be activated; more are closed at once. */
  readonly maxHeld: number
}

export const ACCEPT_LIMITS: AcceptLimits = { handshakeTimeoutMs: 10_000, maxHandshakes: 512, maxHeld: 256 }
