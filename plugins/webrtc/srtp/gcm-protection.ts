import { scratchArena, type PacketArena } from 'sluice/sdk'
import { AEAD_TAG_BYTES, type AeadCipher, type CipherLibrary } from './cipher-library.ts'
import { RTCP_CLEAR_BYTES, RTCP_ENCRYPTED, RTCP_INDEX_BYTES, type PacketProtection } from './packet-protection.ts'
import type { SessionKeys } from './session-keys.ts'

const TWO_TO_32 = 2 ** 32
const RTCP_TEXT_AT = RTCP_CLEAR_BYTES + RTCP_INDEX_BYTES

/** AEAD_AES_128_GCM (RFC 7714). SRTCP is `header | encrypted | tag | E and index`. */
export class GcmProtection implements PacketProtection {
  readonly rtpOverheadBytes = AEAD_TAG_BYTES
  readonly rtcpOverheadBytes = AEAD_TAG_BYTES + RTCP_INDEX_BYTES
  readonly rtcpIndexAt = AEAD_TAG_BYTES
  readonly #cipher: AeadCipher
  readonly #salt0: number
  readonly #salt1: number
  readonly #salt2: number

  constructor(library: CipherLibrary, { cipherKey, salt }: SessionKeys, direction: 'seal' | 'open') {
    this.#cipher = library.aead(cipherKey, direction)
    this.#salt0 = salt.readInt32BE(0)
    this.#salt1 = salt.readInt32BE(4)
    this.#salt2 = salt.readInt32BE(8)
  }

  sealRtp(arena: PacketArena, packetAt: number, textAt: number, endAt: number, ssrc: number, index: number): void {
    this.#writeIv(ssrc, index)
    if (!this.#cipher.crypt(arena, packetAt, textAt, endAt)) throw new Error('AES-GCM failed to encrypt')
  }

  finishRtp(): void {}

  openRtp(arena: PacketArena, packetAt: number, textAt: number, endAt: number, ssrc: number, index: number): boolean {
    this.#writeIv(ssrc, index)
    return this.#cipher.crypt(arena, packetAt, textAt, endAt - AEAD_TAG_BYTES)
  }

  /** The authenticated clear parts lie apart in the packet, and are joined for the cipher: header, then E and index (RFC 7714 9.3). */
  sealRtcp(packet: Buffer, ssrc: number, index: number): Buffer {
    const arena = scratchArena()
    const indexWord = RTCP_ENCRYPTED + index
    packet.copy(arena.bytes, 0, 0, RTCP_CLEAR_BYTES)
    arena.bytes.writeUInt32BE(indexWord, RTCP_CLEAR_BYTES)
    packet.copy(arena.bytes, RTCP_TEXT_AT, RTCP_CLEAR_BYTES)
    const endAt = packet.length + RTCP_INDEX_BYTES
    this.#writeIv(ssrc, index)
    if (!this.#cipher.crypt(arena, 0, RTCP_TEXT_AT, endAt)) throw new Error('AES-GCM failed to encrypt')

    const sealed = Buffer.allocUnsafe(packet.length + this.rtcpOverheadBytes)
    packet.copy(sealed, 0, 0, RTCP_CLEAR_BYTES)
    arena.bytes.copy(sealed, RTCP_CLEAR_BYTES, RTCP_TEXT_AT, endAt + AEAD_TAG_BYTES)
    sealed.writeUInt32BE(indexWord, packet.length + AEAD_TAG_BYTES)
    return sealed
  }

  openRtcp(packet: Buffer, ssrc: number, index: number): boolean {
    const arena = scratchArena()
    const indexAt = packet.length - RTCP_INDEX_BYTES
    packet.copy(arena.bytes, 0, 0, RTCP_CLEAR_BYTES)
    packet.copy(arena.bytes, RTCP_CLEAR_BYTES, indexAt)
    packet.copy(arena.bytes, RTCP_TEXT_AT, RTCP_CLEAR_BYTES, indexAt)
    const endAt = packet.length - AEAD_TAG_BYTES
    this.#writeIv(ssrc, index)
    if (!this.#cipher.crypt(arena, 0, RTCP_TEXT_AT, endAt)) return false
    arena.bytes.copy(packet, RTCP_CLEAR_BYTES, RTCP_TEXT_AT, endAt)
    return true
  }

  close(): void {
    this.#cipher.close()
  }

  /** Two zeroes, SSRC (32) and index (48) combined with the salt (RFC 7714 8.1, 9.1). */
  #writeIv(ssrc: number, index: number): void {
    const { iv } = this.#cipher
    iv.setInt32(0, this.#salt0 ^ (ssrc >>> 16))
    iv.setInt32(4, this.#salt1 ^ ((ssrc << 16) | (index / TWO_TO_32)))
    iv.setInt32(8, this.#salt2 ^ index)
  }
}
