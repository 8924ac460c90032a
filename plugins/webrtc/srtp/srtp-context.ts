/** The SRTP profiles of DTLS-SRTP that are spoken here (RFC 5764 4.1.2, RFC 7714 14.2), by their registered names. */
export type SrtpProfile = 'SRTP_AEAD_AES_128_GCM' | 'SRTP_AES128_CM_HMAC_SHA1_80'

/** The keys of one direction, as they come out of the DTLS handshake (RFC 5764 4.2). */
export type SrtpKeys = {
  readonly profile: SrtpProfile
  /** 16 bytes. */
  readonly masterKey: Buffer
  /** 12 bytes for GCM, else 14. */
  readonly masterSalt: Buffer
}

/** Bytes that packets are encrypted in, the same for all sessions: what lies there is sent before the next one writes. */
export type PacketArena = { readonly bytes: Buffer }

/** Encrypts the packets of one direction. */
export interface SrtpSender {
  /** By how much a packet grows, at most. */
  readonly overheadBytes: number
  /**
   * Encrypts an RTP packet in place, in an arena.
   * @returns its size afterwards
   */
  protectRtp(arena: PacketArena, offset: number, headerSizeBytes: number, sizeBytes: number): number
  /** Returns the encrypted compound RTCP packet. */
  protectRtcp(packet: Buffer): Buffer
  /** Frees what the runtime does not free by itself. Idempotent. */
  close(): void
}

/** Decrypts the packets of one direction. What is forged, broken, a repetition or too old is undefined, and counted. */
export interface SrtpReceiver {
  readonly rejectedPackets: number
  /** @returns the packet in the clear, in the bytes that it came in */
  unprotectRtp(packet: Buffer): Buffer | undefined
  unprotectRtcp(packet: Buffer): Buffer | undefined
  close(): void
}
