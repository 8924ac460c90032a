import { MAX_DATAGRAM_BYTES, type PacketArena } from 'sluice/sdk'
import type { CipherLibrary } from './cipher-library.ts'
import { createProtection } from './create-protection.ts'
import { estimateIndex, MAX_RTCP_INDEX, MAX_RTP_INDEX, ReplayWindow } from './packet-index.ts'
import { RTCP_CLEAR_BYTES, type PacketProtection } from './packet-protection.ts'
import type { SrtpKeys, SrtpSender } from './srtp-context.ts'

/** The most SSRCs: a session sends one SSRC and its RTX for each track; the rest is for changes while it lasts. */
export const MAX_SENT_SSRCS = 64

const NO_SSRC = -1

/** Protects the packets of one end: an index for each SSRC of RTP, one for all of RTCP. */
export class SenderContext implements SrtpSender {
  readonly overheadBytes: number
  readonly #rtp: PacketProtection
  readonly #rtcp: PacketProtection
  readonly #repeats: boolean
  readonly #windows = new Map<number, ReplayWindow>()
  #lastSsrc = NO_SSRC
  #lastWindow: ReplayWindow | undefined
  #nextRtcpIndex = 0
  #isClosed = false

  constructor(library: CipherLibrary, keys: SrtpKeys) {
    this.#rtp = createProtection(library, keys, 'rtp', 'seal')
    this.#rtcp = createProtection(library, keys, 'rtcp', 'seal')
    this.#repeats = keys.profile === 'SRTP_AES128_CM_HMAC_SHA1_80'
    this.overheadBytes = this.#rtp.rtpOverheadBytes
  }

  protectRtp(arena: PacketArena, offset: number, headerSizeBytes: number, sizeBytes: number): number {
    const endAt = offset + sizeBytes
    if (offset < 0 || headerSizeBytes > sizeBytes || endAt + this.overheadBytes > arena.bytes.length) {
      throw new RangeError(`RTP packet of ${sizeBytes} bytes at byte ${offset} of ${arena.bytes.length}`)
    }
    if (this.#isClosed) return 0
    const ssrc = arena.bytes.readUInt32BE(offset + 8)
    const window = ssrc === this.#lastSsrc ? this.#lastWindow : this.#windowOf(ssrc)
    if (window === undefined) return 0
    const index = estimateIndex(window.highestIndex, arena.bytes.readUInt16BE(offset + 2))
    if (index < 0 || index > MAX_RTP_INDEX) return 0
    if (!this.#repeats && !window.isNew(index)) return 0
    window.add(index)
    this.#rtp.sealRtp(arena, offset, offset + headerSizeBytes, endAt, ssrc, index)
    return sizeBytes + this.overheadBytes
  }

  finishRtp(): void {
    if (!this.#isClosed) this.#rtp.finishRtp()
  }

  protectRtcp(packet: Buffer): Buffer | undefined {
    if (packet.length < RTCP_CLEAR_BYTES || packet.length + this.#rtcp.rtcpOverheadBytes > MAX_DATAGRAM_BYTES) {
      throw new RangeError(`RTCP packet of ${packet.length} bytes`)
    }
    if (this.#isClosed || this.#nextRtcpIndex > MAX_RTCP_INDEX) return undefined
    return this.#rtcp.sealRtcp(packet, packet.readUInt32BE(4), this.#nextRtcpIndex++)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#rtp.close()
    this.#rtcp.close()
  }

  #windowOf(ssrc: number): ReplayWindow | undefined {
    let window = this.#windows.get(ssrc)
    if (window === undefined) {
      if (this.#windows.size >= MAX_SENT_SSRCS) return undefined
      window = new ReplayWindow()
      this.#windows.set(ssrc, window)
    }
    this.#lastSsrc = ssrc
    this.#lastWindow = window
    return window
  }
}
