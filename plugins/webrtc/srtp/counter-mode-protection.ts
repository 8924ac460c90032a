import { timingSafeEqual } from 'node:crypto'
import { scratchArena, type CounterCipher, type PacketArena } from 'sluice/sdk'
import type { CipherLibrary, Mac } from './cipher-library.ts'
import { RTCP_CLEAR_BYTES, RTCP_ENCRYPTED, RTCP_INDEX_BYTES, type PacketProtection } from './packet-protection.ts'
import type { SessionKeys } from './session-keys.ts'

/** 80 bits of HMAC-SHA1 (RFC 3711 4.2). */
const TAG_BYTES = 10
const SEQUENCE_NUMBERS = 0x10000

/** AES128_CM_HMAC_SHA1_80 (RFC 3711 4.1.1, 4.2.1). SRTCP is `header | encrypted | E and index | tag`. */
export class CounterModeProtection implements PacketProtection {
  readonly rtpOverheadBytes = TAG_BYTES
  readonly rtcpOverheadBytes = RTCP_INDEX_BYTES + TAG_BYTES
  readonly rtcpIndexAt = 0
  readonly #cipher: CounterCipher
  readonly #mac: Mac
  readonly #salt0: number
  readonly #salt1: number
  readonly #salt2: number
  readonly #salt3: number
  readonly #tag = Buffer.alloc(TAG_BYTES)
  /** The bounds of the packets that have no tag yet, and their indexes. */
  readonly #untagged: number[] = []
  #arena: PacketArena | undefined

  constructor(library: CipherLibrary, { cipherKey, salt, authKey }: SessionKeys) {
    this.#cipher = library.counter(cipherKey)
    this.#mac = library.mac(authKey)
    this.#salt0 = salt.readInt32BE(0)
    this.#salt1 = salt.readInt32BE(4)
    this.#salt2 = salt.readInt32BE(8)
    this.#salt3 = salt.readUInt16BE(12) << 16
  }

  sealRtp(arena: PacketArena, packetAt: number, textAt: number, endAt: number, ssrc: number, index: number): void {
    this.#writeIv(ssrc, index)
    this.#cipher.crypt(arena, textAt, endAt)
    this.#arena = arena
    this.#untagged.push(packetAt, endAt, index)
  }

  finishRtp(): void {
    const untagged = this.#untagged
    const arena = this.#arena
    if (arena === undefined) return
    this.#cipher.finish()
    for (let at = 0; at < untagged.length; at += 3) {
      const endAt = untagged[at + 1]!
      this.#digestRtp(arena, untagged[at]!, endAt, untagged[at + 2]!).copy(arena.bytes, endAt, 0, TAG_BYTES)
    }
    untagged.length = 0
    this.#arena = undefined
  }

  openRtp(arena: PacketArena, packetAt: number, textAt: number, endAt: number, ssrc: number, index: number): boolean {
    const tagAt = endAt - TAG_BYTES
    arena.bytes.copy(this.#tag, 0, tagAt, endAt)
    if (!this.#isTag(this.#digestRtp(arena, packetAt, tagAt, index))) return false
    this.#writeIv(ssrc, index)
    this.#cipher.crypt(arena, textAt, tagAt)
    this.#cipher.finish()
    return true
  }

  sealRtcp(packet: Buffer, ssrc: number, index: number): Buffer {
    const arena = scratchArena()
    packet.copy(arena.bytes)
    this.#writeIv(ssrc, index)
    this.#cipher.crypt(arena, RTCP_CLEAR_BYTES, packet.length)
    this.#cipher.finish()
    const tagAt = arena.bytes.writeUInt32BE(RTCP_ENCRYPTED + index, packet.length)
    this.#mac.digest(arena, 0, tagAt).copy(arena.bytes, tagAt, 0, TAG_BYTES)
    return Buffer.from(arena.bytes.subarray(0, tagAt + TAG_BYTES))
  }

  openRtcp(packet: Buffer, ssrc: number, index: number): boolean {
    const arena = scratchArena()
    const tagAt = packet.length - TAG_BYTES
    const indexAt = tagAt - RTCP_INDEX_BYTES
    packet.copy(arena.bytes)
    packet.copy(this.#tag, 0, tagAt)
    if (!this.#isTag(this.#mac.digest(arena, 0, tagAt))) return false
    this.#writeIv(ssrc, index)
    this.#cipher.crypt(arena, RTCP_CLEAR_BYTES, indexAt)
    this.#cipher.finish()
    arena.bytes.copy(packet, RTCP_CLEAR_BYTES, RTCP_CLEAR_BYTES, indexAt)
    return true
  }

  close(): void {
    this.#cipher.close()
    this.#mac.close()
  }

  /** The count of wraps is authenticated after the packet (RFC 3711 4.2), and for that is written to the place of the tag. */
  #digestRtp(arena: PacketArena, packetAt: number, endAt: number, index: number): Buffer {
    const wrapsEnd = arena.bytes.writeUInt32BE(Math.floor(index / SEQUENCE_NUMBERS), endAt)
    return this.#mac.digest(arena, packetAt, wrapsEnd)
  }

  #isTag(digest: Buffer): boolean {
    return timingSafeEqual(digest.subarray(0, TAG_BYTES), this.#tag)
  }

  /** SSRC (32) and index (48) combined with the salt, before the count of blocks (16) (RFC 3711 4.1.1). */
  #writeIv(ssrc: number, index: number): void {
    const { iv } = this.#cipher
    iv.setInt32(0, this.#salt0)
    iv.setInt32(4, this.#salt1 ^ ssrc)
    iv.setInt32(8, this.#salt2 ^ (index / SEQUENCE_NUMBERS))
    iv.setInt32(12, this.#salt3 ^ (index << 16))
  }
}
