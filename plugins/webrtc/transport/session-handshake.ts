import { DtlsEndpoint, type DtlsEndpointOptions } from './dtls-endpoint.ts'

/** Longer ones are given up (RFC 6347 4.2.4.1). */
const DURATION_MAX_MS = 20_000
/** What the peer may send before its way was checked: the datagrams of a flight. */
const MAX_EARLY_DATAGRAMS = 8
const MAX_EARLY_BYTES = 8192

/** The DTLS of a session, which begins when a way to the peer is found. What comes before that waits. */
export class SessionHandshake {
  #early: Buffer[] = []
  #earlyBytes = 0
  #deadlineMs = Infinity
  #dtls: DtlsEndpoint | undefined
  #isClosed = false

  /** How far it has come, for people. */
  get progress(): string {
    return this.#dtls?.progress ?? 'it did not begin'
  }

  /** Begins. Once. It rejects when the certificate can't be used. */
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

  /** Whether it has taken too long, if it is not done. */
  isLate(nowMs: number): boolean {
    return nowMs >= this.#deadlineMs
  }

  /**
   * Takes a datagram of the peer.
   * @returns whether it was for this connection; false before it has begun, when that can't be told of what is kept
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

  /** The peer has finished, too. */
  settle(): void {
    this.#dtls?.settle()
  }

  /** Ends it, and says so to the peer. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#early = []
    this.#dtls?.close()
  }
}
