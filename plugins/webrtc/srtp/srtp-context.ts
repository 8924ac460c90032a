import type { PacketArena } from 'sluice/sdk'

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

/** Encrypts the packets of one direction. */
export interface SrtpSender {
  /** The bytes by which a packet of RTP grows. The arena has as many bytes to spare after the packet, which are overwritten. */
  readonly overheadBytes: number
  /**
   * Encrypts an RTP packet in place, in an arena, at once or when `finishRtp` is called; its header with the extension stays clear. All
   * packets between two such calls lie in one arena. The first sequence number of an SSRC is to be below 2^15, else the receiver miscounts
   * its wraps when the first packets are lost (RFC 3711 3.3.1).
   *
   * By GCM, a sequence number is encrypted once: a second packet with it, even if only its extension differs, would reveal the
   * authentication key of all packets (RFC 7714 8.1). Repeat by RTX, or keep the encrypted bytes.
   * @returns its encrypted size; 0 when it must not be sent: a repetition by GCM, after 2^48 packets, too many SSRCs, or it is
   * closed
   * @throws {RangeError} when the packet and its overhead do not fit into the arena
   */
  protectRtp(arena: PacketArena, offset: number, headerSizeBytes: number, sizeBytes: number): number
  /** Does the work that `protectRtp` has put off: before that, no packet may leave. */
  finishRtp(): void
  /**
   * Returns the encrypted compound RTCP packet in bytes of its own; undefined when 2^31 were sent, or it is closed.
   * @throws {RangeError} when it is shorter than its header, or longer than a datagram
   */
  protectRtcp(packet: Buffer): Buffer | undefined
  /** Frees the memory outside of the runtime. Idempotent. */
  close(): void
}

/** Decrypts the packets of one direction. A forged, malformed, repeated or old packet results in undefined, and is counted. */
export interface SrtpReceiver {
  readonly rejectedPackets: number
  /** @returns the packet in the clear, in the bytes that it came in; they stay as they were when it is rejected */
  unprotectRtp(packet: Buffer): Buffer | undefined
  /** @returns the compound packet in the clear, in the bytes that it came in; they stay as they were when it is rejected */
  unprotectRtcp(packet: Buffer): Buffer | undefined
  /** Frees the memory outside of the runtime, and rejects everything from then on. Idempotent. */
  close(): void
}
