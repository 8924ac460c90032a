import { MalformedError } from '../errors.ts'

/** The most bytes that are searched for a packet, where none begins. */
export const RTP_STREAM_MAX_SKIPPED_BYTES = 1024 * 1024

/** The handlers of a byte stream's packets. */
export type RtpStreamReaderInit = {
  /** Takes a packet of RTP or RTCP: a view of bytes that are not changed afterwards. */
  readonly onPacket: (packet: Buffer) => void
  /** Bytes are skipped: packets are missing before the next one. */
  readonly onLost?: () => void
}

/** The prefixes of packets: where the length lies in them, and their size. */
const LENGTH_PREFIX = { lengthOffset: 0, sizeBytes: 2 } as const
/** `$`, a channel, and the length (RFC 2326 10.12). */
const INTERLEAVED_PREFIX = { lengthOffset: 2, sizeBytes: 4 } as const
const DOLLAR = 0x24
const VERSION = 2
const MIN_PACKET_SIZE_BYTES = 8
/** The largest packet in which a sender may go on to another SSRC. */
const MAX_OTHER_SIZE_BYTES = 4096
const RTP_HEADER_SIZE_BYTES = 12
const SSRC_OFFSET = 8
const SSRC_SIZE_BYTES = 4
const FIRST_RTCP_TYPE = 192
const LAST_RTCP_TYPE = 223
/** The size of the header that recorders of Hikvision put before all else (EHOME), and the bytes that show it. */
const EHOME_HEADER_SIZE_BYTES = 256
const EHOME_SHOWN_BYTES = 3
/** The start code of a pack of a program stream. */
const PACK_START_CODE = Buffer.from([0, 0, 1, 0xba])
/** The bytes that are kept in a search, as a packet may begin in them. */
const SEARCHED_TAIL_BYTES = INTERLEAVED_PREFIX.sizeBytes + RTP_HEADER_SIZE_BYTES + PACK_START_CODE.length
const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Cuts a byte stream into packets of RTP, however its bytes come in: by lengths of two bytes (RFC 4571), or by the prefix of RTSP
 * (`$`), behind the header of EHOME where there is one. These are told apart by the bytes.
 *
 * A sender whose buffer overflowed breaks the framing: where no packet of the known SSRC begins, the reader goes on at the next
 * one, or at one that begins with a pack of a program stream.
 */
export class RtpStreamReader {
  readonly #init: RtpStreamReaderInit
  #held: Buffer = NOTHING
  #place: 'start' | 'header' | 'packets' | 'search' = 'start'
  #leftBytes = 0
  /** The SSRC of the packets, by its bytes; undefined until one has come. */
  #ssrc: Buffer | undefined
  #skippedInARow = 0
  #skippedBytes = 0

  constructor(init: RtpStreamReaderInit) {
    this.#init = init
  }

  /** The number of bytes outside packets so far. */
  get skippedBytes(): number {
    return this.#skippedBytes
  }

