import type { PacketArena } from 'sluice/sdk'

/** The fixed part of RTCP's first header, which stays in the clear (RFC 3711 3.4). */
export const RTCP_CLEAR_BYTES = 8
/** The index of an SRTCP packet, with the E bit above. */
export const RTCP_INDEX_BYTES = 4
/** Says that the packet is encrypted (RFC 3711 3.4). */
export const RTCP_ENCRYPTED = 0x80000000

/** The transforms of a profile with one key, for one kind of packets. All indexes are of 48 bits, or of 31 for RTCP. */
export interface PacketProtection {
  /** By how much a packet of RTP grows. */
  readonly rtpOverheadBytes: number
  /** By how much a packet of RTCP grows. */
  readonly rtcpOverheadBytes: number
  /** Where, in these bytes, the E bit and the index lie. */
  readonly rtcpIndexAt: number
  /**
   * Encrypts a packet in place, with the tag behind it, at once or when `finishRtp` is called. `textAt` is where its header
   * ends, `endAt` where the packet does. All packets between two such calls lie in one arena.
   */
  sealRtp(arena: PacketArena, packetAt: number, textAt: number, endAt: number, ssrc: number, index: number): void
  /** Does what `sealRtp` has put off. */
  finishRtp(): void
  /** Decrypts in place the packet of these bounds, its tag included; false for a wrong tag. */
  openRtp(arena: PacketArena, packetAt: number, textAt: number, endAt: number, ssrc: number, index: number): boolean
  /** Returns the encrypted packet with its index, in bytes of its own. */
  sealRtcp(packet: Buffer, ssrc: number, index: number): Buffer
  /** Decrypts in place; false for a wrong tag, and then nothing has changed. */
  openRtcp(packet: Buffer, ssrc: number, index: number): boolean
  close(): void
}
