/** A way to reach one end (RFC 8839 5.1), as the value of `a=candidate`. */
export type IceCandidateLine = string

/** What names one end of a pair to the other in checks (RFC 8839 5.4). */
export type IceCredentials = { readonly usernameFragment: string; readonly password: string }

/** The hash of the certificate that an end is going to show (RFC 8122 5): `sha-256`, and upper case with colons. */
export type Fingerprint = { readonly algorithm: string; readonly value: string }

/** Who begins the DTLS handshake (RFC 8842 5.2), as `a=setup` has it: `active` does. */
export type DtlsSetup = 'active' | 'passive' | 'actpass'

/** What one end tells the other of its transport. All medias share one (BUNDLE), and RTCP comes with RTP. */
export type TransportDescription = {
  readonly ice: IceCredentials
  readonly setup: DtlsSetup
  readonly fingerprints: readonly Fingerprint[]
  readonly candidates: readonly IceCandidateLine[]
  /** No further candidates come. */
  readonly isComplete: boolean
}
