import { MAX_DATAGRAM_BYTES, scratchArena } from 'sluice/sdk'
import { RTP_HEADER_SIZE_BYTES } from 'sluice/sdk/media'
import type { CipherLibrary } from './cipher-library.ts'
import { createProtection } from './create-protection.ts'
import { estimateIndex, MAX_RTP_INDEX, ReplayWindow } from './packet-index.ts'
import { RTCP_CLEAR_BYTES, RTCP_ENCRYPTED, type PacketProtection } from './packet-protection.ts'
import type { SrtpKeys, SrtpReceiver } from './srtp-context.ts'

/** The most SSRCs that one end may use with one key, for each of RTP and RTCP: simulcast of three layers with RTX, many times over. */
export const MAX_RECEIVED_SSRCS = 128

const HAS_EXTENSION = 0x10
const CSRC_COUNT = 0x0f
const VERSION = 2

/** Decrypts the packets of the other end. The state changes only by packets that proved authentic. */
export class ReceiverContext implements SrtpReceiver {
  readonly #rtp: PacketProtection
  readonly #rtcp: PacketProtection
  readonly #rtpWindows = new Map<number, ReplayWindow>()
  readonly #rtcpWindows = new Map<number, ReplayWindow>()
  #rejectedPackets = 0
  #isClosed = false

  constructor(library: CipherLibrary, keys: SrtpKeys) {
    this.#rtp = createProtection(library, keys, 'rtp', 'open')
    this.#rtcp = createProtection(library, keys, 'rtcp', 'open')
  }

  get rejectedPackets(): number {
    return this.#rejectedPackets
  }

  unprotectRtp(packet: Buffer): Buffer | undefined {
    const tagAt = packet.length - this.#rtp.rtpOverheadBytes
    if (!isOpenable(packet, tagAt, RTP_HEADER_SIZE_BYTES) || this.#isClosed) return this.#reject()
    const headerSizeBytes = readHeaderSize(packet)
    if (headerSizeBytes > tagAt) return this.#reject()

    const ssrc = packet.readUInt32BE(8)
    const window = windowOf(this.#rtpWindows, ssrc)
    if (window === undefined) return this.#reject()
    const index = estimateIndex(window.highestIndex, packet.readUInt16BE(2))
    if (index < 0 || index > MAX_RTP_INDEX || !window.isNew(index)) return this.#reject()

    const arena = scratchArena()
    packet.copy(arena.bytes)
    if (!this.#rtp.openRtp(arena, 0, headerSizeBytes, packet.length, ssrc, index)) return this.#reject()
    arena.bytes.copy(packet, headerSizeBytes, headerSizeBytes, tagAt)
    note(this.#rtpWindows, ssrc, window, index)
    return packet.subarray(0, tagAt)
  }

  unprotectRtcp(packet: Buffer): Buffer | undefined {
    const endAt = packet.length - this.#rtcp.rtcpOverheadBytes
    if (!isOpenable(packet, endAt, RTCP_CLEAR_BYTES) || this.#isClosed) return this.#reject()
    const indexWord = packet.readUInt32BE(endAt + this.#rtcp.rtcpIndexAt)
    // The profiles of DTLS-SRTP encrypt RTCP, too (RFC 5764 4.1.2): one in the clear is not accepted.
    if (indexWord < RTCP_ENCRYPTED) return this.#reject()

    const ssrc = packet.readUInt32BE(4)
    const index = indexWord - RTCP_ENCRYPTED
    const window = windowOf(this.#rtcpWindows, ssrc)
    if (window === undefined || !window.isNew(index)) return this.#reject()
    if (!this.#rtcp.openRtcp(packet, ssrc, index)) return this.#reject()
    note(this.#rtcpWindows, ssrc, window, index)
    return packet.subarray(0, endAt)
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#rtp.close()
    this.#rtcp.close()
  }

  #reject(): undefined {
    this.#rejectedPackets++
  }
}

function isOpenable(packet: Buffer, endAt: number, minSizeBytes: number): boolean {
  return endAt >= minSizeBytes && packet.length <= MAX_DATAGRAM_BYTES && packet[0]! >> 6 === VERSION
}

/** Returns the size of an RTP header with its extension; Infinity when it exceeds the packet. */
function readHeaderSize(packet: Buffer): number {
  const flags = packet[0]!
  const csrcsEnd = RTP_HEADER_SIZE_BYTES + (flags & CSRC_COUNT) * 4
  if ((flags & HAS_EXTENSION) === 0) return csrcsEnd
  if (csrcsEnd + 4 > packet.length) return Infinity
  return csrcsEnd + 4 + packet.readUInt16BE(csrcsEnd + 2) * 4
}

/** Stands for SSRCs of which no packet was authentic yet. */
const UNSEEN = new ReplayWindow()

/** Returns undefined when there are too many. */
function windowOf(windows: ReadonlyMap<number, ReplayWindow>, ssrc: number): ReplayWindow | undefined {
  return windows.get(ssrc) ?? (windows.size < MAX_RECEIVED_SSRCS ? UNSEEN : undefined)
}

function note(windows: Map<number, ReplayWindow>, ssrc: number, window: ReplayWindow, index: number): void {
  if (window !== UNSEEN) return window.add(index)
  const made = new ReplayWindow()
  made.add(index)
  windows.set(ssrc, made)
}