  /**
   * Takes the next bytes over.
   * @throws {MalformedError} when there was no packet for {@link RTP_STREAM_MAX_SKIPPED_BYTES}: the stream is of no use
   */
  push(bytes: Buffer): void {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes])
    let offset = 0
    for (let next: number | undefined = 0; next !== undefined;) {
      offset = next
      next = offset < all.length ? this.#step(all, offset) : undefined
    }
    this.#held = offset === all.length ? NOTHING : Buffer.from(all.subarray(offset))
    if (this.#skippedInARow > RTP_STREAM_MAX_SKIPPED_BYTES) {
      throw new MalformedError(`no packet of RTP within ${RTP_STREAM_MAX_SKIPPED_BYTES} bytes`)
    }
  }

  /** Reads a part of the bytes. Returns where the rest begins; undefined where more are needed. */
  #step(bytes: Buffer, offset: number): number | undefined {
    switch (this.#place) {
      case 'start':
        return this.#start(bytes, offset)
      case 'header': {
        const end = Math.min(bytes.length, offset + this.#leftBytes)
        this.#leftBytes -= end - offset
        if (this.#leftBytes === 0) this.#place = 'packets'
        return end
      }
      case 'packets':
        return this.#packet(bytes, offset)
      case 'search':
        return this.#search(bytes, offset)
    }
  }

  #start(bytes: Buffer, offset: number): number | undefined {
    if (bytes.length < EHOME_SHOWN_BYTES) return undefined
    const [first, second, third] = bytes
    // Where these two are a length, the version of RTP follows.
    const isEhome = first === 1 && second === 0 && third! > 0 && third! >> 6 !== VERSION
    this.#place = isEhome ? 'header' : 'packets'
    this.#leftBytes = EHOME_HEADER_SIZE_BYTES
    return offset
  }

  #packet(bytes: Buffer, offset: number): number | undefined {
    const prefix = prefixAt(bytes, offset)
    const start = offset + prefix.sizeBytes
    if (start + MIN_PACKET_SIZE_BYTES > bytes.length) return isEmptyAt(bytes, offset) ? start : undefined
    const sizeBytes = bytes.readUInt16BE(offset + prefix.lengthOffset)
    if (sizeBytes === 0) return start
    const end = start + sizeBytes
    if (sizeBytes < MIN_PACKET_SIZE_BYTES || bytes[start]! >> 6 !== VERSION) return this.#lose(offset)
    if (isRtcp(bytes, start)) return end > bytes.length ? undefined : this.#give(bytes, start, end)
    if (sizeBytes < RTP_HEADER_SIZE_BYTES) return this.#lose(offset)
    if (start + RTP_HEADER_SIZE_BYTES > bytes.length) return undefined
    const ssrc = ssrcAt(bytes, start)
    const isKnown = this.#ssrc === undefined || this.#ssrc.equals(ssrc)
    // What looks like a large packet of another SSRC is rather none: it isn't waited for.
    if (!isKnown && sizeBytes > MAX_OTHER_SIZE_BYTES) return this.#lose(offset)
    if (end > bytes.length) return undefined
    if (!isKnown) {
      const follows = followsAt(bytes, end, ssrc)
      if (follows === undefined) return undefined
      if (!follows) return this.#lose(offset)
    }
    if (!isKnown || this.#ssrc === undefined) this.#ssrc = Buffer.from(ssrc)
    return this.#give(bytes, start, end)
  }

  #give(bytes: Buffer, start: number, end: number): number {
    this.#skippedInARow = 0
    this.#init.onPacket(bytes.subarray(start, end))
    return end
  }

  #lose(offset: number): number {
    this.#place = 'search'
    this.#init.onLost?.()
    this.#skip(1)
    return offset + 1
  }

  /** Looks for the next packet of the SSRC, or with the start of a pack. */
  #search(bytes: Buffer, offset: number): number | undefined {
    const bySsrc = this.#ssrc === undefined ? -1 : findFrame(bytes, offset, this.#ssrc, SSRC_OFFSET)
    const byPack = findFrame(bytes, offset, PACK_START_CODE, RTP_HEADER_SIZE_BYTES)
    const found = bySsrc < 0 || byPack < 0 ? Math.max(bySsrc, byPack) : Math.min(bySsrc, byPack)
    if (found < 0) {
      const end = Math.max(offset, bytes.length - SEARCHED_TAIL_BYTES)
      this.#skip(end - offset)
      return end === offset ? undefined : end
    }
    this.#skip(found - offset)
    if (found === byPack && found !== bySsrc) this.#ssrc = undefined
    this.#place = 'packets'
    return found
  }

  #skip(sizeBytes: number): void {
    this.#skippedBytes += sizeBytes
    this.#skippedInARow += sizeBytes
  }
}

/** The prefix of the packet that begins at `offset`: behind that of RTSP is no version of RTP where one is behind a length. */
function prefixAt(bytes: Buffer, offset: number): typeof LENGTH_PREFIX | typeof INTERLEAVED_PREFIX {
  const versionAt = bytes[offset + LENGTH_PREFIX.sizeBytes]
  const isInterleaved = bytes[offset] === DOLLAR && versionAt !== undefined && versionAt >> 6 !== VERSION
  return isInterleaved ? INTERLEAVED_PREFIX : LENGTH_PREFIX
}

/** True where a length of 0 is alone, as senders keep connections open by it. */
function isEmptyAt(bytes: Buffer, offset: number): boolean {
  return bytes.length - offset >= LENGTH_PREFIX.sizeBytes && bytes.readUInt16BE(offset) === 0
}

function isRtcp(bytes: Buffer, start: number): boolean {
  const type = bytes[start + 1]!
  return type >= FIRST_RTCP_TYPE && type <= LAST_RTCP_TYPE
}

function ssrcAt(bytes: Buffer, start: number): Buffer {
  return bytes.subarray(start + SSRC_OFFSET, start + SSRC_OFFSET + SSRC_SIZE_BYTES)
}

/** Returns true when a packet of the SSRC begins at `offset`; undefined when the bytes are too few to tell. */
function followsAt(bytes: Buffer, offset: number, ssrc: Buffer): boolean | undefined {
  const start = offset + prefixAt(bytes, offset).sizeBytes
  if (start + RTP_HEADER_SIZE_BYTES > bytes.length) return undefined
  return bytes[start]! >> 6 === VERSION && (isRtcp(bytes, start) || ssrcAt(bytes, start).equals(ssrc))
}

/** Returns where the next packet with `pattern` at `patternOffset` begins, with its prefix; −1 when there is none. */
function findFrame(bytes: Buffer, from: number, pattern: Buffer, patternOffset: number): number {
  for (let at = bytes.indexOf(pattern, from); at >= 0; at = bytes.indexOf(pattern, at + 1)) {
    const start = at - patternOffset
    for (const prefix of [LENGTH_PREFIX, INTERLEAVED_PREFIX]) {
      const begin = start - prefix.sizeBytes
      if (begin < from || prefixAt(bytes, begin) !== prefix || bytes[start]! >> 6 !== VERSION) continue
      if (bytes.readUInt16BE(begin + prefix.lengthOffset) >= RTP_HEADER_SIZE_BYTES) return begin
    }
  }
  return -1
}
