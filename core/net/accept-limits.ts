/** The limits of a port for clients that are not authenticated or served yet. */
export type AcceptLimits = {
  /** The longest TLS handshake; a longer one is aborted. */
  readonly handshakeTimeoutMs: number
  /** The most TLS handshakes of a port at one time; further connections are closed at once. */
  readonly maxHandshakes: number
  /** The most connections that wait for the first lease of a port to be activated; further ones are closed at once. */
  readonly maxHeld: number
}

export const ACCEPT_LIMITS: AcceptLimits = { handshakeTimeoutMs: 10_000, maxHandshakes: 512, maxHeld: 256 }
