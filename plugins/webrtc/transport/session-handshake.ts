import { DtlsEndpoint, type DtlsEndpointOptions } from './dtls-endpoint.ts'

/** The longest handshake; a longer one is aborted (RFC 6347 4.2.4.1). */
const DURATION_MAX_MS = 20_000
/** The most datagrams that are kept before the peer's path was checked: those of a flight. */
const MAX_EARLY_DATAGRAMS = 8
const MAX_EARLY_BYTES = 8192

/** The DTLS handshake of a session, which begins when a path to the peer is found. Earlier datagrams wait. */
export class SessionHandshake {
  #early: Buffer[] = []
  #earlyBytes = 0
  #deadlineMs = Infinity
  #dtls: DtlsEndpoint | undefined
  #isClosed = false

  /** The state of the handshake, as text for people. */
  get progress(): string {
    return this.#dtls?.progress ?? 'it did not begin'
  }

  /** Begins the handshake. Called once. It rejects when the certificate can't be used. */
  async begin(options: DtlsEndpointOptions, nowMs: number): Promise<void> {
    this.#deadlineMs = nowMs + DURATION_MAX_MS
    const dtls = await DtlsEndpoint.open(options)
    if (this.#isClosed) {
      dtls.close()
      return
    }
    this.#dtls = dtls
    for (const datagram of this.#early.splice(0)) dtls.receive(datagram)
  }

  /** True when an unfinished handshake has taken too long. */
  isLate(nowMs: number): boolean {
    return nowMs >= this.#deadlineMs
  }

  /**
   * Takes a datagram of the peer.
   * @returns true when it belonged to this connection; false before the handshake has begun, when this is not known
   */
  receive(datagram: Buffer): boolean {
    if (this.#dtls !== undefined) return this.#dtls.receive(datagram)
    const isKept = this.#early.length < MAX_EARLY_DATAGRAMS && this.#earlyBytes + datagram.length <= MAX_EARLY_BYTES
    if (isKept && !this.#isClosed) {
      this.#early.push(Buffer.from(datagram))
      this.#earlyBytes += datagram.length
    }
    return false
  }

  /** Ends the handshake, as the peer has finished, too. */
  settle(): void {
    this.#dtls?.settle()
  }

  /** Ends the connection, and notifies the peer. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#early = []
    this.#dtls?.close()
  }
}
