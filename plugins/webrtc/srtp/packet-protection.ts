import type { PacketArena } from 'sluice/sdk'

/** The fixed part of RTCP's first header, which stays in the clear (RFC 3711 3.4). */
export const RTCP_CLEAR_BYTES = 8
/** The index of an SRTCP packet, with the E bit above. */
export const RTCP_INDEX_BYTES = 4
/** The bit that marks an encrypted packet (RFC 3711 3.4). */
export const RTCP_ENCRYPTED = 0x80000000

/** The transforms of a profile with one key, for one kind of packets. All indexes are of 48 bits, or of 31 for RTCP. */
export interface PacketProtection {
  /** The bytes by which a packet of RTP grows. */
  readonly rtpOverheadBytes: number
  /** The bytes by which a packet of RTCP grows. */
  readonly rtcpOverheadBytes: number
  /** The offset of the E bit and index within the bytes that a packet of RTCP grows by. */
  readonly rtcpIndexAt: number
  /**
   * Encrypts a packet in place, with the tag after it, at once or when `finishRtp` is called. Its header ends at `textAt`, the packet at
   * `endAt`. All packets between two such calls lie in one arena.
   */
  sealRtp(arena: PacketArena, packetAt: number, textAt: number, endAt: number, ssrc: number, index: number): void
  /** Does the work that `sealRtp` has put off. */
  finishRtp(): void
  /** Decrypts the packet with these bounds in place, its tag included; false for a wrong tag. */
  openRtp(arena: PacketArena, packetAt: number, textAt: number, endAt: number, ssrc: number, index: number): boolean
  /** Returns the encrypted packet with its index, in bytes of its own. */
  sealRtcp(packet: Buffer, ssrc: number, index: number): Buffer
  /** Decrypts in place; false for a wrong tag, and then the bytes are unchanged. */
  openRtcp(packet: Buffer, ssrc: number, index: number): boolean
  close(): void
}
