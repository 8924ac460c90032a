/** A candidate of one end (RFC 8839 5.1), as the value of `a=candidate`. */
export type IceCandidateLine = string

/** The credentials of one end in checks (RFC 8839 5.4). */
export type IceCredentials = { readonly usernameFragment: string; readonly password: string }

/** The hash of an end's certificate (RFC 8122 5): `sha-256`, and upper case with colons. */
export type Fingerprint = { readonly algorithm: string; readonly value: string }

/** The role in the DTLS handshake (RFC 8842 5.2), as in `a=setup`: the `active` end begins it. */
export type DtlsSetup = 'active' | 'passive' | 'actpass'

/** The transport description of one end. All medias share one transport (BUNDLE), and RTCP comes with RTP. */
export type TransportDescription = {
  readonly ice: IceCredentials
  readonly setup: DtlsSetup
  readonly fingerprints: readonly Fingerprint[]
  readonly candidates: readonly IceCandidateLine[]
  /** True when no further candidates come. */
  readonly isComplete: boolean
}
